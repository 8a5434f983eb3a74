//! Every verb with a game of one's own.

use super::{CLOBBER, clobber_text, python_game};
use crate::support::snapshot::Session;
use crate::support::{Has, LAST_LEGAL, Run, Scene, judge, root};
use std::fs;
use std::os::unix::fs::symlink;

#[test]
fn run_keeps_its_game_for_every_verb() {
    let scene = Scene::new();
    let game = python_game(&scene, &clobber_text());
    scene.first_legal("ann").script("zoe", LAST_LEGAL);
    let flags = ["--game", &game, "--states", "3", "--with", "random"];
    scene.run(&flags).well();
    // The files are gone; the run has its copy.
    fs::remove_file(&game).expect("writable");
    scene.does("verify", "").says(&["nothing differs"]);
    scene.does("explain", "ann");
    scene.does("repro", "1 --live all");
    scene.view("public", "public");
    scene.text("public/report.html").has(&["Clobber"]);
    // Nothing in a folder that somebody published is executed.
    let without = scene.here("verify public").ended();
    without.says(&["the games were not checked against their rules"]);
    without.refused(&["not verified, because no game was checked", "--game"]);
    python_game(&scene, &clobber_text());
    let verify = format!("verify public --game {game}");
    let with = scene.judge(&verify);
    with.stdout.lacks(&["not checked against"]);
    scene.run(&flags).well();
    python_game(&scene, &(clobber_text() + "\n# changed\n"));
    let other = scene.here(&verify).ended();
    other.says(&["not checked against"]);
}

#[test]
fn corrected_game_takes_over_games_it_plays_equally() {
    let scene = Scene::new();
    let original = clobber_text();
    let game = python_game(&scene, &original);
    scene.first_legal("ann");
    let flags = format!("--game {game} --with random --seed 1 --states");
    let play = |states: u32| scene.run(&format!("{flags} {states}"));
    play(2).well();
    let journal = || scene.read("journal.jsonl");
    let before = journal();
    let fewer_holes = original.replace(r#""holes": 4"#, r#""holes": 3"#);
    let shown = r#""you": self.roles[seat]"#;
    let shown_more = original.replace(shown, r#""you": self.roles[seat], "me": seat"#);
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
        python_game(&scene, &changed);
        play(3).refused(&[words, "--out"]);
        assert_eq!(journal(), before, "{words}");
    }
    let mended = original.replace("who cannot move loses\"", "a player that is stuck loses\"");
    python_game(&scene, &mended);
    let words = ["another version of the game", "keep their ids"];
    play(3).well().says(&words);
    assert!(journal().starts_with(&before));
    let manifest = scene.read("run.json");
    manifest.has(&["\"game_program\"", "\"game_mended\": \""]);
    scene.does("verify", "").says(&["nothing differs"]);
    // Neither version is compared again where it plays already.
    let again = play(3).well();
    again.stderr.lacks(&["another version"]);
    python_game(&scene, &original);
    play(3).well();
    scene.read("run.json").has(&["\"game_mended\": null"]);
}

#[test]
fn earlier_part_is_unmerged_and_regrade_keeps_both() {
    let scene = Scene::new();
    let original = clobber_text();
    let game = python_game(&scene, &original);
    scene.first_legal("ann").script("zoe", LAST_LEGAL);
    let flags = format!("--game {game} --seed 1");
    scene.run(&format!("{flags} --states 1")).well();
    let split = "split --submissions submissions --out out --states 2 --parts 1";
    scene.judge(&format!("{split} {flags}"));
    scene.judge("part out/parts/part-1-of-1.part --out part.jsonl");
    python_game(&scene, &(original + "# mended\n"));
    scene.judge(&format!("{split} {flags}"));
    let merged = scene.here("merge out part.jsonl").ended();
    let said = merged.stdout + &merged.stderr;
    said.has(&["another version of the game"]);
    assert_eq!(scene.records().len(), 2);
    scene.run(&format!("{flags} --states 2")).well();
    for _ in 0..2 {
        scene.judge("regrade out ann --out corrected");
        let manifest = scene.text("corrected/run.json");
        manifest.has(&["\"game_mended\": \""]);
    }
}

#[test]
fn submission_is_checked_and_played_without_run() {
    let scene = Scene::of(["ann"]);
    scene.script("zoe", LAST_LEGAL);
    let game = root().join(CLOBBER);
    let game = game.to_str().expect("UTF-8");
    let check = format!("check submissions/ann --game {game} --states 1");
    scene.judge(&check).says(&["ann is ready"]);
    let both = "submissions/ann submissions/zoe";
    scene.judge(&format!("match {both} --game {game} --out out --states 4"));
    scene.judge(&format!("plan submissions --game {game} --out planned"));
    scene.judge(&format!("perft {game} --depth 2"));
    scene.judge(&format!("new {game} made --lang python"));
    scene.judge(&format!("check made --game {game} --states 1"));
    scene.judge("game new own");
    let ended = scene.here("check made").ended();
    ended.refused(&["check made --game PATH\n  (or ./own)"]);
    let protocol = scene.text("made/PROTOCOL.md");
    let (_, section) = protocol.split_once("\n## Clobber\n").expect("its section");
    let mut session = Session::default();
    session.show("made/PROTOCOL.md", section);
    session.compare("new__protocol_of_own_game");
}

#[test]
fn bot_names_external_game_in_current_folder() {
    let scene = Scene::new();
    let run = |words: &str| scene.here(words).ended();
    let made = scene.judge("game new dominoes");
    made.says(&[" run bots --with random\n"]);
    let made = scene.judge("new dominoes bots/ann --lang python");
    assert!(made.stdout.ends_with("check bots/ann\n"), "{made:?}");
    let checked = scene.judge("check bots/ann --states 1");
    checked.says(&["run bots/ann --with random\n"]);
    scene.judge("play bots/ann builtin:random");
    let bot = scene.folder().join("bots/bob/bot.py");
    fs::create_dir(bot.with_file_name("")).expect("writable");
    fs::copy(scene.folder().join("bots/ann/bot.py"), bot).expect("writable");
    scene.judge("match bots/ann bots/bob --states 2");
    scene.judge("plan bots");
    let ended = scene.judge("run bots --states 1");
    ended.says(&[
        "the rules are those in ./dominoes, which judge.toml names",
        "Dominoes: 2 submissions in bots",
    ]);
    // One that names another game does not play, and stops nobody.
    let describe = |bot: &str, game: &str| {
        let text = format!("game = \"{game}\"\nrun = \"true\"\n");
        scene.write(&format!("bots/{bot}/judge.toml"), text);
    };
    describe("eve", "domino");
    run("run bots --states 1").says(&[
        "eve: does not play: is a submission for domino (game in its judge.toml), but the game here is dominoes",
    ]);
    run("check bots/eve").refused(&[
        "judge.toml names the game domino, which is neither built in nor a folder here with a game.toml; if it is a \
         game of your own, go to the folder around it, or name its file or folder:",
        "check bots/eve --game PATH\n  (or ./dominoes)",
    ]);
    let graded = run("check bots/eve --format gradescope");
    assert_eq!(graded.code, Some(4), "a result for the grader");
    graded.says(&["\"score\": 0.0", "names the game domino, which"]);
    describe("eve", "conect-four");
    run("check bots/eve").refused(&["conect-four (did you mean connect-four?)"]);
    // Our own failure is no fault of a submission.
    let rules = scene.text("dominoes/game.py");
    scene.write("dominoes/game.py", "import nothing_of_this_name\n");
    let failed = run("check bots/ann --format gradescope");
    assert_eq!((failed.code, &*failed.stdout), (Some(1), ""), "{failed:?}");
    scene.write("dominoes/game.py", rules);
    describe("eve", "conect-four");
    // A folder that was renamed has another game than its name says.
    let [old, new] = ["dominoes", "conect-four"].map(|name| scene.folder().join(name));
    fs::rename(old, new).expect("writable");
    run("check bots/eve").refused(&["the game in conect-four is called dominoes"]);
}

#[test]
fn game_among_submissions_is_refused() {
    let scene = Scene::new();
    let class = scene.submissions();
    scene.judge("game new submissions/eve");
    for name in ["ann", "bob"] {
        let chosen = "game = \"eve\"\nrun = \"true\"\n";
        scene.sources(name, &[("judge.toml", chosen)]);
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
    scene.judge("game new eve");
    let ended = scene.here("run submissions --with random").ended();
    ended.refused(&[folder, " --game ./eve"]);
}
