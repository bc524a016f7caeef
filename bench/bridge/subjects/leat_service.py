from bridged import Driven, service_words


class Service(Driven):
    """Load and service are on one core."""
    name = "leat-service"
    label = "leat bridge, by queues"
    title = "leat bridge: requests, replies, deliveries and answers in queues"
    mode = "service"

    def start(self, stage):
        super().start(stage)
        stage.spawn(*service_words(stage))


SUBJECT = Service()
