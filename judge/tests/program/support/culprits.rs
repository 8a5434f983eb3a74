//! Bots for Catch the Cat that go wrong after some good moves, each in its own way.

use super::Scene;

/// Start of each bot; the part after it answers a turn at `ply`.
const PYTHON: &str = include_str!("../../bots/culprit.py");

/// Writes a bot in Python that plays the first legal move, except where `turn` says otherwise.
pub(crate) fn python(turn: &str) -> String {
    format!("{PYTHON}    {turn}\n    say(first)\n")
}

/// Crashes at its third turn.
pub(crate) const CRASH: &str = "if ply >= 4: os.kill(os.getpid(), signal.SIGSEGV)";
/// Moves illegally at its third turn: to the same cell for the second time.
pub(crate) const CHEAT: &str = "if ply >= 2: first = '{\"move\":[0,0]}'";
/// Writes a formula that a spreadsheet would compute.
pub(crate) const FORMULA: &str = "first = '=1+1'";
/// Is silent from its second turn on.
pub(crate) const MUTE: &str = "if ply >= 2: sys.stdin.read()";

/// Adds one of each except [`MUTE`], which takes its time, and a bot that does nothing wrong.
pub(crate) fn add(scene: &Scene) {
    scene
        .first_legal("honest")
        .script("crash", &python(CRASH))
        .script("cheat", &python(CHEAT))
        .script("formula", &python(FORMULA));
}

/// Flags for a run of these bots.
pub(crate) const FLAGS: &str =
    "--game catch-the-cat --states 1 --set side=9 --set clock.backstop_s=2";
