#!/usr/bin/env python3
"""Checks that a Lua script asks for every right that it uses: check_script_rights.py [FOLDER]

A user may lack the right to any command. When Redis refuses a script in the middle, what was written before stays. So a script
that writes by more than one command asks whether this user may give them (`may`, `wrong_size`, `acl_check_cmd`) before the first
write. It asks for what it reads, too: a read that is refused in the middle leaves something half done, or is taken for a key that is
not there. This reads each script with its includes, follows the functions that its body can reach, and compares the commands that
they give with those that are asked for."""
import pathlib
import re
import sys

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "src" / "store" / "lua"

# Those that write nothing; of a script that only reads nothing can be half done.
READS = set("""ACL BITFIELD_RO EXISTS GET GETRANGE HEXISTS HGET HGETALL HKEYS HLEN HMGET INFO LINDEX LLEN LPOS LRANGE MGET PEXPIRETIME PTTL
SCARD SELECT SISMEMBER SMEMBERS SRANDMEMBER STRLEN TIME TTL TYPE XLEN ZCARD ZCOUNT ZMSCORE ZRANGE ZRANGEBYSCORE ZSCORE HSTRLEN XINFO
EXPIRETIME""".split())

# (file, command): why it is not asked for. A file is a script, or an include, which then may do so in every script.
NOT_ASKED = {
    ("count_metric", "HINCRBY"): "a metric is counted where the user may, and never stops the work",
    ("count_metric", "HSET"): "likewise",
    ("time_metric", "HINCRBY"): "likewise",
    ("count_settled", "HINCRBY"): "likewise",
    ("register_service", "HINCRBY"): "likewise",
    ("undo_retry", "HINCRBY"): "likewise",
    ("bridge_close", "HINCRBY"): "what is counted never stops the work",
    ("bridge_ledger", "XADD"): "nor does what is told of it",
    ("bridge_collect", "PERSIST"): "only for what an older version has made",
    ("count_metric", "HGET"): "of a metric",
    ("dead_consumers", "INFO"): "who may not ask waits until the server must have been up for long enough",
    ("server_id", "INFO"): "who may not ask does without",
    ("renew_service", "TYPE"): "the heartbeat goes on, and the list stays as it is",
    ("push_to_outs", "SELECT"): "this message waits, and it is told why",
    ("take_batch", "SREM"): "a suspect that cannot be cleared is alone for longer, and nothing else depends on it",
}

# Commands that need not be asked for: every script takes the time before its first write, and fails when it may not. Those of a bridge
# give others before the first write, too, whatever is done, or nothing depends on them.
TRIED_FIRST = {"TIME"}
BRIDGE = {"bridge_accept", "bridge_conclude", "bridge_collect", "bridge_edit"}
TRIED_FIRST_BY_BRIDGE = {"HMGET", "ZCARD", "TIME", "PTTL"}

TOKENS = re.compile(r"""(--\[\[.*?\]\]|--[^\n]*)|(\[\[.*?\]\])|('(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")|([A-Za-z_]\w*)|(\d[\w.]*)|(\s+)|(.)""", re.S)


def tokens_of(text):
    found = []
    for comment, long_text, quoted, name, number, space, other in TOKENS.findall(text):
        if not (comment or space):
            found.append(long_text or quoted or name or number or other)
    return found


class Function:
    """One with a name, and what is in it but in no named function of its own; the body of a file is one, too."""

    def __init__(self, name, file):
        self.name = name
        self.file = file
        self.tokens = []


def functions_of(text, file):
    """All functions with a name; the first is the body."""
    tokens = tokens_of(text)
    body = Function(None, file)
    all_, stack, at = [body], [(body, None)], 0
    while at < len(tokens):
        token = tokens[at]
        inside = stack[-1][0]
        if token == "function":
            name, skip = None, 1
            if tokens[at + 1] != "(":  # function name(...), function a.name(...)
                skip = 2
                name = tokens[at + 1]
                while tokens[at + skip] == ".":
                    name = tokens[at + skip + 1]
                    skip += 2
            elif len(inside.tokens) >= 2 and inside.tokens[-1] == "=" and re.fullmatch(r"[A-Za-z_]\w*", inside.tokens[-2]):
                name = inside.tokens[-2]
            if name is not None:
                made = Function(name, file)
                all_.append(made)
                stack.append((made, "end"))
            else:
                stack.append((inside, "end"))
            at += skip
            continue
        if token in ("if", "do"):  # `for` and `while` have their `do`
            stack.append((inside, "end"))
        elif token == "repeat":
            stack.append((inside, "until"))
        elif token in ("end", "until"):
            assert stack[-1][1] == token, f"{file}: {token} closes nothing"
            stack.pop()
            at += 1
            continue
        inside.tokens.append(token)
        at += 1
    assert len(stack) == 1, f"{file}: something is not closed"
    return all_


def includes_of(text):
    return re.findall(r"^--- @include (\S+)", text, re.M)


def parts_of(script, folder):
    """(name, text) of the script's includes, each once, includes of includes first, and of the script: as embed_scripts does."""
    done = {}

    def add(name, path):
        if name in done:
            return
        text = path.read_text()
        for each in includes_of(text):
            add(each, folder / "include" / f"{each}.lua")
        done[name] = text

    add(script.stem, script)
    return list(done.items())


def reachable(parts):
    functions = [each for name, text in parts for each in functions_of(text, name)]
    by_name = {}
    for each in functions:
        by_name.setdefault(each.name, []).append(each)
    todo, seen = list(by_name[None]), []
    while todo:
        now = todo.pop()
        seen.append(now)
        for token in now.tokens:
            todo += by_name.pop(token, [])
    return seen


def unquote(token):
    return token[1:-1] if token[0] in "'\"" else None


def commands_given(function):
    """Of redis.call, redis.pcall, and their local names `call` and `give`; `?name` where it is no constant."""
    tokens, found = function.tokens, set()
    for at, token in enumerate(tokens):
        is_redis = token in ("call", "pcall") and at >= 2 and tokens[at - 2:at] == ["redis", "."]
        is_local = token in ("call", "give") and (at == 0 or tokens[at - 1] != ".")
        if (is_redis or is_local) and at + 2 < len(tokens) and tokens[at + 1] == "(":
            command = unquote(tokens[at + 2])
            found.add(command if command is not None else f"?{tokens[at + 2]}")
    return found


def commands_asked(function):
    """Of `may({{'X', ...}, ...})`, of `acl_check_cmd('X', ...)`, of `wrong_size('X', ...)`, which asks by the command itself, and of
    every other table whose first word is a command, when the function asks at all."""
    tokens, found = function.tokens, set()
    asks = {"may", "acl_check_cmd", "wrong_size", "size_of"} & set(tokens)
    for at, token in enumerate(tokens):
        word = unquote(token)
        if asks and word and re.fullmatch(r"[A-Z]+(_RO)?", word) and tokens[at - 1] in ("{", "(", ",") and not (
                tokens[at - 1] == "(" and tokens[at - 2] in ("call", "pcall", "give")):
            found.add(word)
    return found


def problems_of(script, folder=FOLDER, not_asked=None):
    """(file, command) of each that is not asked for. Exceptions that were needed are added to `not_asked`."""
    used = not_asked if not_asked is not None else set()
    functions = reachable(parts_of(script, folder))
    asked = set().union(*(commands_asked(each) for each in functions))
    free = TRIED_FIRST_BY_BRIDGE if script.stem in BRIDGE else TRIED_FIRST
    given = {(each.file, command) for each in functions for command in commands_given(each)
             if command not in free and not command.startswith("?")}
    writes = {each for each in given if each[1] not in READS}
    if not writes:
        return set()
    if len({command for _, command in writes}) < 2 and not repeats(functions):
        given -= writes
    missing = {each for each in given if each[1] not in asked}
    used |= missing & set(NOT_ASKED)
    return missing - set(NOT_ASKED)


def repeats(functions):
    """Whether a function with a write has a loop: then it may be given for several keys."""
    return any({"for", "while", "repeat"} & set(each.tokens) and commands_given(each) - READS for each in functions)


def main(folder):
    used, failed = set(), False
    for script in sorted(folder.glob("*.lua")):
        for file, command in sorted(problems_of(script, folder, used)):
            failed = True
            print(f"{script}: {command} of {file}.lua is given, and not asked for before")
    for each in sorted(set(NOT_ASKED) - used):
        failed = True
        print(f"{__file__}: {each} is an exception that no script needs")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER))
