#!/usr/bin/python3 -S
import json, os, sys, time
def say(text): print(text, flush=True)
def begin(message): say('{"ready":{"legal_moves":true}}')
def choose(turn): return turn["legal"][0]
def answer(turn): say('{"move":%s}' % json.dumps(choose(turn)))
def end(): sys.exit(0)
