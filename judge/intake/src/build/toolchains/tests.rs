use super::*;
use std::fs;
use std::os::unix::fs::PermissionsExt;

fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let real = folder.path().canonicalize().expect("there");
    (folder, real)
}

fn script(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
    fs::write(path, format!("#!/bin/sh\n{text}\n")).expect("writable");
    fs::set_permissions(path, PermissionsExt::from_mode(0o755)).expect("writable");
}

fn in_path(folders: &[&Path]) -> Toolchains {
    let path = std::env::join_paths(folders).expect("no colons");
    Toolchains::new(Some(&path), &BTreeMap::new(), &[]).expect("nothing is named")
}

fn named(program: &str, folder: &Path) -> Result<Toolchains, String> {
    let folder = folder.display().to_string();
    let named = BTreeMap::from([(program.to_owned(), folder)]);
    Toolchains::new(None, &named, &[]).map_err(|error| error.to_string())
}

#[test]
fn compiler_in_path_opens_own_folder_through_links() {
    let (_kept, root) = folder();
    let compiler = root.join("versions/9.6.7/bin/ghc");
    script(&compiler, "echo The Compiler 9.6.7");
    let links = root.join("links");
    fs::create_dir(&links).expect("writable");
    std::os::unix::fs::symlink(&compiler, links.join("ghc")).expect("writable");
    let tools = in_path(&[&links]);
    let found = tools.find("ghc").expect("it is there");
    assert_eq!(found.path, compiler);
    let opened = found.opened.clone().expect("it lies elsewhere");
    let shown = |path: &Path| path.display().to_string();
    assert_eq!(opened.programs, shown(&root.join("versions/9.6.7/bin")));
    assert_eq!(opened.folders, [shown(&root.join("versions/9.6.7"))]);
    let version = tools.version_of("ghc", &found);
    assert_eq!(version.as_deref(), Some("The Compiler 9.6.7"));
    let opened = [opened];
    assert_eq!(tools.check(&opened), Ok(()));
    let elsewhere = Toolchains::default().check(&opened);
    let why = elsewhere.expect_err("it is not in PATH");
    assert!(why.contains("put that folder into PATH"), "{why}");
}

#[test]
fn folders_among_submissions_are_not_searched() {
    let (_kept, root) = folder();
    for place in ["submissions/alice/bin", "good/bin", "late"] {
        script(&root.join(place).join("ghc"), "echo 1");
    }
    let folders = [
        root.join("submissions/alice/bin"),
        PathBuf::from("bin"),
        PathBuf::new(),
        root.join("good/../good/bin"),
        root.join("none"),
    ];
    let path = std::env::join_paths(&folders).expect("no colons");
    let closed = [root.join("submissions")];
    let tools = Toolchains::new(Some(&path), &BTreeMap::new(), &closed).expect("nothing is named");
    assert!(tools.path.is_empty(), "{:?}", tools.path);
    let why: Vec<&str> = tools.distrusted().map(|(_, why)| why).collect();
    let [closed_place, relative @ ..] = &*why else {
        panic!("{why:?}")
    };
    assert_eq!(*closed_place, "is inside submissions or runs");
    assert_eq!(relative, ["is not an absolute path"; 3]);
    // The target of our own link is not run either.
    let (said, python) = (root.join("said"), root.join("submissions/alice/python3"));
    script(&python, &format!(": > {}", said.display()));
    std::os::unix::fs::symlink(&python, root.join("good/bin/python3")).expect("writable");
    let why = place(&root.join("good/bin/python3"), &closed).expect_err("it is alice's");
    assert!(why.ends_with("is inside submissions or runs"), "{why}");
    assert!(!said.exists());
    let why = named("ghc", &root.join("late")).expect_err("it is in no toolchain");
    assert!(why.contains("is not in a folder bin"), "{why}");
    for (folder, reason) in [
        (root.join("none"), "is not there"),
        (root.join("good"), "has no program ghc"),
    ] {
        let why = named("ghc", &folder).expect_err("wrong");
        let words = format!("[toolchains] ghc: {}: {reason}", folder.display());
        assert_eq!(why, words);
    }
}

#[test]
fn folder_named_for_program_serves_its_language_only() {
    let (_kept, root) = folder();
    for program in ["g++", "gcc", "node"] {
        script(&root.join("named/bin").join(program), "echo named");
    }
    script(&root.join("own/bin/node"), "echo own");
    let path = std::env::join_paths([root.join("own/bin")]).expect("no colons");
    let named = root.join("named/bin").display().to_string();
    let named = BTreeMap::from([("g++".to_owned(), named)]);
    let tools = Toolchains::new(Some(&path), &named, &[]).expect("it is there");
    let found = |name| tools.find(name).expect("it is there").path;
    assert_eq!(found("gcc"), root.join("named/bin/gcc"));
    assert_eq!(found("node"), root.join("own/bin/node"));
}

#[test]
fn folder_holding_more_than_toolchain_is_not_opened() {
    let (_kept, root) = folder();
    let refused = |folder: &Path| {
        let closed = [root.join("course/submissions")];
        check_prefix(folder, &closed).expect_err("it has more in it")
    };
    let more = "holds more than a toolchain, so submissions get no access to it";
    for folder in ["/", "/home", "/etc", "/var", "/tmp"] {
        assert_eq!(refused(Path::new(folder)), format!("{folder} {more}"));
    }
    if let Some(home) = std::env::var_os("HOME").map(PathBuf::from)
        && home.parent().is_some()
        && home.is_dir()
    {
        let home = home.canonicalize().expect("there");
        assert_eq!(refused(&home), format!("{} {more}", home.display()));
        let local = home.join(".local");
        assert_eq!(refused(&local), format!("{} {more}", local.display()));
    }
    let course = refused(&root.join("course"));
    assert!(course.contains("holds submissions or runs"), "{course}");
    fs::create_dir(root.join("tools")).expect("writable");
    assert_eq!(check_prefix(&root.join("tools"), &[]), Ok(()));
}

#[test]
fn virtual_environment_is_opened_with_its_python_name() {
    let (_kept, root) = folder();
    let venv = root.join("venv");
    let made = std::process::Command::new("/usr/bin/python3")
        .args(["-m", "venv", "--without-pip"])
        .arg(&venv)
        .status();
    if !made.is_ok_and(|status| status.success()) {
        // Debian has venv in a package of its own.
        return;
    }
    let bin = venv.join("bin");
    let tools = in_path(&[&bin, Path::new("/usr/bin")]);
    let found = tools.find("python3").expect("it is there");
    assert_eq!(found.path, bin.join("python3"));
    assert_eq!(found.folder(), venv.to_str());
    // As when the environment is in /opt and its base is not.
    let made_from = FoundProgram {
        opened: Some(OpenToolchain {
            programs: bin.display().to_string(),
            folders: vec!["/srv/python".to_owned()],
        }),
        ..found
    };
    assert_eq!(made_from.folder(), Some("/srv/python"));
    assert_eq!(made_from.shown_folder().as_deref(), venv.to_str());
    let without = in_path(&[Path::new("/usr/bin"), &bin]);
    let found = without.find("python3").expect("it is there");
    assert_eq!(found.opened, None, "the system's comes first");
}

#[test]
fn what_rustup_starts_is_found_where_it_lies() {
    let (_kept, root) = folder();
    let toolchain = root.join("toolchains/stable");
    script(&toolchain.join("bin/cargo"), "echo cargo 1");
    let shown = toolchain.display();
    script(&root.join("cargo/bin/rustup"), &format!("echo {shown}"));
    for name in ["rustc", "cargo", "rustfmt"] {
        let link = root.join("cargo/bin").join(name);
        std::os::unix::fs::symlink("rustup", link).expect("writable");
    }
    let tools = in_path(&[&root.join("cargo/bin")]);
    let found = tools.find("cargo").expect("it is there");
    assert_eq!(found.path, toolchain.join("bin/cargo"));
    assert_eq!(found.folder(), toolchain.to_str());
    assert!(place(&root.join("cargo/bin/rustfmt"), &[]).is_err());
}

#[test]
fn missing_program_is_found_in_shell_output() {
    let tools = Toolchains::default();
    // Debian 12 does not have this program, so scripts/honest installs it nowhere.
    let program = "julia";
    let missing = Some("julia is not installed; run: apt-get install julia".to_owned());
    // `⏎` is a line's end in the output, and `␍` a carriage return before it.
    for row in include_str!("said.txt").lines() {
        let (what, said) = row.split_once(" => ").expect("a row");
        let said = said.replace('⏎', "\n").replace('␍', "\r");
        let expected = missing.clone().filter(|_| what == "missing");
        assert_eq!(not_installed_in(&tools, &said), expected, "{said}");
    }
    assert_eq!(not_installed_in(&tools, ""), None);
    assert_eq!(lacks_program(&tools, program), missing);
}
