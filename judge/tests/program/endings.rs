//! The ends of commands: short, and fit for the terminal.

use crate::support::snapshot::{self, Session};
use crate::support::{FIRST_LEGAL, LAST_LEGAL, QUICK, Scene, judge};

fn played(names: &[&str]) -> Scene {
    let scene = Scene::new();
    for name in names {
        scene.script(name, FIRST_LEGAL);
    }
    scene.script("zoe", LAST_LEGAL);
    scene.run(QUICK).well();
    scene
}

#[test]
fn views_name_their_folder_and_not_each_file() {
    let scene = played(&["ann", "bob"]);
    let mut session = Session::default();
    for view in ["public", "student", "staff"] {
        let mut report = judge();
        report.arg("report").arg(scene.out()).args(["--view", view]);
        let ended = session.run(&mut report);
        let lines = ended.stdout.lines().count();
        assert!(lines <= 20, "{lines} lines: {ended:?}");
        let name = format!("out-{view}");
        assert!(scene.folder().join(&name).is_dir(), "{name}");
    }
    let mut default = judge();
    session.run(default.arg("report").arg(scene.out()));
    session.run(judge().arg("grades").arg(scene.out()));
    session.compare("ending__views");
}

#[test]
fn everybody_is_listed_where_no_entrant_is_named() {
    let scene = Scene::of(["ann"]);
    scene.script("zoe", LAST_LEGAL);
    scene.sources("eve", &[("Cat.h", "class Cat"), ("Catcher.h", "")]);
    scene.run(QUICK).well();
    snapshot::compare("ending__everybody", judge().arg("explain").arg(scene.out()));
}
