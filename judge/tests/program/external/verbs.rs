//! Every verb with a game of one's own.

use super::{clobber, python_game, verb};
use crate::support::snapshot::Session;
use crate::support::{Run, Scene, judge};
use std::fs;
use std::os::unix::fs::symlink;

fn text(path: &std::path::Path) -> &str {
    path.to_str().expect("UTF-8")
}

#[test]
fn run_keeps_its_game_for_every_verb() {
    let scene = Scene::new();
    let game = python_game(&scene, &fs::read_to_string(clobber()).expect("readable"));
    scene.first_legal("ann");
    scene.script("zoe", crate::support::LAST_LEGAL);
    let flags = ["--game", &game, "--states", "3", "--with", "random"];
    scene.run(&flags).well();
    let run = scene.out();
    let run = text(&run);
    // The files are gone; the run has its copy.
    fs::remove_file(&game).expect("writable");
    verb(&["verify", run]).well().says(&["nothing differs"]);
    verb(&["explain", run, "ann"]).well();
    verb(&format!("repro {run} 1 --live all")).well();
    let view = scene.folder().join("public");
    verb(&["report", run, "--view", "public", "--out", text(&view)]).well();
    assert!(
        fs::read_to_string(view.join("report.html"))
            .expect("a page")
            .contains("Clobber")
    );
    // Nothing in a folder that somebody published is executed.
    let without = verb(&["verify", text(&view)]);
    without.says(&["the games were not checked against their rules"]);
    without.refused(&["not verified, because no game was checked", "--game"]);
    python_game(&scene, &fs::read_to_string(clobber()).expect("readable"));
    let with = verb(&["verify", text(&view), "--game", &game]).well();
    assert!(
        !with.stdout.contains("not checked against"),
        "{}",
        with.stdout
    );
    scene.run(&flags).well();
    let changed = fs::read_to_string(&game).expect("readable") + "\n# changed\n";
    fs::write(&game, changed).expect("writable");
    let other = verb(&["verify", text(&view), "--game", &game]);
    other.says(&["not checked against"]);
}

#[test]
fn corrected_game_takes_over_games_it_plays_equally() {
    let scene = Scene::new();
    let original = fs::read_to_string(clobber()).expect("readable");
    let game = python_game(&scene, &original);
    scene.first_legal("ann");
    let run = scene.out();
    let play = |states: &str| {
        scene.run(&format!(
            "--game {game} --with random --seed 1 --states {states}"
        ))
    };
    play("2").well();
    let journal = || fs::read_to_string(run.join("journal.jsonl")).expect("a journal");
    let before = journal();
    let fewer_holes = original.replace(r#""holes": 4"#, r#""holes": 3"#);
    let shown_more = original.replace(
        r#""you": self.roles[seat]"#,
        r#""you": self.roles[seat], "me": seat"#,
    );
    let other_words = original.replace("cannot move\"", "is stuck\"");
    let other_draw = original.replace("rng.sample(range(", "rng.sample(range(1, ");
    let hidden = original.replace("information = \"perfect\"", "information = \"hidden\"");
    let version = original.replace("\"Clobber\", 1", "\"Clobber\", 2");
    for (changed, words) in [
        (fewer_holes, "config.holes was 4 and is now 3"),
        (shown_more, "differs: ply 0: expected seat 0"),
        (other_words, "differs: reason"),
        (other_draw, "it draws another initial state 0"),
        (hidden, "its moves that bots are shown differ"),
        (version, "began with version 1 of the rules"),
    ] {
        assert_ne!(changed, original, "{words}");
        fs::write(&game, changed).expect("writable");
        play("3").refused(&[words, "--out"]);
        assert_eq!(journal(), before, "{words}");
    }
    let mended = original.replace("who cannot move loses\"", "a player that is stuck loses\"");
    fs::write(&game, &mended).expect("writable");
    play("3")
        .well()
        .says(&["another version of the game", "keep their ids"]);
    assert!(journal().starts_with(&before));
    let manifest = fs::read_to_string(run.join("run.json")).expect("a manifest");
    assert!(manifest.contains("\"game_program\"") && manifest.contains("\"game_mended\": \""));
    verb(&["verify", text(&run)])
        .well()
        .says(&["nothing differs"]);
    // Neither version is compared again where it plays already.
    let again = play("3").well();
    assert!(
        !again.stderr.contains("another version"),
        "{}",
        again.stderr
    );
    fs::write(&game, &original).expect("writable");
    play("3").well();
    let manifest = fs::read_to_string(run.join("run.json")).expect("a manifest");
    assert!(manifest.contains("\"game_mended\": null"), "{manifest}");
}

#[test]
fn earlier_part_is_unmerged_and_regrade_keeps_both() {
    let scene = Scene::new();
    let original = fs::read_to_string(clobber()).expect("readable");
    let game = python_game(&scene, &original);
    scene.first_legal("ann");
    let (run, own) = (scene.out(), scene.submissions());
    let flags = format!("--game {game} --with random --seed 1");
    scene.run(&format!("{flags} --states 1")).well();
    let split = format!("split --submissions {} --out {}", text(&own), text(&run));
    let more = "--states 2 --parts 1";
    verb(&format!("{split} {flags} {more}")).well();
    let part = run.join("parts/part-1-of-1.part");
    let journal = scene.folder().join("part.jsonl");
    verb(&["part", text(&part), "--out", text(&journal)]).well();
    fs::write(&game, original + "# mended\n").expect("writable");
    verb(&format!("{split} {flags} {more}")).well();
    let merged = verb(&["merge", text(&run), text(&journal)]);
    assert!(
        format!("{}{}", merged.stdout, merged.stderr).contains("another version of the game"),
        "{merged:?}"
    );
    let lines = fs::read_to_string(run.join("journal.jsonl")).expect("a journal");
    assert_eq!(lines.matches("\"fixture\":").count(), 2);
    scene.run(&format!("{flags} --states 2")).well();
    let corrected = scene.folder().join("corrected");
    let regrade = ["regrade", text(&run), "ann", "--out", text(&corrected)];
    for _ in 0..2 {
        verb(&regrade).well();
        let manifest = fs::read_to_string(corrected.join("run.json")).expect("a manifest");
        assert!(manifest.contains("\"game_mended\": \""));
    }
}

#[test]
fn submission_is_checked_and_played_without_run() {
    let scene = Scene::new();
    scene.first_legal("ann");
    scene.script("zoe", crate::support::LAST_LEGAL);
    let game = clobber();
    let (ann, zoe) = (
        scene.submissions().join("ann"),
        scene.submissions().join("zoe"),
    );
    let game = text(&game);
    verb(&["check", text(&ann), "--game", game])
        .well()
        .says(&["ann is ready"]);
    verb(&[
        "match",
        text(&ann),
        text(&zoe),
        "--game",
        game,
        "--out",
        text(&scene.out()),
        "--states",
        "4",
    ])
    .well();
    let own = scene.submissions();
    let planned = scene.folder().join("planned");
    verb(&["plan", text(&own), "--game", game, "--out", text(&planned)]).well();
    verb(&format!("perft {game} --depth 2")).well();
    let made = scene.folder().join("made");
    verb(&["new", game, text(&made), "--lang", "python"]).well();
    verb(&["check", text(&made), "--game", game]).well();
    let own = scene.folder().join("own");
    verb(&["game", "new", text(&own)]).well();
    let mut check = judge();
    check.current_dir(scene.folder()).args(["check", "made"]);
    let ended = check.ended();
    ended.refused(&["check made --game PATH\n  (or ./own)"]);
    let protocol = fs::read_to_string(made.join("PROTOCOL.md")).expect("it was made");
    let (_, section) = protocol.split_once("\n## Clobber\n").expect("its section");
    let mut session = Session::default();
    session.show("made/PROTOCOL.md", section);
    session.compare("new__protocol_of_own_game");
}

#[test]
fn bot_names_external_game_in_current_folder() {
    let scene = Scene::new();
    let run = |words: &str, folder: &str| {
        let mut command = judge();
        command.current_dir(scene.folder().join(folder));
        command.args(words.split(' ')).ended()
    };
    let made = run("game new dominoes", "").well();
    made.says(&[" run bots --with random\n"]);
    let made = run("new dominoes bots/ann --lang python", "").well();
    assert!(made.stdout.ends_with("check bots/ann\n"), "{}", made.stdout);
    run("check bots/ann --states 1", "")
        .well()
        .says(&["run bots/ann --with random\n"]);
    run("play bots/ann builtin:random", "").well();
    let folder = scene.folder().join("bots");
    fs::create_dir(folder.join("bob")).expect("writable");
    fs::copy(folder.join("ann/bot.py"), folder.join("bob/bot.py")).expect("writable");
    run("match bots/ann bots/bob --states 2", "").well();
    run("plan bots", "").well();
    let ended = run("run bots --states 1", "").well();
    ended.says(&[
        "the rules are those in ./dominoes, which judge.toml names",
        "Dominoes: 2 submissions in bots",
    ]);
    // One that names another game does not play, and stops nobody.
    let describe = |bot: &str, game: &str| {
        fs::create_dir_all(folder.join(bot)).expect("writable");
        let text = format!("game = \"{game}\"\nrun = \"true\"\n");
        fs::write(folder.join(bot).join("judge.toml"), text).expect("writable");
    };
    describe("eve", "domino");
    run("run bots --states 1", "").says(&[
        "eve: does not play: is a submission for domino (game in its judge.toml), but the game here is dominoes",
    ]);
    run("check bots/eve", "").refused(&[
        "judge.toml names the game domino, which is neither built in nor a folder here with a game.toml; if it is a \
         game of your own, go to the folder around it, or name its file or folder:",
        "check bots/eve --game PATH\n  (or ./dominoes)",
    ]);
    let graded = run("check bots/eve --format gradescope", "");
    assert_eq!(graded.code, Some(4), "a result for the grader");
    graded.says(&["\"score\": 0.0", "names the game domino, which"]);
    describe("eve", "conect-four");
    run("check bots/eve", "").refused(&["conect-four (did you mean connect-four?)"]);
    // Our own failure is no fault of a submission.
    let rules = scene.folder().join("dominoes/game.py");
    let text = fs::read_to_string(&rules).expect("readable");
    fs::write(&rules, "import nothing_of_this_name\n").expect("writable");
    let failed = run("check bots/ann --format gradescope", "");
    assert_eq!((failed.code, &*failed.stdout), (Some(1), ""), "{failed:?}");
    fs::write(&rules, text).expect("writable");
    describe("eve", "conect-four");
    // A folder that was renamed has another game than its name says.
    fs::rename(
        scene.folder().join("dominoes"),
        scene.folder().join("conect-four"),
    )
    .expect("writable");
    run("check bots/eve", "").refused(&["the game in conect-four is called dominoes"]);
}

#[test]
fn game_among_submissions_is_refused() {
    let scene = Scene::new();
    let class = scene.submissions();
    verb(&["game", "new", text(&class.join("eve"))]).well();
    for name in ["ann", "bob"] {
        fs::create_dir(class.join(name)).expect("writable");
        let chosen = "game = \"eve\"\nrun = \"true\"\n";
        fs::write(class.join(name).join("judge.toml"), chosen).expect("writable");
    }
    symlink(class.join("eve"), scene.folder().join("eve")).expect("writable");
    let link = "eve, which is neither built in nor a folder here with a game.toml";
    let folder = "eve, but the folder eve here is among or beside the submissions, so a student may have written it; if \
                  you trust its rules, name it:";
    for (here, words, reported) in [
        (&*class, &["run", ".", "--with", "random"][..], folder),
        (&class, &["run", "ann", "bob"], folder),
        (&class, &["match", "ann", "bob"], folder),
        (&class, &["play", "ann", "builtin:random"], folder),
        (&class, &["check", "ann"], folder),
        (scene.folder(), &["run", "submissions"], link),
        (scene.folder(), &["check", "submissions/ann"], link),
    ] {
        let ended = judge().current_dir(here).args(words).ended();
        ended.refused(&[reported]);
    }
    fs::remove_file(scene.folder().join("eve")).expect("writable");
    verb(&["game", "new", text(&scene.folder().join("eve"))]).well();
    let mut command = judge();
    command.current_dir(scene.folder());
    command.args(["run", "submissions", "--with", "random"]);
    let ended = command.ended();
    ended.refused(&[folder, " --game ./eve"]);
}
