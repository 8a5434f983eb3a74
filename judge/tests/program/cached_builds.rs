//! The user's cache of programs: what is unchanged is not built again.

use crate::support::{FIRST_LEGAL, Run, Scene};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

const FLAGS: &str =
    "--game catch-the-cat --states 1 --set side=5 --with builtin:random --points-per-cpu-second 0";

/// Runs with the user's cache there. Returns when the program was built.
fn built(scene: &Scene, cache: &Path, flags: &str) -> String {
    let _ = fs::remove_dir_all(scene.out());
    let mut run = scene.command(&format!("{FLAGS} {flags}"));
    run.env("XDG_CACHE_HOME", cache).ended().well();
    let folders = fs::read_dir(scene.out().join("artifacts")).expect("there");
    let mut stamps = folders
        .filter_map(|folder| fs::read_to_string(folder.expect("valid").path().join("stamp")).ok());
    stamps.next().expect("it was built")
}

fn kept(cache: &Path) -> PathBuf {
    let entries = fs::read_dir(cache.join("judge/programs")).expect("there");
    let mut folders = entries.flatten().map(|entry| entry.path());
    folders.find(|path| path.is_dir()).expect("a program")
}

#[test]
fn unchanged_program_is_built_once_for_all_runs() {
    let scene = Scene::new();
    let cache = scene.folder().join("cache");
    let build = |more: &str| format!("echo built; date +%N > stamp{more}\n");
    let about = "build = [\"/bin/sh\", \"build.sh\"]\nrun = [\"/bin/sh\", \"bot\"]\n";
    scene
        .script("ann", FIRST_LEGAL)
        .put("ann/judge.toml", about);
    scene.put("ann/build.sh", build(""));
    let first = built(&scene, &cache, "");
    assert_eq!(built(&scene, &cache, ""), first);
    assert_ne!(built(&scene, &cache, "--no-cache"), first);

    let shorter_builds = "--set builds.wall_s=9";
    assert_ne!(built(&scene, &cache, shorter_builds), first, "other limits");
    scene.put("ann/build.sh", build("; true"));
    let changed = built(&scene, &cache, "");
    assert_ne!(changed, first);

    fs::remove_dir_all(cache.join("judge")).expect("writable");
    let again = built(&scene, &cache, "");
    fs::write(kept(&cache).join("stamp"), "forged").expect("writable");
    let mended = built(&scene, &cache, "");
    assert!(mended != again && mended != "forged");
    assert_eq!(built(&scene, &cache, ""), mended);
    let programs = cache.join("judge/programs");
    fs::set_permissions(programs, PermissionsExt::from_mode(0o777)).expect("writable");
    let anew = built(&scene, &cache, "");
    assert_ne!(anew, mended, "others could write there");
}
