//! The blocks marked `console`. They run in the order of their page, in a new folder with the
//! examples. `$` begins a command, and the rest is its whole output. The block's mark may have the
//! last command's exit code. A block with `file=PATH` in its mark is a file that the reader saves.

use super::shown::shows;
use super::{Block, Chapter, blocks, chapters};
use crate::support::{Scene, program, root};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

const AT_ONCE: usize = 2;

#[test]
fn every_command_in_book_prints_what_page_shows() {
    let mut chapters = chapters();
    chapters.retain(|chapter| chapter.text.contains("\n```console"));
    assert!(chapters.len() > 4, "pages with commands");
    let next = AtomicUsize::new(0);
    let differences = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(chapter) = chapters.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(difference) = run(chapter) {
                        let mut all = differences.lock().expect("nobody panicked");
                        all.push(difference);
                    }
                }
            });
        }
    });
    let differences = differences.into_inner().expect("nobody panicked");
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

fn run(chapter: &Chapter) -> Result<(), String> {
    let scene = Scene::new();
    let folder = scene.folder().join("reader");
    let programs = scene.folder().join("programs");
    for new in [&folder, &programs] {
        fs::create_dir(new).expect("a new folder");
    }
    symlink(program(), programs.join("judge")).expect("a new link");
    symlink(root().join("examples"), folder.join("examples")).expect("a new link");
    symlink(root().join("templates"), folder.join("templates")).expect("a new link");
    for block in blocks(&chapter.text) {
        let mut words = block.info.split_whitespace();
        let language = words.next().unwrap_or_default();
        let file = words.clone().find_map(|word| word.strip_prefix("file="));
        if let Some(file) = file {
            save(&folder.join(file), &block.text);
        } else if language == "console" {
            let code = words.next().map_or(0, |code| code.parse().expect("a code"));
            play(&chapter.name, &block, code, &folder, &programs)?;
        }
    }
    Ok(())
}

fn save(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("below the folder")).expect("writable");
    fs::write(path, text).expect("a new file");
    if text.starts_with("#!") {
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("writable");
    }
}

/// Runs the commands of a block; `code` is the exit code of the last one, and the others succeed.
fn play(
    page: &str,
    block: &Block,
    code: i32,
    folder: &Path,
    programs: &Path,
) -> Result<(), String> {
    let steps: Vec<&str> = block.text.split("$ ").collect();
    assert_eq!(
        steps[0], "",
        "{page}: a console block begins with a command"
    );
    // A `$` begins a command only at the beginning of a line.
    let text = format!("\n{}", block.text);
    let steps: Vec<&str> = text.split("\n$ ").skip(1).collect();
    for (index, step) in steps.iter().enumerate() {
        let (command, shown) = step.split_once('\n').unwrap_or((step, ""));
        let path = std::env::var("PATH").expect("there is one");
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(format!("exec 2>&1\n{command}"));
        shell.env("PATH", format!("{}:{path}", programs.display()));
        shell.env("LC_ALL", "C.UTF-8").current_dir(folder);
        let output = shell.output().expect("it starts");
        let printed = String::from_utf8_lossy(&output.stdout);
        // The number of progress lines depends on the machine's speed.
        let is_progress = |line: &&str| line.contains(" games, ") && line.contains(" elapsed");
        let printed = printed.lines().filter(|line| !is_progress(line));
        let printed: String = printed.flat_map(|line| [line, "\n"]).collect();
        let expected = if index + 1 == steps.len() { code } else { 0 };
        let ended = output.status.code();
        if !shows(shown, &printed) || ended != Some(expected) {
            return Err(format!(
                "{page}: $ {command}\n--- the page shows, with exit code {expected}\n{shown}\n--- it printed, with {ended:?}\n{printed}"
            ));
        }
    }
    Ok(())
}
