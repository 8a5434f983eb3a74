//! Submissions in Haskell.

use super::Change::{Name, Nothing, Text};
use super::Verdict::{Broken, Faults, Plays};
use super::{Case, FORGED, case};

pub(super) const CASES: &[Case] = &[
    case("good", Nothing, Plays("")),
    case(
        "prints",
        Text(
            "ReversiAI.hs",
            "import Reversi\n",
            "import Data.Array.ST ()\nimport Debug.Trace\nimport Prelude hiding (filter)\n\
             import qualified Prelude\nimport Reversi\nimport System.Random ()\n\n\
             filter :: (a -> Bool) -> [a] -> [a]\n\
             filter p = trace \"{\\\"move\\\":[0,0]}\" (Prelude.filter p)\n",
        ),
        Plays(FORGED),
    ),
    // It knows its colour, hears no move or a pass first as black, and has at most 5 minutes.
    case(
        "asked",
        Text(
            "ReversiAI.hs",
            "think (State me before) theirs _ = (mine, ",
            "think (State me before) theirs left\n\
             \x20 | left <= 0 || left > 300 = error \"no time\"\n\
             \x20 | Map.size before == 4 && (me == Black) /= (theirs == Pass) = error \"no colour\"\n\
             \x20 | otherwise = (mine, ",
        ),
        Plays(""),
    ),
    case(
        "own-types",
        Text(
            "ReversiAI.hs",
            "import Reversi\n",
            "\ndata Player = Black | White deriving Eq\ndata Move = Pass | Move Int\n",
        ),
        Broken(
            "must have the types of the course text",
            "Couldn't match expected type",
        ),
    ),
    case(
        "other-package",
        Text(
            "ReversiAI.hs",
            "import Reversi\n",
            "import System.Directory ()\nimport Reversi\n",
        ),
        Broken(
            "a package that may not be used; those that may, besides base: array",
            "",
        ),
    ),
    case(
        "slow",
        Text(
            "ReversiAI.hs",
            "mine = case",
            "mine = (length [1 :: Integer ..]) `seq` case",
        ),
        Faults("time", "", ""),
    ),
    case(
        "crashes",
        Text(
            "ReversiAI.hs",
            "mine = case",
            "mine = error \"lost\" `seq` case",
        ),
        Faults("exit", "", "lost"),
    ),
    case(
        "late",
        Text(
            "ReversiAI.hs",
            "-> Move field",
            "-> Move (field + error \"late\")",
        ),
        Faults("exit", "", "late"),
    ),
    case(
        "signature",
        Text(
            "ReversiAI.hs",
            "think :: State -> Move -> Double ->",
            "think :: State -> Move -> Int ->",
        ),
        Broken(
            "must have the types of the course text",
            "Couldn't match expected type",
        ),
    ),
    case(
        "missing",
        Text(
            "ReversiAI.hs",
            "author, nickname, initial",
            "author, initial",
        ),
        Broken(
            "must export State, author, nickname, initial and think",
            "AI.nickname",
        ),
    ),
    case(
        "module",
        Text("ReversiAI.hs", "module ReversiAI ", "module ReversiBot "),
        Broken("ReversiAI.hs must declare the module ReversiAI", ""),
    ),
    case(
        "syntax",
        Text(
            "ReversiAI.hs",
            "opponent Black = White",
            "opponent Black = Wite",
        ),
        Broken("ghc exited with 1", "ReversiAI.hs:35:18: error:"),
    ),
    case(
        "unsafe",
        Text(
            "ReversiAI.hs",
            "import Reversi",
            "import Reversi\nimport System.IO.Unsafe",
        ),
        Broken(
            "with unsafe functions, which the course forbids",
            "ReversiAI.hs:5:1",
        ),
    ),
    case(
        "trustworthy",
        Text(
            "ReversiAI.hs",
            "module ReversiAI",
            "{-# LANGUAGE Trustworthy #-}\nmodule ReversiAI",
        ),
        Broken(
            "calls itself trustworthy or unsafe",
            "Incompatible Safe Haskell flags",
        ),
    ),
    case(
        "preprocessor",
        Text(
            "ReversiAI.hs",
            "module ReversiAI",
            "{-# OPTIONS_GHC -F -pgmF /bin/sh #-}\nmodule ReversiAI",
        ),
        Broken("sets the compiler option -F", ""),
    ),
    case(
        "flags",
        Text(
            "ReversiAI.hs",
            "module ReversiAI",
            "{-# OPTIONS_GHC -Wno-orphans -O1 #-}\n{-# LANGUAGE BangPatterns #-}\nmodule ReversiAI",
        ),
        Plays(""),
    ),
    case(
        "foreign",
        Text(
            "ReversiAI.hs",
            "import Reversi\n",
            "import Reversi\n\nforeign import ccall \"exit\" leave :: Int -> IO ()\n",
        ),
        Broken("ghc exited with 1", "parse error on input"),
    ),
    case(
        "package",
        Text(
            "ReversiAI.hs",
            "import Reversi",
            "import Reversi\nimport Data.Vector",
        ),
        Broken(
            "in a package that may be used; those are, besides base: array, binary",
            "Data.Vector",
        ),
    ),
    case(
        "nickname",
        Text("ReversiAI.hs", "your-nickname", "more-than-20-characters"),
        Broken("is too long; at most 20 ASCII characters are allowed", ""),
    ),
    case(
        "twenty",
        Text("ReversiAI.hs", "your-nickname", "exactly 20 letters!!"),
        Plays(""),
    ),
    case(
        "unseen",
        Text("ReversiAI.hs", "your-nickname", "red \\ESC[31m"),
        Broken(
            "nickname \"red \\ESC[31m\" has characters that cannot be seen",
            "",
        ),
    ),
    case(
        "blank",
        Text("ReversiAI.hs", "your-nickname", "  "),
        Plays(""),
    ),
    case(
        "umlaut",
        Text("ReversiAI.hs", "your-nickname", "Märta"),
        Broken("has characters outside ASCII", ""),
    ),
    case(
        "undefined",
        Text("ReversiAI.hs", "\"your-nickname\"", "undefined"),
        Broken("author or nickname raises an exception", "undefined"),
    ),
    case(
        "spelling",
        Name("ReversiAI.hs", "reversiAI.hs"),
        Broken("reversiAI.hs must be spelled ReversiAI.hs", ""),
    ),
];
