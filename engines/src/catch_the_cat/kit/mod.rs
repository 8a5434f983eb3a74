use crate::game::solved;
use crate::{Advice, Blind, Calls, Homework, Kit, Sign};

pub(super) const KITS: &[Kit] = &[Kit {
    language: "cpp",
    sign: Sign::Flat(&["Cat.h", "Catcher.h"]),
    files: &[
        ("IAgent.h", include_str!("cpp/IAgent.h")),
        ("judge_note.h", include_str!("cpp/judge_note.h")),
        ("judge_cage.h", include_str!("../../kit/judge_cage.h")),
        ("judge_flush.h", include_str!("../../kit/judge_flush.h")),
        ("main.cpp", include_str!("cpp/main.cpp")),
        ("judge_agents.cpp", include_str!("cpp/judge_agents.cpp")),
    ],
    calls: Calls {
        start: None,
        turn: &["Cat::move", "Catcher::move"],
        before_first: &[],
    },
    blind: Blind::NOWHERE,
    // Whatever it needs is among its files: programs are linked statically.
    libraries: &[],
    hints: &[
        ("redefinition of ‘int main()’", OWN_MAIN),
        ("multiple definition of `main'", OWN_MAIN),
        (
            "No such file or directory",
            "it includes a file that is not there: capital letters count, and all files lie in one folder",
        ),
        (
            "undefined reference",
            "a function is declared but nowhere defined; is its .cpp file among those submitted?",
        ),
        (
            "the class Cat does not inherit",
            "the class Cat does not inherit from IAgent; it must begin with struct Cat : IAgent",
        ),
        (
            "the class Catcher does not inherit",
            "the class Catcher does not inherit from IAgent; it must begin with struct Catcher : IAgent",
        ),
        ("but does not override", SIGNATURE),
        ("conflicting return type specified", SIGNATURE),
        ("invalid covariant return type", SIGNATURE),
        ("error: ‘Cat’ ", "Cat.h declares no class named Cat"),
        (
            "error: ‘Catcher’ ",
            "Catcher.h declares no class named Catcher",
        ),
    ],
    advice: Advice {
        answer: "move returns the place as a pair of two whole numbers",
        time: "move is not told how much is left: compare std::clock() with what it was when move began",
        chance: "if it draws random numbers: std::random_device and the time differ each time; give the generator a fixed seed, as std::mt19937 random(1)",
    },
    project: &[
        ("IAgent.h", include_str!("cpp/IAgent.h")),
        ("judge_note.h", include_str!("cpp/judge_note.h")),
    ],
    starter: &[
        ("Cat.h", include_str!("cpp/starter/Cat.h")),
        ("Catcher.h", include_str!("cpp/starter/Catcher.h")),
    ],
    solved: solved(&[
        ("Cat.h", include_str!("cpp/solved/Cat.h")),
        ("Catcher.h", include_str!("cpp/solved/Catcher.h")),
        ("Board.h", include_str!("cpp/solved/Board.h")),
    ]),
    homework: Homework::NONE,
}];

const SIGNATURE: &str = "move does not override IAgent's, which is std::pair<int,int> move(const std::vector<bool>& world, std::pair<int,int> catPos, int sideSize)";
const OWN_MAIN: &str = "a file defines main; the judge has its own, so take yours out";
