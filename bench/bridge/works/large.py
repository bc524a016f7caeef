from bridged import BridgeWork

WORK = BridgeWork("large", "bodies of 400 B", order=7, size=400, unit="deliveries")
