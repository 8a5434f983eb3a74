//! Git repositories as submissions.

use crate::support::skip::skipped;
use crate::support::snapshot::Session;
use crate::support::{
    FIRST_LEGAL, Has, LAST_LEGAL, QUICK, Run, Scene, Wait, commit, eventually, executable, git,
    processes,
};
use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, geteuid};
use std::fs;
use std::os::unix::fs::{chown, symlink};
use std::process::Command;

#[test]
fn listed_repositories_are_fetched_and_commits_recorded() {
    let scene = Scene::of(["ann"]);
    let home = scene.folder().join("repository");
    let commit = |text: &str| commit(&home, "bot", text);
    // The author's git attributes change nothing.
    let attributes = "bot export-ignore filter=other ident\n*.crlf text eol=crlf\n";
    scene.write("repository/.gitattributes", attributes);
    let first = commit(FIRST_LEGAL);
    git(&home, &["tag", "v1"]);
    let hook = home.join(".git/hooks/post-checkout");
    executable(&hook, "#!/bin/sh\ntouch /tmp/judge-hook-was-here\n");
    let second = commit(LAST_LEGAL);
    let url = format!("file://{}", home.display());
    let list =
        format!("# the course\nnew {url}\nold {url} v1\nexact {url} {first}\ngone {url} nowhere\n");
    scene.put("submissions.txt", &list);
    let mut session = Session::default();
    session.run(&mut scene.command(QUICK));
    assert_eq!(scene.ranked().len(), 4);
    let run = scene.read("run.json");
    run.has(&[&format!("{url} {first}"), &format!("{url} {second}")]);
    assert!(!fs::exists("/tmp/judge-hook-was-here").expect("readable"));

    commit(&format!("{FIRST_LEGAL}# third\n"));
    session.run(&mut scene.command(QUICK));

    fs::rename(&home, home.with_file_name("moved")).expect("writable");
    session.run(&mut scene.command(QUICK));

    let list = format!("new ext::sh%20-c%20id\nnobody\nold {url}\nold {url} v1\n");
    scene.put("submissions.txt", list).first_legal("bob");
    let ended = session.run(&mut scene.command(QUICK));
    session.compare("run__repositories");
    assert_eq!(scene.ranked().len(), 4, "{ended:?}");
}

#[test]
fn repository_folder_plays_and_unfetched_costs_no_grade() {
    let scene = Scene::of(["ann", "bob"]);
    let full = scene.folder().join("full");
    commit(&full, "other", FIRST_LEGAL);
    commit(&full, "hw2/bot", LAST_LEGAL);
    let empty = scene.folder().join("empty");
    fs::create_dir(&empty).expect("new");
    git(&empty, &["init", "--quiet"]);
    let here = scene.folder().display();
    let list = format!(
        "away file://{here}/away\nlost ../no-such-folder\nnone {here}/empty\ntag {here}/full final\n"
    );
    let folders = "eve ../full HEAD hw2/\nfay ../full HEAD hw3\ngus ../full HEAD other\n";
    scene.put("submissions.txt", list + folders);
    let text = "game = \"catch-the-cat\"\n[config]\nside = 5\n[scoring.grades]\n\
        steps = [{ at_least = 0, grade = \"5\" }]\notherwise = \"4\"\ndisqualified = \"3\"\n\
        not_playing = \"3\"\n";
    scene.put("competition.toml", text);
    let people = ["ann", "away", "lost", "none", "tag"].map(|name| format!("{name},{name}\n"));
    let roster = format!("submission,id\n{}", people.concat());
    scene.put("roster.csv", roster);
    let has_no_folder = |name: &str, folder: &str| {
        let head = format!("file://{here}/full HEAD");
        format!("  {name}: does not play: cannot fetch {head}: it has no folder {folder}\n")
    };
    scene.run("--states 1").well().says(&[
        "ignored: none (cannot fetch file://",
        "HEAD: it has no commit, so nothing was submitted)",
        "  away: does not play: judge error: cannot fetch file://",
        "  lost: does not play: judge error: cannot fetch file://",
        "  tag: does not play: cannot fetch file://",
        &has_no_folder("fay", "hw3"),
        &has_no_folder("gus", "other"),
        "on the roster, but no submission: none",
    ]);
    assert_eq!(scene.ranked().len(), 3);
    assert_ne!(scene.artifact("eve"), scene.artifact("ann"), "the folder's");
    scene.read("run.json").has(&[" hw2\""]);
    scene.all_end_by_rules();
    let why =
        "no value, because the judge could not play the submission, through no fault of its own";
    let grades = scene.does("grades", "--format csv");
    grades.says(&[&format!("away: {why}"), &format!("lost: {why}")]);
    let rows = scene.rows("staff/grades.csv");
    let values = rows.iter().map(|row| (row.get("id"), row.get("value")));
    let values: Vec<(&str, &str)> = values.filter(|(id, _)| *id != "ann").collect();
    let rest = [("away", ""), ("lost", ""), ("none", ""), ("tag", "3")];
    assert!(rest.iter().all(|one| values.contains(one)), "{values:?}");
}

#[test]
fn a_repository_of_another_user_is_not_read() {
    if !geteuid().is_root() {
        skipped("root", "to make another user's repository");
        return;
    }
    let scene = Scene::of(["ann", "bob"]);
    let home = scene.folder().join("repository");
    commit(&home, "bot", LAST_LEGAL);
    symlink("repository", scene.folder().join("link")).expect("new");
    for place in ["", ".git"] {
        chown(home.join(place), Some(65_534), None).expect("we are root");
    }
    scene.put("submissions.txt", "eve ../repository\nmal ../link\n");
    let why = "HEAD: another user owns it; clone it into a folder of your own";
    let eve = "eve: does not play: judge error: cannot fetch file://";
    let eve = format!("{eve}{} {why}", home.display());
    scene
        .run(QUICK)
        .well()
        .says(&[&eve, &format!("link {why}")]);
}

#[test]
fn interrupts_while_repositories_are_fetched_leave_nothing() {
    let scene = Scene::new();
    let temporary = scene.folder().join("tmp");
    fs::create_dir(&temporary).expect("new");
    // A git that never ends, with any arguments.
    let bin = scene.folder().join("bin");
    let pid_file = scene.folder().join("pid");
    let git = format!(
        "#!/bin/sh\ntrap '' INT TERM\necho $$ > {0}.new && mv {0}.new {0}\nwhile :; do sleep 1; done\n",
        pid_file.display()
    );
    executable(&bin.join("git"), &git);
    scene.put("submissions.txt", "ann file:///nowhere\n");
    let mut run = scene.command(QUICK);
    run.env("PATH", format!("{}:/usr/bin:/bin", bin.display()));
    let run = run.env("TMPDIR", &temporary).piped();
    eventually("git is called", || pid_file.exists());
    let leader = fs::read_to_string(&pid_file).expect("written");
    let leader = leader.trim().parse().expect("a number");
    let judge = Pid::from_raw(run.id().cast_signed());
    // The first one may end it already.
    kill(judge, Signal::SIGINT).expect("it lives");
    let _ = kill(judge, Signal::SIGTERM);
    run.ended().exits(130);
    eventually("git is gone", || !processes::runs(leader));
    let left: Vec<_> = fs::read_dir(&temporary).expect("there").collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn run_follows_no_list_of_a_student() {
    let scene = Scene::new();
    scene.put("submissions.txt", "eve /home/staff/private\n");
    let ended = scene.here("run submissions --game catch-the-cat").ended();
    ended.refused(&["so none of its repositories is fetched"]);
}

#[test]
fn mutually_containing_folders_cost_bounded_memory() {
    // Ten million files in eight trees and commits. Long names fill memory soon.
    const SCRIPT: &str = "tree=$(git rev-parse 'HEAD^{tree}')
        for level in 1 2 3 4 5 6 7; do
            tree=$(for n in 0 1 2 3 4 5 6 7 8 9; do printf '040000 tree %s\\td%0240d\\n' $tree $n; done | git mktree)
        done
        echo $tree";
    let scene = Scene::of(["ann", "bob"]);
    let home = scene.folder().join("bomb");
    commit(&home, "bot", FIRST_LEGAL);
    let mut made = Command::new("sh");
    let tree = made.args(["-ec", SCRIPT]).current_dir(&home).ended().well();
    let commit = git(&home, &["commit-tree", tree.stdout.trim(), "-m", "a bomb"]);
    git(&home, &["reset", "--quiet", "--soft", &commit]);
    scene.put("submissions.txt", "mal ../bomb\n");
    let ended = scene.run(QUICK).well();
    ended.says(&["mal: does not play: cannot fetch ", "MiB of memory for it"]);
    assert_eq!(scene.ranked().len(), 2);
}
