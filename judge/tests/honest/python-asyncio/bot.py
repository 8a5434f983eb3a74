import asyncio
import json
import socket
import subprocess
import sys
import tempfile
import threading


async def main():
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        message = json.loads(line)
        if "turn" in message:
            print(json.dumps({"move": message["turn"]["legal"][0]}), flush=True)
        elif "end" not in message:
            print(json.dumps({"ready": {"legal_moves": True}}), flush=True)


asyncio.run(main())
