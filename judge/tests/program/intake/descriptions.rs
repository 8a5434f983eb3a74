//! A `judge.toml` that describes how to build and run a submission.

use crate::support::skip::{MISSING, missing_program};
use crate::support::snapshot::Session;
use crate::support::{FIRST_LEGAL, QUICK, Scene};
use std::fs;
use std::os::unix::fs::MetadataExt;

/// Descriptions that the judge cannot follow.
const WRONG: &[(&str, &str)] = &[
    ("typo", "nmae = \"x\"\n"),
    ("no-run", "build = \"true\"\n"),
    ("nowhere", "run = \"./bot\"\n"),
    ("no-tool", "run = \"cobol bot\"\n"),
    ("outside", "run = \"../ann/bot\"\n"),
    (
        "fails",
        "build = \"printf '\\\\033[31mwhy\\\\033[0m\\\\n' >&2; exit 3\"\nrun = \"./bot\"\n",
    ),
    (
        "no-compiler",
        "build = \"TOOL build\"
run = \"./bot\"
",
    ),
    (
        "no-runtime",
        "run = \"TOOL bot\"
",
    ),
    ("makes-nothing", "build = \"true\"\nrun = \"./bot\"\n"),
    (
        "makes-link",
        "build = \"ln -s /bin/sh bot\"\nrun = \"./bot\"\n",
    ),
    (
        "links-folder",
        "build = \"ln -s /bin sub\"\nrun = \"./sub/sh\"\n",
    ),
    (
        "links-aside",
        "build = \"printf '#!/bin/sh\\n' > bot; ln -s /bin/sh aside\"\nrun = \"./bot\"\n",
    ),
    (
        "leaves-pipe",
        "build = \"printf '#!/bin/sh\\n' > bot; mkfifo pipe\"\nrun = \"./bot\"\n",
    ),
    (
        "leaves-name",
        "build = \"printf '#!/bin/sh\\n' > bot; mkdir $(printf 'x\\\\377')\"\nrun = \"./bot\"\n",
    ),
    (
        "makes-noise",
        "build = \"echo noise > bot\"\nrun = \"./bot\"\n",
    ),
];

#[test]
fn description_file_defines_build_and_run_commands() {
    let scene = Scene::new();
    scene.first_legal("ann");
    let made = "name = \"Made by a script\"\nnickname = \"made\"\nauthors = [\"A. Turing\"]\n\
                language = \"sh\"\nbuild = \"mkdir made && cp source made/program\"\n\
                run = \"./made/program\"\ntokens = 120\n";
    scene.sources("made", &[("source", FIRST_LEGAL), ("judge.toml", made)]);
    let through = "run = [\"sh\", \"-e\", \"plain.txt\"]\n";
    scene.sources(
        "through",
        &[("plain.txt", FIRST_LEGAL), ("judge.toml", through)],
    );
    let linked = "build = \"ln -s plain.txt bot; ln plain.txt hard\"\nrun = \"./bot\"\n";
    scene.sources(
        "linked",
        &[("plain.txt", FIRST_LEGAL), ("judge.toml", linked)],
    );
    let wraps = "build = \"cp plain.txt engine && chmod 700 engine\"\nrun = \"./start\"\n";
    let start = "#!/bin/sh\nexec ./engine\n";
    let files = [
        ("plain.txt", FIRST_LEGAL),
        ("start", start),
        ("judge.toml", wraps),
    ];
    scene.sources("wraps", &files);
    let tool = missing_program();
    for (name, text) in WRONG {
        let text = text.replace("TOOL", tool);
        scene.sources(name, &[("judge.toml", &text), ("notes", "x")]);
    }
    let mut session = Session::default();
    session.run(&mut scene.command(QUICK));
    session.rename(tool, MISSING);
    session.compare("run__descriptions");
    assert_eq!(scene.read("logs/build/fails.txt"), "why\n");
    let artifacts = fs::read_dir(scene.out().join("artifacts")).expect("it is there");
    let kept = artifacts.map(|entry| entry.expect("readable").path());
    let linked = kept.filter(|folder| folder.join("hard").exists());
    let linked: Vec<_> = linked.collect();
    assert_eq!(linked.len(), 1);
    for name in ["bot", "hard", "plain.txt"] {
        let meta = fs::symlink_metadata(linked[0].join(name)).expect("it is kept");
        assert!(
            meta.is_file() && meta.nlink() == 1,
            "{name} is a file of its own"
        );
    }
    assert_eq!(scene.ranked().len(), 5);
    scene.all_end_by_rules();
    let row = scene.row("submissions.csv", "made");
    for (column, cell) in [
        ("form", "described"),
        ("name", "Made by a script"),
        ("nickname", "made"),
        ("language", "sh"),
        // Any number could be written there, so it is compared with nobody's.
        ("tokens", ""),
    ] {
        assert_eq!(row.get(column), cell);
    }
    let tried = |name: &str| scene.read(&format!("versions/{name}.json"));
    assert!(tried("fails").contains("\"works\": false"));
    assert!(tried("no-compiler").contains("\"works\": null"));
    assert!(
        !scene.read("submissions.csv").contains("Turing"),
        "names are for staff"
    );
    assert!(scene.read("staff/identities.csv").contains("A. Turing"));
}
