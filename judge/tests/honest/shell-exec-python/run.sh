#!/bin/sh
exec python3 -u bot/main.py
