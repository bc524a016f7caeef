from bridged import InNode


class Awaited(InNode):
    name = "node"
    label = "ten awaited commands (Node)"
    title = "the document's commands, each awaited, 25 messages at a time, no lease (Node)"
    file = "awaited.js"


SUBJECT = Awaited()
