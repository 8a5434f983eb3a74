//! Games of one's own: a program serves the rules.

mod checks;
mod equality;
mod failures;
mod seats;
mod simultaneous;
mod verbs;

use crate::support::{Ended, Run, Scene, Words, judge};
use std::path::PathBuf;

pub(crate) fn clobber() -> PathBuf {
    crate::support::root().join("examples/games/clobber/clobber.py")
}

fn python_game(scene: &Scene, text: &str) -> String {
    let path = scene.folder().join("game.py");
    std::fs::write(&path, text).expect("writable");
    path.to_str().expect("UTF-8").to_owned()
}

fn verb(words: &(impl Words + ?Sized)) -> Ended {
    judge().args(words.words()).ended()
}
