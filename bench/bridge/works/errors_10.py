from bridged import BridgeWork

WORK = BridgeWork("errors_10", "the first send of 10 % fails, and is repeated after 20 ms", order=9, errors=10, unit="deliveries",
                  subjects=("leat", "leat-service"))
