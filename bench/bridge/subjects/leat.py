from bridged import Driven


class Library(Driven):
    name = "leat"
    label = "leat, the library"
    title = "leat: a program with the bridge inside"
    mode = "library"


SUBJECT = Library()
