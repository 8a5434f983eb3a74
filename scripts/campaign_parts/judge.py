"""The judge that a script tries or measures."""

import json
import os
import subprocess
from pathlib import Path

from .arenas import ROOT


def find_judge(*flags):
    """Returns the program that JUDGE names, or else one that cargo builds with these flags."""
    if named := os.environ.get("JUDGE"):
        return Path(named).resolve(strict=True)
    subprocess.run(["cargo", "build", "--quiet", "--locked", *flags], cwd=ROOT, check=True)
    metadata = ["cargo", "metadata", "--format-version", "1", "--no-deps"]
    text = subprocess.run(metadata, cwd=ROOT, check=True, capture_output=True).stdout
    profile = "release" if "--release" in flags else "debug"
    return Path(json.loads(text)["target_directory"]) / profile / "judge"
