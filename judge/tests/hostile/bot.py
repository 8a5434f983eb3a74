#!/usr/bin/env python3
"""Bots that answer badly, end badly or only look bad: one behaviour for each mode, and the
mode is the content of the file `mode` beside this one. `catalogue.csv` has the verdicts."""
import json, os, signal, sys, time

READY = '{"ready":{"legal_moves":true}}'


def ask():
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    return json.loads(line)


def raw(data):
    while data:
        data = data[os.write(1, data) :]


def say(text):
    raw(text.encode() + b"\n")


def first(turn):
    return '{"move":%s}' % json.dumps(turn["turn"]["legal"][0])


def turn():
    """Goes along with everything up to the next turn."""
    while True:
        message = ask()
        if "turn" in message:
            return message
        if "end" not in message:
            say(READY)


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
    "long-line": answering("x" * 100_000_000),
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
}

MODES[open("mode").read()]()
