//! Lists of equal submissions, and sources for `JPlag`: for staff only.

use crate::support::{FIRST_LEGAL, Has, QUICK, Scene, read_csv};
use std::fs;

#[test]
fn equal_sources_are_named_only_to_staff() {
    let scene = Scene::new();
    let about = ("judge.toml", "run = \"sh bot.sh\"\n");
    scene.sources("ann", &[about, ("bot.sh", FIRST_LEGAL)]);
    let dressed = format!("{}\n\n# mine\n", FIRST_LEGAL.replace("\n  ", "\n    "));
    scene.sources("bob", &[about, ("bot.sh", &dressed)]);
    let other = FIRST_LEGAL.replace("echo", "printf '%s\\n'");
    scene.sources("eve", &[about, ("bot.sh", &other)]);
    let ended = scene.run(QUICK).well();
    ended.stdout.lacks(&["the same sources"]);
    ended.says(&["1 pair of entrants submitted the same work: see "]);
    let same = "the same sources, but for formatting and comments";
    let table = scene.rows("staff/copies.csv");
    assert_eq!(table.len(), 1, "{table:?}");
    assert_eq!(table[0].get("entrants"), "ann, bob");
    assert_eq!(table[0].get("same"), same);

    let report = |view: &str| {
        let said = scene.judge(&format!("report out --view {view} --out {view}"));
        (scene.folder().join(view), said.stdout)
    };
    let (staff, said) = report("staff");
    said.has(&["note: ann, bob submitted the same sources, but for formatting and comments"]);
    assert_eq!(read_csv(&scene.text("staff/copies.csv")).len(), 1);
    for name in ["ann", "bob", "eve"] {
        let source = format!("jplag/shell/submissions/{name}/bot.sh");
        assert!(staff.join(&source).is_file(), "{source}");
    }
    let command = "java -jar jplag.jar --mode run -l text -p .sh -r shell/result shell/submissions";
    scene.text("staff/jplag/README.txt").has(&[command]);
    for view in ["public", "student"] {
        let (out, said) = report(view);
        said.lacks(&["the same sources"]);
        assert!(!out.join("jplag").exists() && !out.join("copies.csv").exists());
    }

    fs::remove_dir_all(scene.submissions().join("bob")).expect("writable");
    scene.run(QUICK).well();
    // Who has withdrawn is not compared.
    assert_eq!(scene.rows("staff/copies.csv").len(), 0);
}
