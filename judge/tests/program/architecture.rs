//! ARCHITECTURE.md names every crate with its dependencies, and no file that does not exist.

use crate::support::{all_below, root, source};
use std::collections::BTreeSet;
use std::fs;

const CRATES: [&str; 11] = [
    "engines",
    "judge/model",
    "judge/rulebook",
    "judge/referee",
    "judge/system",
    "judge/store",
    "judge/sandbox",
    "judge/intake",
    "judge/report",
    "judge/run",
    "judge",
];

/// Names that modules must not use. No Cargo.toml can forbid them.
const FORBIDDEN: [(&str, &[&str]); 6] = [
    // A submission goes from room to room, and never back.
    ("judge/intake/src/read", &["crate::who", "crate::build"]),
    ("judge/intake/src/who", &["crate::build"]),
    ("judge/referee/src/verify", &["crate::table"]),
    ("judge/referee/src/table", &["crate::verify"]),
    // A part is a stranger's file.
    (
        "judge/store/src/parts",
        &["File::open", "fs::read", "OpenOptions"],
    ),
    // No verdict depends on the time of day.
    ("judge/run/src/play", &["SystemTime", "thread::spawn"]),
];

fn name_of(folder: &str) -> &str {
    folder.rsplit('/').next().expect("split gives one at least")
}

fn depends(folder: &str) -> BTreeSet<String> {
    let text = source(&format!("{folder}/Cargo.toml"));
    let file: toml::Table = toml::from_str(&text).expect("TOML");
    let names = file["dependencies"].as_table().expect("a table").keys();
    let ours = |name: &&String| CRATES.iter().any(|folder| name_of(folder) == *name);
    names.filter(ours).cloned().collect()
}

#[test]
fn crates_and_dependencies_match_architecture_map() {
    let map = source("ARCHITECTURE.md");
    for folder in CRATES {
        let mut arrows = map.lines().filter_map(|line| line.split_once(" → "));
        let drawn = arrows.find(|(name, _)| name.trim() == folder);
        let (_, rest) = drawn.unwrap_or_else(|| panic!("{folder} is not drawn"));
        let named = rest.split("  ").next().expect("split gives one at least");
        if named == "all of them" {
            assert_eq!(depends(folder).len(), CRATES.len() - 1, "{folder}");
            continue;
        }
        let named: BTreeSet<String> = named.split_whitespace().map(str::to_owned).collect();
        assert_eq!(named, depends(folder), "{folder}");
    }
    let workspace: toml::Table = toml::from_str(&source("Cargo.toml")).expect("TOML");
    let members = workspace["workspace"]["members"].as_array();
    assert_eq!(members.expect("a list").len(), CRATES.len());
}

#[test]
fn modules_do_not_name_forbidden_modules() {
    for (folder, forbidden) in FORBIDDEN {
        let mut paths = all_below(&root().join(folder));
        paths.retain(|path| path.extension() == Some("rs".as_ref()) && !path.ends_with("tests.rs"));
        for path in paths {
            let text = fs::read_to_string(&path).expect("readable");
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            for name in forbidden {
                assert!(!code.contains(name), "{} has {name}", path.display());
            }
        }
    }
}
