//! Bots for Catch the Cat that go wrong, each in its own way, after some good moves.

use super::Scene;

/// How they begin; what follows answers the message `m` of a turn at `ply`.
const PYTHON: &str = r#"#!/usr/bin/env python3
import json, os, signal, sys
def say(text): print(text, flush=True)
for line in sys.stdin:
    m = json.loads(line)
    if "turn" not in m:
        if "end" not in m: say('{"ready":{"legal_moves":true}}')
        continue
    ply = m["turn"]["ply"]
    print("thinking at ply", ply, file=sys.stderr)
    first = json.dumps({"move": m["turn"]["legal"][0]})
"#;

/// Writes a bot in Python that plays the first legal move but for what `turn` says.
pub(crate) fn python(turn: &str) -> String {
    format!("{PYTHON}    {turn}\n    say(first)\n")
}

/// Crashes at its third turn.
pub(crate) const CRASH: &str = "if ply >= 4: os.kill(os.getpid(), signal.SIGSEGV)";
/// Moves illegally at its third turn: the second time to the same cell.
pub(crate) const CHEAT: &str = "if ply >= 2: first = '{\"move\":[0,0]}'";
/// Writes what a spreadsheet would calculate.
pub(crate) const FORMULA: &str = "first = '=1+1'";
/// Is silent from its second turn on.
pub(crate) const MUTE: &str = "if ply >= 2: sys.stdin.read()";

/// Adds one of each but [`MUTE`], which takes its time, and a bot that does nothing wrong.
pub(crate) fn add(scene: &Scene) {
    scene
        .first_legal("honest")
        .script("crash", &python(CRASH))
        .script("cheat", &python(CHEAT))
        .script("formula", &python(FORMULA));
}

/// The flags for their run.
pub(crate) const FLAGS: &[&str] = &[
    "--game",
    "catch-the-cat",
    "--states",
    "1",
    "--side",
    "9",
    "--backstop",
    "2",
];
