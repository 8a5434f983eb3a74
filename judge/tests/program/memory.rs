//! Bots that run out of memory, and bots that do not.

use crate::support::{Has, Row, Scene};

/// Plays each against an honest bot with 128 MiB. Returns the end of its games, and the detail.
fn verdicts(scene: &Scene, names: &[&str]) -> Vec<(String, String)> {
    scene.first_legal("honest");
    let flags = "--game catch-the-cat --states 1 --set side=5";
    let more = "--memory-mib 128 --turn-s 20";
    scene.run(&format!("{flags} {more}")).well();
    let games = scene.rows("games.csv");
    let verdict = |name: &&str| {
        let against = |game: &&Row| {
            let seats = [game.get("cat"), game.get("catcher")];
            seats.contains(name) && seats.contains(&"honest")
        };
        let own: Vec<_> = games.iter().filter(against).collect();
        assert_eq!(own.len(), 2, "{name}");
        let end = own[0].get("end").to_owned();
        assert_eq!(own[1].get("end"), end, "{name}");
        for game in &own {
            let charged = if end == "rules" { "" } else { name };
            assert_eq!(game.get("charged"), charged, "{name}");
        }
        (end, own[0].get("detail").to_owned())
    };
    names.iter().map(verdict).collect()
}

const PYTHON: &str = r#"#!/usr/bin/env python3
import os, sys
sys.stdin.readline()
print('{"ready":{}}', flush=True)
sys.stdin.readline()
"#;

#[test]
fn memory_death_is_distinguished_from_crash() {
    let scene = Scene::new();
    let hoard = "hoard = []\nwhile True: hoard.append(bytearray(1 << 20))";
    scene.script("hoards", &format!("{PYTHON}{hoard}\n"));
    scene.script("aborts", &format!("{PYTHON}os.abort()\n"));
    scene.script("says-so", &format!("{PYTHON}sys.exit(251)\n"));
    let names = ["hoards", "aborts", "says-so"];
    let ends = verdicts(&scene, &names);
    let causes: Vec<&str> = ends.iter().map(|(end, _)| end.as_str()).collect();
    assert_eq!(causes, ["memory", "crash", "memory"], "{ends:?}");
    for (_, detail) in &ends {
        detail.has(&["MiB of 128 MiB"]);
    }
    scene.read("logs/stderr/hoards.txt").has(&["MemoryError"]);
}

fn agent(class: &str, body: &str) -> String {
    format!(
        "#pragma once\n#include \"IAgent.h\"\n#include <cstdlib>\n#include <cstring>\n#include <new>\n\
         struct {class} : public IAgent {{\n  std::pair<int, int> move(const std::vector<bool>& world, \
         std::pair<int, int> cat, int side) override {{\n    {body}\n    std::abort();\n  }}\n}};\n"
    )
}

#[test]
fn cpp_kit_reports_failed_allocation_and_allows_catching() {
    let scene = Scene::new();
    let grows = "std::vector<int> v; for (int i = 0;; i++) v.push_back(i);";
    let malloc = "while (void* p = malloc(1 << 20)) memset(p, 1, 1 << 20);";
    let catches = "try { volatile char* p = new char[1ull << 40]; p[0] = 1; } catch (std::bad_alloc&) { exit(7); }";
    for (name, first, second) in [("fills", grows, malloc), ("catches", catches, catches)] {
        let [first, second] = [agent("Cat", first), agent("Catcher", second)];
        scene.sources(name, &[("Cat.h", &*first), ("Catcher.h", &*second)]);
    }
    let ends = verdicts(&scene, &["fills", "catches"]);
    let causes: Vec<&str> = ends.iter().map(|(end, _)| end.as_str()).collect();
    assert_eq!(causes, ["memory", "exit"], "{ends:?}");
    scene.read("logs/stderr/fills.txt").has(&["out of memory"]);
}
