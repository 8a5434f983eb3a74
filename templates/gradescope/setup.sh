#!/bin/sh
# Gradescope runs this once, as root, when it builds the autograder's image.
set -eu
cd "${AUTOGRADER:-/autograder}/source"
sh ./toolchain
sh ./get-judge
