//! The harness for submissions in the course's language.

use crate::{Blind, Calls, Homework, Kit, Sign};

pub(super) const KITS: &[Kit] = &[Kit {
    language: "python",
    sign: Sign::Text {
        ending: "py",
        has: &["class ", "def step"],
        // What speaks the protocol itself must say that it is ready.
        lacks: &["\"ready\"", "'ready'"],
    },
    files: &[
        ("judge_kit.py", include_str!("python/judge_kit.py")),
        ("judge_check.py", include_str!("python/judge_check.py")),
    ],
    calls: Calls {
        start: None,
        turn: &["step"],
        first_turn: Some("__init__ or step"),
    },
    blind: Blind::NOWHERE,
    hints: &[],
    starter: &[("bot.py", include_str!("python/starter/bot.py"))],
    homework: Homework::NONE,
}];
