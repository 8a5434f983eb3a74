//! The check's findings about crashes in C++, and about turns and games without an end.

use super::{WRONG, check, checked};
use crate::support::{Scene, Wait, processes};
use nix::sys::signal::Signal;
use std::process::Stdio;

const CAT: &str = "#include \"IAgent.h\"\n\nstruct Cat : IAgent {\n  \
    std::pair<int,int> move(const std::vector<bool>& world, std::pair<int,int> at, int side) override {\n    \
    std::vector<int> v(3); v[1 << 28] = 1; return {v[1 << 28], 0};\n  }\n};\n";
const CATCHER: &str = "#include \"IAgent.h\"\nstruct Catcher : IAgent {\n  \
    std::pair<int,int> move(const std::vector<bool>& w, std::pair<int,int> at, int side) override {\n    \
    for (int i = 0;; i++) if (!w[i]) return {i % side - side / 2, i / side - side / 2};\n  }\n};\n";

#[test]
fn the_line_that_crashes_is_shown() {
    let scene = Scene::new();
    scene.sources("ann", &[("Cat.h", CAT), ("Catcher.h", CATCHER)]);
    let ended = checked(&scene, "ann", "--states 1 --set side=5").exits(WRONG);
    ended.says(&[
        "WRONG (7 crash): Cat::move: crashes",
        "built with -g -fsanitize=address,undefined and asked the same question: SEGV at Cat.h:5, in Cat::move",
    ]);
}

#[test]
fn first_interrupt_ends_check_even_in_endless_turn() {
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
    ended.warns(&["judge: interrupted; to check again: "]);
    assert_eq!(ended.stdout, "");
}
