#!/usr/bin/env python3
import gc, os, resource, signal, sys, time
def ask():
    line = sys.stdin.readline()
    if not line: sys.exit(0)
    return line
def say(text="x"):
    sys.stdout.write(text + "\n"); sys.stdout.flush()
def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end: pass
def step():
    steps, last = 0, time.process_time_ns()
    end = last + 10**7
    while last < end:
        now = time.process_time_ns()
        steps += now > last
        last = now
    return 10**7 // steps
