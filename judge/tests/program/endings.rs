//! The ends of commands: short, and fit for the terminal.

use crate::support::snapshot::Session;
use crate::support::{QUICK, Scene};

#[test]
fn views_name_their_folder_and_not_each_file() {
    let scene = Scene::of_three_scripts();
    scene.run(QUICK).well();
    let mut session = Session::default();
    for view in ["public", "student", "staff"] {
        let ended = session.run(&mut scene.verb("report", &["--view", view]));
        let lines = ended.stdout.lines().count();
        assert!(lines <= 20, "{lines} lines: {ended:?}");
        let name = format!("out-{view}");
        assert!(scene.folder().join(&name).is_dir(), "{name}");
    }
    for verb in ["report", "grades"] {
        session.run(&mut scene.verb(verb, ""));
    }
    session.compare("ending__views");
}
