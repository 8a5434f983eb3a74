//! Lists of equal submissions, and sources for `JPlag`: for staff only.

use crate::support::{FIRST_LEGAL, Has, QUICK, Run, Scene, judge, read_csv};
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
    assert!(
        !ended.stdout.contains("the same sources"),
        "{}",
        ended.stdout
    );
    ended.says(&["1 pair of entrants submitted the same work: see "]);
    let table = scene.rows("staff/copies.csv");
    let [row] = table.as_slice() else {
        panic!("{table:?}");
    };
    assert_eq!(row.get("entrants"), "ann, bob");
    assert_eq!(
        row.get("same"),
        "the same sources, but for formatting and comments"
    );

    let report = |view: &str| {
        let out = scene.folder().join(view);
        let mut command = judge();
        command
            .arg("report")
            .arg(scene.out())
            .args(["--view", view]);
        let ended = command.arg("--out").arg(&out).ended().well();
        (out, ended.stdout)
    };
    let (staff, said) = report("staff");
    said.has(&["note: ann, bob submitted the same sources, but for formatting and comments"]);
    let copies = fs::read_to_string(staff.join("copies.csv")).expect("there");
    assert_eq!(read_csv(&copies).len(), 1);
    for name in ["ann", "bob", "eve"] {
        let source = format!("jplag/shell/submissions/{name}/bot.sh");
        assert!(staff.join(&source).is_file(), "{source}");
    }
    let readme = fs::read_to_string(staff.join("jplag/README.txt")).expect("there");
    let command = "java -jar jplag.jar --mode run -l text -p .sh -r shell/result shell/submissions";
    assert!(readme.contains(command), "{readme}");
    for view in ["public", "student"] {
        let (out, said) = report(view);
        assert!(!said.contains("the same sources"), "{said}");
        assert!(!out.join("jplag").exists() && !out.join("copies.csv").exists());
    }

    fs::remove_dir_all(scene.submissions().join("bob")).expect("writable");
    scene.run(QUICK).well();
    let table = scene.rows("staff/copies.csv");
    assert!(
        table.is_empty(),
        "who has withdrawn is not compared: {table:?}"
    );
}
