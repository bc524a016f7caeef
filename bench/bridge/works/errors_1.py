from bridged import BridgeWork

WORK = BridgeWork("errors_1", "the first send of 1 % fails, and is repeated after 20 ms", order=8, errors=1, unit="deliveries",
                  subjects=("leat", "leat-service"))
