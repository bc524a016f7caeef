from bridged import BridgeWork

WORK = BridgeWork("base", "1,000 conversations, 1 reply, no acknowledgement, 100 B", unit="deliveries",
                  subjects=("leat", "leat-service", "script-100", "node", "literal"))
