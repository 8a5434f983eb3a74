//! What a course hands over beside programs: descriptions, git repositories and a roster.

use crate::support::skip::skipped;
use crate::support::snapshot::Session;
use crate::support::zips::zip;
use crate::support::{
    Ended, FIRST_LEGAL, LAST_LEGAL, QUICK, Scene, copy_folder, eventually, git, judge, processes,
};
use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, geteuid};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, lchown, symlink};
use std::process::Stdio;

/// Descriptions that cannot be followed.
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
        "build = \"ldc2 -O bot.d\"\nrun = \"./bot\"\n",
    ),
    ("no-runtime", "run = \"swipl bot.pl\"\n"),
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
        "makes-noise",
        "build = \"echo noise > bot\"\nrun = \"./bot\"\n",
    ),
];

#[test]
fn a_description_tells_how_a_submission_is_built_and_run() {
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
    for (name, text) in WRONG {
        scene.sources(name, &[("judge.toml", text), ("notes", "x")]);
    }
    let mut session = Session::default();
    session.run(&mut scene.command(QUICK));
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
    assert_eq!(scene.ranked().len(), 4);
    for game in scene.rows("games.csv") {
        assert_eq!(game.get("end"), "rules", "{game:?}");
    }
    let rows = scene.rows("submissions.csv");
    let row = rows
        .iter()
        .find(|row| row.get("entrant") == "made")
        .expect("it entered");
    for (column, cell) in [
        ("form", "described"),
        ("name", "Made by a script"),
        ("nickname", "made"),
        ("language", "sh"),
        ("tokens", "120"),
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

#[test]
fn a_roster_joins_identities_for_staff_only() {
    let scene = Scene::new();
    scene
        .first_legal("ann")
        .first_legal("bob")
        .file("eve.sh", FIRST_LEGAL, 0o755)
        .first_legal("ida");
    let roster = "\u{feff}Submission,ID,Name,Email,Section\r\nann/,s1,Ann Lee,ann@example.org,A\r\n\
                  eve.sh,s5,Eve Moe,eve@example.org,A\r\nida,,Ida Doe,ida@example.org,A\r\n\
                  bob,s2,Bob Ray,bob@example.org,B\r\nbob,s3,Ben Ray,ben@example.org,B\r\n\
                  zoe,s4,Zoe Poe,zoe@example.org,A\r\n";
    scene.file("roster.csv", roster, 0o644);
    let mut session = Session::default();
    session.run(&mut scene.command(QUICK));
    let rows = scene.rows("staff/identities.csv");
    let joined: Vec<[&str; 4]> = rows
        .iter()
        .map(|row| ["submission", "id", "email", "submitted"].map(|column| row.get(column)))
        .collect();
    assert_eq!(
        joined,
        [
            ["ann", "s1", "ann@example.org", "yes"],
            ["bob", "s2", "bob@example.org", "yes"],
            ["bob", "s3", "ben@example.org", "yes"],
            ["eve", "s5", "eve@example.org", "yes"],
            ["ida", "", "", "yes"],
            ["zoe", "s4", "zoe@example.org", "no"],
        ]
    );
    let mode = fs::metadata(scene.out().join("staff"))
        .expect("there")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o700);
    for file in [
        "standings.csv",
        "submissions.csv",
        "games.csv",
        "run.json",
        "journal.jsonl",
    ] {
        assert!(
            !scene.read(file).contains("example.org"),
            "{file} tells who it was"
        );
    }
    let other = scene.submissions().with_file_name("people.csv");
    fs::write(&other, "submission,id\nann,s1\n\nbob,s1\n").expect("ours");
    let path = other.display().to_string();
    let other_roster = [QUICK, &["--roster", &path]].concat();
    session.run(&mut scene.command(&other_roster));
    let ids = scene.rows("staff/identities.csv");
    assert!(ids.iter().all(|row| row.get("id").is_empty()), "{ids:?}");
    fs::write(&other, "name\nann\n").expect("ours");
    session.run(&mut scene.command(&other_roster));
    session.compare("run__rosters");
}

#[test]
fn several_places_are_put_together_and_no_name_may_be_in_two() {
    let scene = Scene::new();
    scene.first_legal("ann").first_legal("bob");
    let other = scene.folder().join("evening");
    fs::create_dir(&other).expect("new");
    let bot = other.join("cid.sh");
    fs::write(&bot, LAST_LEGAL).expect("ours");
    fs::set_permissions(&bot, fs::Permissions::from_mode(0o755)).expect("ours");
    fs::write(other.join("roster.csv"), "submission,id\ncid,s3\nann,s1\n").expect("ours");
    let place = other.display().to_string();
    let mut session = Session::default();
    let mut both = |more: &[&str]| {
        let flags = [QUICK, &["--submissions", &place], more].concat();
        session.run(&mut scene.command(&flags))
    };
    both(&[]);
    assert_eq!(scene.ranked().len(), 3);
    both(&["--submissions", &place]);
    fs::write(scene.submissions().join("roster.csv"), "submission,id\n").expect("ours");
    both(&[]);
    let named = other.join("roster.csv").display().to_string();
    both(&["--roster", &named]);
    fs::remove_file(scene.submissions().join("roster.csv")).expect("ours");
    fs::copy(&bot, other.join("bob.sh")).expect("with its mode");
    both(&[]);
    session.compare("run__several_places");
}

#[test]
fn a_students_name_in_another_place_stops_nobody() {
    if !geteuid().is_root() {
        skipped("root", "to make another user's files");
        return;
    }
    let scene = Scene::new();
    scene.first_legal("ann").first_legal("bob");
    let evening = scene.folder().join("evening");
    fs::create_dir(&evening).expect("new");
    let copy = evening.join("ann.sh");
    fs::write(&copy, FIRST_LEGAL).expect("ours");
    fs::set_permissions(&copy, fs::Permissions::from_mode(0o755)).expect("ours");
    chown(&copy, Some(54_321), None).expect("we are root");
    let place = evening.display().to_string();
    scene
        .run(&[QUICK, &["--submissions", &place]].concat())
        .well();
    let rows = scene.rows("submissions.csv");
    let plays: Vec<(&str, &str)> = rows
        .iter()
        .map(|row| (row.get("entrant"), row.get("plays")))
        .collect();
    assert_eq!(plays, [("ann", "yes"), ("ann.sh", "no"), ("bob", "yes")]);
}

#[test]
fn several_places_may_have_one_competition_and_not_two() {
    let scene = Scene::new();
    scene.first_legal("ann");
    let other = scene.folder().join("evening");
    fs::create_dir(&other).expect("new");
    let bot = other.join("bob");
    fs::write(&bot, LAST_LEGAL).expect("ours");
    fs::set_permissions(&bot, fs::Permissions::from_mode(0o755)).expect("ours");
    let text = "game = \"catch-the-cat\"\ntitle = \"Both\"\nstates = 1\n[config]\nside = 5\n";
    scene.file("competition.toml", text, 0o644);
    let mut run = judge();
    run.current_dir(scene.folder());
    run.args([
        "run",
        "--submissions",
        "submissions",
        "--submissions",
        "evening",
        "--seed",
        "1",
    ]);
    let mut session = Session::default();
    session.run(&mut run);
    let results = scene
        .folder()
        .join("results/catch-the-cat-submissions-evening");
    assert!(results.join("standings.csv").is_file());
    fs::write(other.join("competition.toml"), text).expect("ours");
    session.run(&mut run);
    fs::write(other.join("competition.toml"), text.replace("= 1", "= 2")).expect("ours");
    session.run(&mut run);
    session.compare("run__several_places_with_competitions");
}

#[test]
fn a_folder_of_a_repository_on_this_machine_is_a_submission() {
    let scene = Scene::new();
    scene.first_legal("ann");
    let home = scene.submissions().with_file_name("repository");
    fs::create_dir_all(home.join("hw2")).expect("new");
    git(&home, &["init", "--quiet"]);
    for (place, text) in [("hw2/bot", LAST_LEGAL), ("other", FIRST_LEGAL)] {
        let path = home.join(place);
        fs::write(&path, text).expect("ours");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("ours");
    }
    git(&home, &["add", "."]);
    git(&home, &["commit", "--quiet", "-m", "a version"]);
    let list =
        "eve ../repository HEAD hw2/\nfay ../repository HEAD hw3\ngus ../repository HEAD other\n";
    scene.file("submissions.txt", list, 0o644);
    let mut session = Session::default();
    session.run(&mut scene.command(QUICK));
    session.compare("run__folder_of_a_repository");
    assert_eq!(scene.ranked().len(), 2);
    let run = scene.read("run.json");
    assert!(run.contains(" hw2\""), "{run}");
    for game in scene.rows("games.csv") {
        assert_eq!(game.get("end"), "rules", "{game:?}");
    }
}

#[test]
fn a_competition_that_is_a_link_or_a_pipe_is_neither_followed_nor_waited_for() {
    let scene = Scene::new();
    scene.first_legal("ann").first_legal("bob");
    let place = scene.submissions().join("competition.toml");
    symlink("/etc/passwd", &place).expect("new");
    scene
        .run(&[])
        .refused(&["competition.toml", "regular file"]);
    fs::remove_file(&place).expect("ours");
    nix::unistd::mkfifo(&place, nix::sys::stat::Mode::S_IRWXU).expect("new");
    scene
        .run(&[])
        .refused(&["competition.toml", "regular file"]);
}

#[test]
fn a_strangers_link_leads_to_no_repository() {
    if !geteuid().is_root() {
        skipped("root", "to make another user's links");
        return;
    }
    let scene = Scene::new();
    scene.first_legal("ann").first_legal("bob");
    let home = scene.folder().join("repository");
    let bot = home.join("bot");
    fs::create_dir(&home).expect("new");
    git(&home, &["init", "--quiet"]);
    fs::write(&bot, LAST_LEGAL).expect("ours");
    fs::set_permissions(&bot, fs::Permissions::from_mode(0o755)).expect("ours");
    git(&home, &["add", "."]);
    git(&home, &["commit", "--quiet", "-m", "a version"]);
    fs::create_dir(scene.folder().join("inner")).expect("new");
    for (target, link) in [
        ("repository", "path"),
        (".", "above"),
        ("../repository/.git", "inner/.git"),
        ("repository", "ours"),
    ] {
        let place = scene.folder().join(link);
        symlink(target, &place).expect("new");
        if link != "ours" {
            lchown(&place, Some(65_534), None).expect("we are root");
        }
    }
    for (name, mode) in [("theirs", 0o755), ("open", 0o777)] {
        let place = scene.folder().join(name);
        copy_folder(&home, &place);
        fs::set_permissions(&place, fs::Permissions::from_mode(mode)).expect("ours");
    }
    chown(scene.folder().join("theirs"), Some(65_534), None).expect("we are root");
    // Inside, it can lead git to another repository's objects.
    copy_folder(&home, &scene.folder().join("inside"));
    let objects = scene.folder().join("inside/.git/objects");
    chown(objects, Some(65_534), None).expect("we are root");
    let hidden = scene.folder().join("hidden");
    git(
        scene.folder(),
        &["clone", "--quiet", "--bare", "repository", "hidden"],
    );
    fs::create_dir(hidden.join(".git")).expect("new");
    chown(hidden.join("refs"), Some(65_534), None).expect("we are root");
    // What git would take where nothing is.
    copy_folder(&home, &scene.folder().join("away.git"));
    let beside = scene.folder().join("away.git/.git/refs");
    chown(beside, Some(65_534), None).expect("we are root");
    copy_folder(&home, &scene.folder().join("elsewhere"));
    let place = scene.folder().join("elsewhere/.git");
    fs::rename(&place, scene.folder().join("git")).expect("ours");
    fs::write(&place, "gitdir: ../git\n").expect("ours");
    for (name, file, text) in [
        ("common", "commondir", "../../theirs/.git\n"),
        (
            "borrows",
            "objects/info/alternates",
            "/x/theirs/.git/objects\n",
        ),
        (
            "includes",
            "config",
            "[core][Include]path=../../theirs/config\n",
        ),
    ] {
        copy_folder(&home, &scene.folder().join(name));
        let place = scene.folder().join(name).join(".git").join(file);
        fs::write(&place, text).expect("ours");
    }
    let list = format!(
        "com ../common\nbor ../borrows\ninc ../includes\nliv ../hidden\nlou file://{0}/away\nlea ../inside\nmax ../elsewhere\njan ../theirs\nkim ../open\neve ../path\nfay file://{0}/path\ngus ../above/repository\nhal ../inner\nian ../ours\n",
        scene.folder().display()
    );
    scene.file("submissions.txt", list, 0o644);
    let mut session = Session::default();
    session.run(&mut scene.command(QUICK));
    session.compare("run__strangers_links_to_repositories");
    assert_eq!(scene.ranked().len(), 3);
}

#[test]
fn what_a_stranger_puts_beside_the_submissions_gives_staff_no_orders() {
    if !geteuid().is_root() {
        skipped("root", "to make another user's files");
        return;
    }
    let scene = Scene::new();
    scene.first_legal("ann").first_legal("bob");
    fs::set_permissions(scene.submissions(), fs::Permissions::from_mode(0o1777)).expect("ours");
    let theirs = |name: &str| {
        chown(scene.submissions().join(name), Some(65_534), None).expect("we are root");
    };
    scene.file("submissions.txt", "eve file:///home/staff/private\n", 0o644);
    scene.file("roster.csv", "submission,id,name\nann,1,Eve\n", 0o644);
    scene.file("competition.toml", "game = \"othello\"\n", 0o644);
    for name in ["submissions.txt", "roster.csv", "competition.toml"] {
        theirs(name);
    }
    let mut session = Session::default();
    session.run(&mut scene.command(&[]));
    fs::remove_file(scene.submissions().join("competition.toml")).expect("ours");
    // What is no file does not hold up the others either.
    fs::remove_file(scene.submissions().join("submissions.txt")).expect("ours");
    scene.sources("submissions.txt", &[("bot", FIRST_LEGAL)]);
    theirs("submissions.txt");
    scene.first_legal("eve");
    session.run(&mut scene.command(QUICK));
    session.compare("run__strangers_orders");
}

#[test]
fn repositories_of_a_list_are_fetched_and_their_commits_recorded() {
    let scene = Scene::new();
    scene.first_legal("ann");
    let home = scene.submissions().with_file_name("repository");
    fs::create_dir(&home).expect("new");
    git(&home, &["init", "--quiet"]);
    let bot = home.join("bot");
    let commit = |text: &str| {
        fs::write(&bot, text).expect("ours");
        fs::set_permissions(&bot, fs::Permissions::from_mode(0o755)).expect("ours");
        git(&home, &["add", "."]);
        git(&home, &["commit", "--quiet", "-m", "a version"]);
        git(&home, &["rev-parse", "HEAD"])
    };
    // What its author says of its files to git changes nothing.
    let attributes = "bot export-ignore filter=other ident\n*.crlf text eol=crlf\n";
    fs::write(home.join(".gitattributes"), attributes).expect("ours");
    let first = commit(FIRST_LEGAL);
    git(&home, &["tag", "v1"]);
    let hook = home.join(".git/hooks/post-checkout");
    fs::create_dir_all(hook.parent().expect("it has one")).expect("ours");
    fs::write(&hook, "#!/bin/sh\ntouch /tmp/judge-hook-was-here\n").expect("ours");
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).expect("ours");
    let second = commit(LAST_LEGAL);
    let url = format!("file://{}", home.display());
    let list =
        format!("# the course\nnew {url}\nold {url} v1\nexact {url} {first}\ngone {url} nowhere\n");
    scene.file("submissions.txt", &list, 0o644);
    let mut session = Session::default();
    session.run(&mut scene.command(QUICK));
    assert_eq!(scene.ranked().len(), 4);
    let run = scene.read("run.json");
    for origin in [format!("{url} {first}"), format!("{url} {second}")] {
        assert!(run.contains(&origin), "{origin} is not in {run}");
    }
    assert!(!fs::exists("/tmp/judge-hook-was-here").expect("readable"));

    commit(&format!("{FIRST_LEGAL}# third\n"));
    session.run(&mut scene.command(QUICK));

    fs::rename(&home, home.with_file_name("moved")).expect("ours");
    session.run(&mut scene.command(QUICK));

    let list = format!("new ext::sh%20-c%20id\nnobody\nold {url}\nold {url} v1\n");
    scene
        .file("submissions.txt", list, 0o644)
        .first_legal("bob");
    let ended = session.run(&mut scene.command(QUICK));
    session.compare("run__repositories");
    assert_eq!(scene.ranked().len(), 4, "{ended:?}");
}

#[test]
fn interrupts_while_repositories_are_fetched_leave_nothing() {
    let scene = Scene::new();
    let temporary = scene.folder().join("tmp");
    fs::create_dir(&temporary).expect("new");
    // A git that never ends, whatever it is asked.
    let bin = scene.folder().join("bin");
    fs::create_dir(&bin).expect("new");
    let pid_file = scene.folder().join("pid");
    let git = format!(
        "#!/bin/sh\ntrap '' INT TERM\necho $$ > {0}.new && mv {0}.new {0}\nwhile :; do sleep 1; done\n",
        pid_file.display()
    );
    fs::write(bin.join("git"), git).expect("ours");
    fs::set_permissions(bin.join("git"), fs::Permissions::from_mode(0o755)).expect("ours");
    scene.file("submissions.txt", "ann file:///nowhere\n", 0o644);
    let run = scene
        .command(QUICK)
        .env("TMPDIR", &temporary)
        .env("PATH", format!("{}:/usr/bin:/bin", bin.display()))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    eventually("git is called", || pid_file.exists());
    let leader = fs::read_to_string(&pid_file).expect("written");
    let leader = leader.trim().parse().expect("a number");
    let judge = Pid::from_raw(run.id().cast_signed());
    // The first one may end it already.
    kill(judge, Signal::SIGINT).expect("it lives");
    let _ = kill(judge, Signal::SIGTERM);
    let ended = Ended::of(run.wait_with_output().expect("it ends"));
    assert_eq!(ended.code, Some(130), "{ended:?}");
    eventually("git is gone", || !processes::runs(leader));
    let left: Vec<_> = fs::read_dir(&temporary).expect("there").collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_process_that_git_leaves_behind_holds_nobody_up() {
    let scene = Scene::new();
    let bin = scene.folder().join("bin");
    fs::create_dir(&bin).expect("new");
    let git = "#!/bin/sh\nsleep 600 &\necho $! >> PIDS\necho 'fatal: no' >&2\nexit 128\n";
    let pids = scene.folder().join("pids");
    let git = git.replace("PIDS", &pids.display().to_string());
    fs::write(bin.join("git"), git).expect("ours");
    fs::set_permissions(bin.join("git"), fs::Permissions::from_mode(0o755)).expect("ours");
    scene.first_legal("bob").first_legal("eve");
    scene.file("submissions.txt", "ann file:///nowhere\n", 0o644);
    let mut command = scene.command(QUICK);
    command.env("PATH", format!("{}:/usr/bin:/bin", bin.display()));
    let ended = Ended::of(command.output().expect("it starts")).well();
    ended.says(&["ann: does not play: file:///nowhere HEAD cannot be fetched: fatal: no"]);
    for pid in fs::read_to_string(&pids).expect("written").lines() {
        let pid = pid.parse().expect("a number");
        // It has gone with git's group.
        eventually("what git left is gone", || !processes::runs(pid));
    }
}

#[test]
fn two_submissions_of_one_name_are_refused_and_the_others_play() {
    let scene = Scene::new();
    scene
        .first_legal("ann")
        .first_legal("bob")
        .first_legal("eve")
        .file("eve.sh", FIRST_LEGAL, 0o755);
    let mut session = Session::default();
    let ended = session.run(&mut scene.command(QUICK));
    session.compare("run__two_of_one_name");
    assert_eq!(scene.ranked().len(), 2, "{ended:?}");
}

#[test]
fn a_missing_git_names_its_package() {
    let scene = Scene::new();
    scene.first_legal("ann");
    scene.file("submissions.txt", "bob file:///nowhere\n", 0o644);
    let mut command = scene.command(QUICK);
    let mut session = Session::default();
    session.run(command.env("PATH", "/nowhere"));
    session.compare("run__no_git");
}

#[test]
fn what_a_run_has_made_is_no_submission() {
    let scene = Scene::new();
    scene.first_legal("ann").first_legal("bob");
    let inside = scene.submissions().join("results/reversi");
    let run = || {
        let mut command = judge();
        command
            .arg("run")
            .arg("--submissions")
            .arg(scene.submissions())
            .arg("--out")
            .arg(&inside)
            .args(QUICK)
            .args(["--seed", "1"]);
        command
    };
    Ended::of(run().output().expect("it starts")).well();
    // One may also lie in what somebody hands in.
    let copy = scene.submissions().join("ann/run");
    fs::create_dir(&copy).expect("new");
    for name in ["run.json", "journal.jsonl"] {
        fs::copy(inside.join(name), copy.join(name)).expect("there");
    }
    let mut session = Session::default();
    session.run(&mut run());
    session.compare("run__results_are_no_submission");
}

#[test]
fn a_submission_that_looks_like_a_run_gets_a_row_and_a_reason() {
    let scene = Scene::new();
    scene.first_legal("ann").first_legal("bob");
    scene.sources("eve", &[("run.json", "{}"), ("journal.jsonl", "")]);
    let mut session = Session::default();
    session.run(&mut scene.command(QUICK));
    session.compare("run__submission_like_a_run");
    let rows = scene.rows("submissions.csv");
    assert!(rows.iter().any(|row| row.get("entrant") == "eve"));
}

#[test]
fn names_that_look_alike_are_told_apart_and_nobody_takes_that_of_a_built_in_bot() {
    let scene = Scene::new();
    let alike = [
        "honest1",
        "һonest1",
        "honest1\u{a0}",
        "honest1\u{3164}",
        "h\u{e0068}onest1",
    ];
    for name in alike.iter().chain(&["Зоя", "buiItin꞉random"]) {
        scene.script(name, &format!("{FIRST_LEGAL}# {name}\n"));
    }
    let mut session = Session::default();
    session.run(&mut scene.command(QUICK));
    session.compare("run__names_that_look_alike");
    let rows = scene.rows("submissions.csv");
    let mut names: Vec<&str> = rows.iter().map(|row| row.get("entrant")).collect();
    names.sort_unstable();
    let told = [
        "\\u{4bb}onest1",
        "buiItin\\u{a789}random",
        "h\\u{e0068}onest1",
        "honest1",
        "honest1\\u{3164}",
        "honest1\\u{a0}",
        "Зоя",
    ];
    assert_eq!(names, told);
}

#[test]
fn a_later_look_alike_leaves_the_first_its_name_its_versions_and_its_games() {
    let scene = Scene::new();
    scene.first_legal("ann").first_legal("jоse");
    scene.run(QUICK).well();
    let games = scene.read("games.csv");
    // A plain name and another one, in Cyrillic, that look like the second.
    scene.script("jose", &format!("{FIRST_LEGAL}# plain\n"));
    scene.script("josе", &format!("{FIRST_LEGAL}# late\n"));
    let mut session = Session::default();
    for _ in 0..2 {
        session.run(&mut scene.command(QUICK));
        let rows = scene.rows("submissions.csv");
        let version = rows.iter().find(|row| row.get("entrant") == "jоse");
        let version = version.map(|row| (row.get("plays"), row.get("version")));
        assert_eq!(version, Some(("yes", "1")));
    }
    session.compare("run__later_look_alikes");
    let now = scene.read("games.csv");
    // The games' numbers follow the schedule, which has more games now.
    let of_both = |text: &str| -> BTreeSet<String> {
        let lines = text.lines().filter_map(|line| line.split_once(','));
        let own = lines.filter(|(_, game)| game.contains("jоse") && game.contains("ann"));
        own.map(|(_, game)| game.to_owned()).collect()
    };
    assert!(!of_both(&games).is_empty());
    assert_eq!(of_both(&now), of_both(&games));
}

#[test]
fn a_path_elsewhere_gets_one_answer_whether_or_not_something_is_there() {
    let scene = Scene::new();
    scene.first_legal("ann").first_legal("bob");
    let there = scene.folder().join("there");
    fs::copy("/bin/sh", &there).expect("ours");
    let there = there.display().to_string();
    let detour = format!("/usr/bin/../..{there}");
    for (name, path) in [("there", &*there), ("gone", "/no/such"), ("up", &detour)] {
        scene.script(&format!("script-{name}"), &format!("#!{path}\n"));
        let run = format!("run = \"{path}\"\n");
        scene.sources(&format!("run-{name}"), &[("judge.toml", &run)]);
        let build = format!("build = [\"{path}\"]\nrun = \"./bot\"\n");
        scene.sources(&format!("build-{name}"), &[("judge.toml", &build)]);
    }
    let shell = "run = [\"/bin/sh\", \"plain.txt\"]\n";
    scene.sources(
        "shell",
        &[("plain.txt", FIRST_LEGAL), ("judge.toml", shell)],
    );
    let mut session = Session::default();
    session.run(&mut scene.command(QUICK));
    session.compare("run__paths_elsewhere");
}

#[test]
fn what_belongs_beside_submissions_is_not_told_as_passed_over() {
    let scene = Scene::new();
    scene.first_legal("ann").first_legal("bob");
    for name in ["README.md", "competition.toml", "notes"] {
        fs::write(scene.submissions().join(name), "").expect("a new file");
    }
    let mut session = Session::default();
    session.run(&mut scene.command(QUICK));
    session.compare("run__files_beside_submissions");
}

#[test]
fn a_roster_is_found_beside_a_zip_of_everything() {
    let scene = Scene::new();
    let whole = zip(&[
        ("ann/bot", FIRST_LEGAL, 0o755),
        ("bob/bot", LAST_LEGAL, 0o755),
    ]);
    scene.file("all.zip", whole, 0o644);
    scene.file("roster.csv", "submission,id\nann,s1\n", 0o644);
    let mut command = judge();
    command
        .arg("run")
        .arg("--submissions")
        .arg(scene.submissions().join("all.zip"))
        .arg("--out")
        .arg(scene.out())
        .args(QUICK)
        .args(["--seed", "1"]);
    let mut session = Session::default();
    session.run(&mut command);
    session.compare("run__roster_beside_a_zip");
}
