//! Games of one's own: a program serves the rules.

mod checks;
mod equality;
mod failures;
mod seats;
mod simultaneous;
mod verbs;

use crate::support::{Ended, Run, Scene, Words, judge, source};

const CLOBBER: &str = "examples/games/clobber/clobber.py";

/// Returns the text of Clobber, in Python.
pub(crate) fn clobber_text() -> String {
    source(CLOBBER)
}

fn python_game(scene: &Scene, text: &str) -> String {
    scene.write("game.py", text)
}

fn verb(words: &(impl Words + ?Sized)) -> Ended {
    judge().args(words.words()).ended()
}
