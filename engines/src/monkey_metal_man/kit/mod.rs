use crate::game::solved;
use crate::{Advice, Blind, Calls, Homework, Kit, Sign};

pub(super) const KITS: &[Kit] = &[Kit {
    language: "python",
    sign: Sign::Text {
        ending: "py",
        has: &["class ", "def step"],
        // What speaks the protocol itself must say that it is ready.
        lacks: &["\"ready\"", "'ready'"],
    },
    files: &[
        ("judge_cage.py", include_str!("../../kit/judge_cage.py")),
        ("judge_kit.py", include_str!("python/judge_kit.py")),
        ("judge_check.py", include_str!("python/judge_check.py")),
    ],
    calls: Calls {
        start: None,
        turn: &["step"],
        before_first: &["__init__"],
    },
    blind: Blind::NOWHERE,
    libraries: &["numpy"],
    hints: &[],
    advice: Advice {
        answer: "step returns {\"Spotter\": {\"direction\": [r, c], \"moves\": [[r, c], …]}, \"Assasin\": {…}}, where each [r, c] is one of [-1, 0], [1, 0], [0, -1] and [0, 1]; a move may also be [0, 0], which stays",
        time: "step is not told how much is left: compare time.process_time() with what it was when step began",
        chance: "if it draws random numbers: the module random is seeded for every game, so draw from it without a seed of your own (numpy.random is not seeded)",
    },
    project: &[],
    starter: &[("bot.py", include_str!("python/starter/bot.py"))],
    // The course has no exercises besides the bot itself.
    solved: solved(&[("bot.py", include_str!("python/starter/bot.py"))]),
    homework: Homework::NONE,
}];
