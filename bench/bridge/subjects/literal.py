from bridged import InNode


class Polling(InNode):
    name = "literal"
    label = "the document's polling (Node)"
    title = "the document to the letter: a validation every 200 ms, 25 sends at a time (Node)"
    file = "polling.js"
    count = 600


SUBJECT = Polling()
