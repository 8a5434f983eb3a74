#!/usr/bin/env -S python3 -IS
"""Bots that answer badly, end badly or only look bad: one behaviour for each mode, and the
mode is the content of the file `mode` beside this one. `catalogue.csv` has the verdicts."""
import fcntl, os, sys, time
import _signal as signal  # which starts faster than signal

LINE_BYTES_MAX = 65536
READY = '{"ready":{"legal_moves":true}}'


def ask():
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    return line


def raw(data):
    while data:
        data = data[os.write(1, data) :]


def say(text):
    raw(text.encode() + b"\n")


def first(turn):
    return '{"move":[%s]}' % turn.split('"legal":[[')[1].split("]")[0]


def answer_to(line):
    """Returns the answer to a message; none to `end`."""
    if line.startswith('{"turn"'):
        return first(line)
    return None if line.startswith('{"end"') else READY


def turn():
    """Goes along with everything up to the next turn."""
    while not (message := ask()).startswith('{"turn"'):
        if answer := answer_to(message):
            say(answer)
    return message


def sleep():
    while True:
        time.sleep(1000)


def honest(answer=lambda text: say(text)):
    while True:
        answer(first(turn()))


def answering(text):
    """A bot that answers its first turn with these words and then waits."""

    def behave():
        turn()
        raw(text if isinstance(text, bytes) else text.encode())
        sleep()

    return behave


def long_line():
    answering("x" * 100_000_000)()


def repeating(data, pause=0.0):
    def behave():
        turn()
        while True:
            raw(data)
            time.sleep(pause)

    return behave


def ending(act):
    def behave():
        turn()
        act()
        sleep()

    return behave


def byte_order_mark():
    raw(b"\xef\xbb\xbf" + first(turn()).encode() + b"\n")
    sleep()


def wrong_seat():
    raw(first(turn())[:-1].encode() + b',"seat":1}\n')
    sleep()


def two_answers():
    answer = first(turn())
    say(answer + "\n" + answer)
    sleep()


def move_for_ready():
    ask()
    say('{"move":[0,1]}')
    sleep()


def move_before_hello():
    say('{"move":[0,1]}')
    sleep()


def move_before_turn():
    ask()
    say(READY + '\n{"move":[0,1]}')
    sleep()


def ready_answers(text):
    def behave():
        ask()
        say(text)
        sleep()

    return behave


def not_flushed():
    print(first(turn()))
    sleep()


def without_newline():
    raw(first(turn()).encode())
    sleep()


def closes_stdout_and_exits():
    turn()
    os.close(1)
    os._exit(0)


def closes_stdin():
    answer = first(turn())
    os.close(0)
    say(answer)
    sleep()


def answers_then(act):
    def behave():
        say(first(turn()))
        act()

    return behave


def long_traceback():
    def descend(depth):
        return 1 / depth if depth == 0 else descend(depth - 1)

    turn()
    descend(900)


def halves(text):
    raw(text[:4].encode())
    time.sleep(0.01)
    raw(text[4:].encode() + b"\n")


def writing(data, times):
    def behave():
        for _ in range(times):
            sys.stderr.buffer.write(data)
        honest()

    return behave


def padded(length):
    """Answers in lines of so many bytes, without their newlines."""
    return lambda: honest(lambda text: say(text.ljust(length)))


def rewritten(old, new):
    """A bot whose answers say the same, or nearly, in other words."""
    return lambda: honest(lambda text: say(text.replace(old, new, 1)))


def in_other_bytes(change):
    return lambda: honest(lambda text: raw(change(text)))


def goodbye():
    for line in sys.stdin:
        say(answer_to(line) or "goodbye")


def set_flags(fd, flags):
    fcntl.fcntl(fd, fcntl.F_SETFL, fcntl.fcntl(fd, fcntl.F_GETFL) | flags)


def in_packets():
    set_flags(1, os.O_DIRECT)
    honest(lambda text: say(text.ljust(5000)))


def without_blocking():
    set_flags(0, os.O_NONBLOCK)
    set_flags(1, os.O_NONBLOCK)
    data = b""
    while True:
        try:
            more = os.read(0, 65536)
        except BlockingIOError:
            time.sleep(0.001)
            continue
        if not more:
            return
        *lines, data = (data + more).split(b"\n")
        for answer in filter(None, map(answer_to, map(bytes.decode, lines))):
            say(answer)


def fills_its_own_input():
    turn()
    inward = os.open("/proc/self/fd/0", os.O_WRONLY | os.O_NONBLOCK)
    try:
        while os.write(inward, b"x" * 4096):
            pass
    except BlockingIOError:
        sleep()


def errors_among_answers():
    answer = first(turn())
    os.dup2(1, 2)
    sys.stderr.write("thinking\n")
    say(answer)
    sleep()


def answers_on_stderr():
    answer = first(turn())
    os.write(2, answer.encode() + b"\n")
    sleep()


def waits_for_an_alarm():
    turn()
    signal.setitimer(signal.ITIMER_REAL, 0.02)
    sleep()


def becomes_another():
    turn()
    os.execv("/bin/sleep", ["sleep", "1000"])


def busy_and_chatty():
    turn()
    while True:
        sys.stderr.write(str(sum(range(50000))) * 100)


MODES = {
    "empty-line": answering("\n"),
    "garbage": answering("hello\n"),
    "wrong-shape": answering('{"move":"north"}\n'),
    "unknown-field": answering('{"move":[0,1],"comment":1}\n'),
    "huge-number": answering('{"move":[99999999999999999999,0]}\n'),
    "not-a-number": answering('{"move":[NaN,0]}\n'),
    "deep": answering('{"move":' + "[" * 30000 + "]" * 30000 + "}\n"),
    "too-deep": answering("[" * 100000 + "\n"),
    "invalid-utf8": answering(b'{"move":"\xff"}\n'),
    "nul-byte": answering("\0\n"),
    "byte-order-mark": byte_order_mark,
    "crlf": lambda: honest(lambda text: raw(text.encode() + b"\r\n")),
    "blanks": lambda: honest(lambda text: say("\t  " + text + "   ")),
    "two-answers": two_answers,
    "ready-again": answering(READY + "\n"),
    "move-for-ready": move_for_ready,
    "move-before-hello": move_before_hello,
    "move-before-turn": move_before_turn,
    "not-ready": ready_answers("{}"),
    "without-newline": without_newline,
    "not-flushed": not_flushed,
    "half-a-line": answering('{"mo'),
    "two-halves": lambda: honest(halves),
    "byte-by-byte": repeating(b"x", 0.001),
    "line-by-line": repeating(b"thinking\n", 0.001),
    "long-line": long_line,
    "endless": repeating(b"x" * 65536),
    "illegal": answering('{"move":[99,99]}\n'),
    "wrong-seat": wrong_seat,
    "wrong-version": ready_answers('{"ready":{"protocol":2}}'),
    "closes-stdout-and-exits": closes_stdout_and_exits,
    "closes-stdout": ending(lambda: os.close(1)),
    "closes-stdin": closes_stdin,
    "answers-and-aborts": answers_then(os.abort),
    "exits-early": lambda: sys.exit(0),
    "exits": ending(lambda: sys.exit(1)),
    "aborts": ending(os.abort),
    "segfaults": ending(lambda: os.kill(os.getpid(), signal.SIGSEGV)),
    "divides": ending(lambda: os.kill(os.getpid(), signal.SIGFPE)),
    "real-time-signal": ending(lambda: os.kill(os.getpid(), 40)),
    "kills-itself": ending(lambda: os.kill(os.getpid(), signal.SIGKILL)),
    "raises": long_traceback,
    "noisy": writing(b"x" * 1_000_000, 100),
    "binary-noise": writing(b"\xff\x00\x1b[31m", 100_000),
    "protocol-noise": writing(b'{"move":[99,99]}\n', 9),
    "busy-and-chatty": busy_and_chatty,
    "a-full-line": padded(LINE_BYTES_MAX),
    "an-overfull-line": padded(LINE_BYTES_MAX + 1),
    "a-full-pipe": padded(LINE_BYTES_MAX - 1),
    "escaped-key": rewritten("move", "m\\u006fv\\u0065"),
    "doubled-key": rewritten("}", ',"move":[99,99]}'),
    "odd-notes": rewritten(
        "}", ',"note":"\\u001b[2J\\u202e\\ud800<b>","note":7,"marks":[' + '{"at":[99,99]},' * 3000 + "[]]}"
    ),
    "huge-note": rewritten("}", ',"note":"' + "x" * 1_000_000 + '"}'),
    "other-case": rewritten("move", "Move"),
    "fractions": answering('{"move":[0.0,1.0]}\n'),
    "exponents": answering('{"move":[0e0,1e0]}\n'),
    "huge-exponent": answering('{"move":[1e999,0]}\n'),
    "leading-zeros": answering('{"move":[00,01]}\n'),
    "plus-signs": answering('{"move":[+0,+1]}\n'),
    "negative": answering('{"move":[-99,0]}\n'),
    "texts-of-numbers": answering('{"move":["0","1"]}\n'),
    "too-few": answering('{"move":[]}\n'),
    "too-many": answering('{"move":[0,1,0]}\n'),
    "null-move": answering('{"move":null}\n'),
    "move-in-a-move": answering('{"move":{"move":[0,1]}}\n'),
    "tuple": answering('{"move":(0,1)}\n'),
    "single-quotes": answering("{'move':[0,1]}\n"),
    "comment": rewritten("}", "} // best"),
    "twice-in-a-line": answering('{"move":[0,1]}{"move":[0,1]}\n'),
    "in-a-list": answering('[{"move":[0,1]}]\n'),
    "long-name": answering('{"%s":[0,1]}\n' % ("x" * 60000)),
    "long-field": answering('{"move":[0,1],"%s":1}\n' % ("x" * 60000)),
    "dangerous-name": answering('{"\\u001b]0;\\u202e\\u0000":1}\n'),
    "lone-surrogate": answering('{"move":"\\ud800"}\n'),
    "control-in-a-text": answering('{"move":"\x1b[2J"}\n'),
    "blank-line-first": in_other_bytes(lambda text: b"\n" + text.encode() + b"\n"),
    "no-break-space": in_other_bytes(lambda text: "\u00a0".encode() + text.encode() + b"\n"),
    "utf-16": in_other_bytes(lambda text: (text + "\n").encode("utf-16-le")),
    "line-separator": in_other_bytes(lambda text: (text + "\u2028").encode()),
    "carriage-return": in_other_bytes(lambda text: text.encode() + b"\r"),
    "says-goodbye": goodbye,
    "in-packets": in_packets,
    "without-blocking": without_blocking,
    "fills-its-own-input": fills_its_own_input,
    "errors-among-answers": errors_among_answers,
    "answers-on-stderr": answers_on_stderr,
    "waits-for-an-alarm": waits_for_an_alarm,
    "becomes-another": becomes_another,
}

# In case that nobody ends it.
signal.alarm(600)
MODES[open("mode").read()]()
