//! Submissions in git repositories that hang or are away.

use super::{PRACTICE, Watching, scene};
use crate::support::{LAST_LEGAL, commit, write_program};
use nix::sys::signal::Signal;
use std::fs;

#[test]
fn a_repository_that_hangs_holds_nobody_up() {
    let scene = scene(PRACTICE, "");
    let home = scene.folder().join("eve");
    let commit = |text: &str| commit(&home, "bot", text);
    commit(LAST_LEGAL);
    let list = format!("eve {}\nmal ssh://host/bot\n", home.display());
    scene.put("submissions.txt", list);
    let bin = scene.folder().join("bin");
    write_program(&bin.join("ssh"), "#!/bin/sh\nexec sleep 1000\n");
    let mut command = scene.command_by_secret("");
    command.env("PATH", format!("{}:/usr/bin:/bin", bin.display()));
    let mut watch = Watching::of(&scene, command);
    watch.says("6 of 6 games played");
    // The clock triggers the next look, and the next commit is the next version.
    commit(&format!("{LAST_LEGAL}# more\n"));
    watch.set_clock("2020-12-01T10:06:00Z");
    watch.says("eve: plays version 2");
    // An entrant whose repository is away keeps playing its last version.
    fs::rename(&home, home.with_extension("gone")).expect("writable");
    watch.set_clock("2020-12-01T10:12:00Z");
    watch.says("its last version stays in use, and judge will ask again");
    fs::rename(home.with_extension("gone"), &home).expect("writable");
    watch.set_clock("2020-12-01T12:00:00Z");
    watch.says("eve: its repository answers again");
    let stays = watch.read().matches("its last version stays").count();
    assert_eq!(stays, 1, "it is reported once");
    assert_eq!(scene.rows("standings.csv").len(), 3);
    watch.signal(Signal::SIGINT);
    assert_eq!(watch.ends(), Some(130), "{}", watch.read());
}
