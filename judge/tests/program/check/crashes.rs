//! The check's findings about crashes in C++, and about turns and games without an end.

use super::{WRONG, check, checked};
use crate::support::{Ended, Scene, Wait, processes};
use nix::sys::signal::Signal;
use std::fs;
use std::process::Stdio;

const CAT: &str = "#include \"IAgent.h\"\n#include <stdexcept>\nstruct Cat : IAgent {\n  \
    std::pair<int,int> move(const std::vector<bool>& world, std::pair<int,int> at, int side) override {\n";
const CATCHER: &str = "#include \"IAgent.h\"\nstruct Catcher : IAgent {\n  \
    std::pair<int,int> move(const std::vector<bool>& w, std::pair<int,int> at, int side) override {\n    \
    for (int i = 0;; i++) if (!w[i]) return {i % side - side / 2, i / side - side / 2};\n  }\n};\n";

/// Checks a cat whose move has this code on the fifth line of its file.
fn cat(line: &str) -> Ended {
    let scene = Scene::new();
    let cat = format!("{CAT}    {line}\n  }}\n}};\n");
    scene.sources("ann", &[("Cat.h", &cat), ("Catcher.h", CATCHER)]);
    checked(&scene, "ann", "--states 1 --set side=5").exits(WRONG)
}

#[test]
fn the_line_that_crashes_is_shown() {
    const BUILT: &str = "built with -g -fsanitize=address,undefined and asked the same question: ";
    for (line, words) in [
        (
            "std::vector<int> v(3); v[1 << 28] = 1; return {v[1 << 28], 0};",
            "SEGV at Cat.h:5, in Cat::move",
        ),
        (
            "int* p = nullptr; if (side == 5) return {*p, 0}; return at;",
            "at Cat.h:5",
        ),
        (
            "throw std::runtime_error(\"no idea\");",
            "an exception that nobody catches, or abort() at Cat.h:5, in Cat::move",
        ),
    ] {
        let ended = cat(line);
        ended.says(&["WRONG (7 crash): Cat::move: ", BUILT, words]);
    }
}

#[test]
fn a_crash_in_a_library_is_told_with_the_line_that_called_it() {
    let ended = cat(
        "std::vector<int> v; for (int i = 0; i < 1 << 28; i++) v.pop_back(); return {v.back(), 0};",
    );
    ended.says(&[
        "fsanitize=address,undefined and asked the same question: ",
        "Cat.h:5",
    ]);
}

#[test]
fn the_first_interrupt_ends_a_check_also_in_a_turn_that_never_ends() {
    let scene = Scene::new();
    scene.script(
        "loops",
        "#!/bin/sh\nread l; echo '{\"ready\":{}}'; while :; do :; done\n",
    );
    let mut command = check(&scene, "loops", &["--game", "reversi"]);
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let child = child.expect("it starts");
    processes::worker_with_bot(child.id(), "bot");
    processes::signal(child.id().cast_signed(), Signal::SIGINT);
    let ended = child.ended().exits(130);
    assert!(
        ended
            .stderr
            .contains("judge: interrupted; to check again: "),
        "{ended:?}"
    );
    assert_eq!(ended.stdout, "");
}

/// A bot that takes three seconds for a turn and computes in none of them.
const LEISURELY: &str = r#"#!/usr/bin/env python3
import json, sys, time
for line in sys.stdin:
    message = json.loads(line)
    if "turn" in message:
        time.sleep(3)
        print(json.dumps({"move": message["turn"]["legal"][0]}), flush=True)
    elif "end" not in message:
        print('{"ready":{"legal_moves":true}}', flush=True)
"#;

#[test]
fn a_bot_whose_games_are_longer_than_the_check_is_not_called_wrong() {
    let scene = Scene::new();
    scene.script("ann", LEISURELY);
    let rules = "game = \"catch-the-cat\"\n[clock]\nidle_s = 600\n[bots]\nlifetime = \"game\"\n";
    let file = scene.folder().join("rules.toml");
    fs::write(&file, rules).expect("ours");
    let file = file.to_str().expect("UTF-8");
    let flags = ["--competition", file, "--seconds", "1"];
    let ended = checked(&scene, "ann", &flags).exits(1);
    let words = "not all sample games ended within 25 s, because the machine is busy or turns take long; give more time, as --seconds 100";
    assert!(ended.stderr.contains(words), "{ended:?}");
}
