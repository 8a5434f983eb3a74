//! Bots that run out of memory, and bots that do not.

use crate::support::{Has, Row, Scene};

/// A bot in Python; the part after it answers its first turn.
const PYTHON: &str = r#"#!/usr/bin/env python3
import os, sys
sys.stdin.readline()
print('{"ready":{}}', flush=True)
sys.stdin.readline()
"#;

fn agent(class: &str, body: &str) -> String {
    format!(
        "#pragma once\n#include \"IAgent.h\"\n#include <cstdlib>\n#include <cstring>\n#include <new>\n\
         struct {class} : public IAgent {{\n  std::pair<int, int> move(const std::vector<bool>& world, \
         std::pair<int, int> cat, int side) override {{\n    {body}\n    std::abort();\n  }}\n}};\n"
    )
}

/// Each plays against an honest bot with 128 MiB. The kit for C++ reports an allocation that fails,
/// and lets a bot catch it.
#[test]
fn memory_death_is_distinguished_from_crash() {
    let scene = Scene::of(["honest"]);
    let hoard = "hoard = []\nwhile True: hoard.append(bytearray(1 << 20))";
    scene.script("hoards", &format!("{PYTHON}{hoard}\n"));
    scene.script("aborts", &format!("{PYTHON}os.abort()\n"));
    scene.script("says-so", &format!("{PYTHON}sys.exit(251)\n"));
    let grows = "std::vector<int> v; for (int i = 0;; i++) v.push_back(i);";
    let malloc = "while (void* p = malloc(1 << 20)) memset(p, 1, 1 << 20);";
    let catches = "try { volatile char* p = new char[1ull << 40]; p[0] = 1; } catch (std::bad_alloc&) { exit(7); }";
    for (name, first, second) in [("fills", grows, malloc), ("catches", catches, catches)] {
        let [first, second] = [agent("Cat", first), agent("Catcher", second)];
        scene.sources(name, &[("Cat.h", &*first), ("Catcher.h", &*second)]);
    }
    let gauntlet = "game = \"catch-the-cat\"\nstates = 1\n[config]\nside = 5\n\
        [schedule]\nkind = \"gauntlet\"\nagainst = [\"honest\"]\n";
    scene.put("competition.toml", gauntlet);
    scene.run("--memory-mib 128 --turn-s 20").well();
    let games = scene.rows("games.csv");
    for (name, end, detail) in [
        ("hoards", "memory", "MiB of 128 MiB"),
        ("aborts", "crash", "MiB of 128 MiB"),
        ("says-so", "memory", "MiB of 128 MiB"),
        ("fills", "memory", ""),
        ("catches", "exit", ""),
    ] {
        let plays = |game: &&Row| [game.get("cat"), game.get("catcher")].contains(&name);
        let own: Vec<&Row> = games.iter().filter(plays).collect();
        assert_eq!(own.len(), 2, "{name}");
        for game in own {
            assert_eq!(game.cells("end,charged"), format!("{end},{name}"));
            game.get("detail").has(&[detail]);
        }
    }
    scene.read("logs/stderr/hoards.txt").has(&["MemoryError"]);
    scene.read("logs/stderr/fills.txt").has(&["out of memory"]);
}
