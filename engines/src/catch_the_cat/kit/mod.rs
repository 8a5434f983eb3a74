//! The harness for submissions in the course's language.

use crate::Kit;

pub(super) const KITS: &[Kit] = &[Kit {
    language: "cpp",
    required: &["Cat.h", "Catcher.h"],
    files: &[
        ("IAgent.h", include_str!("cpp/IAgent.h")),
        ("main.cpp", include_str!("cpp/main.cpp")),
    ],
    starter: &[
        ("Cat.h", include_str!("cpp/starter/Cat.h")),
        ("Catcher.h", include_str!("cpp/starter/Catcher.h")),
        ("Board.h", include_str!("cpp/starter/Board.h")),
    ],
}];
