//! Submissions in C++.

use super::Change::{Name, Nothing, Text};
use super::Verdict::{Broken, Faults, Plays};
use super::{Case, FORGED, case};

pub(super) const CASES: &[Case] = &[
    case("good", Nothing, Plays("")),
    case(
        "prints",
        Text(
            "Cat.h",
            "#pragma once",
            "#pragma once\n#include <cstdio>\nstatic int printed = puts(\"{\\\"move\\\":[0,0]}\");",
        ),
        Plays(FORGED),
    ),
    case(
        "slow",
        Text(
            "Cat.h",
            "#pragma once",
            "#pragma once\nstatic int slow = [] { for (volatile int i = 0; i >= 0; i = 1) {} return 0; }();",
        ),
        Faults("time", "", ""),
    ),
    case(
        "crashes",
        Text(
            "Cat.h",
            "#pragma once",
            "#pragma once\nstatic int crash = *(volatile int*)8;",
        ),
        Faults("crash", "SIGSEGV", ""),
    ),
    case(
        "signature",
        Text(
            "Cat.h",
            "int sideSize) override",
            "int sideSize, char more)",
        ),
        Broken(
            "the class Cat does not override IAgent's move(",
            "static assertion failed",
        ),
    ),
    case(
        "override",
        Text("Cat.h", "int sideSize) override", "long sideSize) override"),
        Broken(
            "move does not override IAgent's, which is std::pair<int,int> move(const std::vector<bool>& world, ",
            "marked ‘override’, but does not override",
        ),
    ),
    case(
        "clashes",
        Text(
            "Cat.h",
            "#include \"IAgent.h\"",
            "#include \"IAgent.h\"\nusing namespace std;\n#define x first\n#define side 3\n\
             struct play { int answers; };\nint answer(int);\nstatic string field, read_line;\nint read, write, dup;\n\
             inline bool is_cat(bool take_role) { return take_role; }",
        ),
        Plays(""),
    ),
    case(
        "class",
        Text("Cat.h", "struct Cat ", "struct Kat "),
        Broken("Cat.h declares no class named Cat", "did you mean ‘Kat’?"),
    ),
    case(
        "constructor",
        Text(
            "Cat.h",
            "struct Cat : IAgent {",
            "struct Cat : IAgent {\n    Cat(int) {}",
        ),
        Broken(
            "the class Cat has no public constructor without arguments",
            "",
        ),
    ),
    case(
        "syntax",
        Text("Cat.h", "return free[", "return fre["),
        Broken("g++ exited with 1", "Cat.h:12:16: error: ‘fre’"),
    ),
    case(
        "main",
        Text(
            "Board.h",
            "#pragma once",
            "#pragma once\nint main() { return 0; }",
        ),
        Broken(
            "a file defines main; the judge has its own",
            "multiple definition",
        ),
    ),
    case(
        "undefined",
        Text(
            "Board.h",
            "#pragma once",
            "#pragma once\nint nowhere();\nstatic int nothing = nowhere();",
        ),
        Broken(
            "a function is declared but nowhere defined",
            "undefined reference",
        ),
    ),
    case(
        "spelling",
        Name("Cat.h", "cat.h"),
        Broken("cat.h must be spelled Cat.h", ""),
    ),
];
