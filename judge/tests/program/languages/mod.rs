//! The courses' languages, with real toolchains. Each submission is the solved starter of a game's
//! kit with one change, and a row of a table has the verdict on it.

mod forms;
mod lines;

use crate::support::{Ended, Has, Run, Scene, root, run_into, source};
use model::artifact::Artifact;
use model::record::{End, MatchRecord};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// A file of `judge/tests/languages`: submissions by their names.
#[derive(Deserialize)]
struct Cases {
    /// The file and the text that a submission changes unless it names others.
    file: String,
    from: String,
    #[serde(flatten)]
    submissions: BTreeMap<String, Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    file: Option<String>,
    from: Option<String>,
    /// The text that replaces `from`.
    to: Option<String>,
    /// More replacements in the same file.
    #[serde(default)]
    also: Vec<[String; 2]>,
    renamed: Option<String>,
    /// `broken` if it does not play, or the cause of all its faults. Without one it plays.
    verdict: Option<String>,
    /// Words of the reason or of the faults.
    #[serde(default)]
    words: String,
    /// Words of the compiler if it is broken, and else of its standard error; `…` separates some.
    #[serde(default)]
    log: String,
}

#[test]
fn cpp_submissions_are_built_and_judged() {
    let scene = judge_all("catch-the-cat", "cpp", "--set side=5", |_| true);
    lines::kit_reads_any_json_layout("catch-the-cat", &program_of(&scene, "good"));
}

#[test]
fn ocaml_submissions_are_built_and_judged() {
    let scene = judge_all("crazy-camel", "ocaml", "", |_| true);
    lines::kit_reads_any_json_layout("crazy-camel", &program_of(&scene, "good"));
}

#[test]
fn haskell_submissions_are_built_and_judged() {
    let scene = judge_all("reversi", "haskell", "", |_| true);
    lines::kit_reads_any_json_layout("reversi", &program_of(&scene, "good"));
    let journal = scene.read("journal.jsonl");
    assert!(journal.contains(r#""says":"your-nickname""#), "{journal}");
    let row = |name: &str| {
        let row = scene.row("submissions.csv", name);
        row.cells("nickname,language")
    };
    assert_eq!(row("good"), "your-nickname,haskell");
    assert_eq!(row("twenty"), "exactly 20 letters!!,haskell");
    assert_eq!(row("umlaut"), ",haskell", "it is refused");
    assert!(scene.read("staff/identities.csv").contains("Your Name"));
    assert!(!scene.read("submissions.csv").contains("Your Name"));
}

#[test]
fn python_submissions_are_checked_and_judged() {
    // The seats divide the number of players, so that one round of groups is enough.
    let game = "monkey-metal-man";
    let scene = judge_all(game, "python", "--set players=2", |case| {
        case.verdict.is_none()
    });
    lines::kit_reads_any_json_layout(game, &program_of(&scene, "good"));
    // The first time-out takes a player's pieces, which limits the player to one a game.
    judge_all(game, "python", "--set timeouts_max=1", |case| {
        case.verdict.is_some()
    });
}

#[test]
fn the_examples_of_every_game_play_it() {
    for entry in engines::GAMES {
        let game = entry.info.slug;
        let folder = root().join("examples").join(game);
        let page = fs::read_to_string(folder.join("README.md")).expect("it lists them");
        for example in fs::read_dir(&folder).expect("a folder").flatten() {
            let name = example.file_name().into_string().expect("plain text");
            let is_listed = page.contains(&format!("`{name}`")) || !example.path().is_dir();
            assert!(is_listed, "{game}: README.md lacks {name}");
        }
        // `run` has a test of its own that plays them.
        if game == "catch-the-cat" {
            continue;
        }
        let scene = Scene::new();
        let ended = run_into(&folder, &scene.out(), PATIENTLY).ended().well();
        let broken = match game {
            "reversi" => &[("no-nickname", "author or nickname raises an exception")][..],
            _ => &[],
        };
        only_these_are_broken(&scene, &ended, broken);
    }
}

#[test]
fn ocaml_token_count_excludes_comments_and_given_code() {
    let scene = Scene::new();
    let kit = &engines::game("crazy-camel").expect("registered").info.kits[0];
    let (_, text) = kit.solved[0];
    let types = kit.files.iter().find(|(name, _)| *name == "types.ml");
    let (_, types) = types.expect("the course's types");
    // Comments and unneeded modules add no tokens; a needed module does.
    let longer = format!("(* a comment *)\n{text}\nlet () = Helper.x ()\n");
    scene.sources("plain", &[("assignment.ml", text)]).sources(
        "dune",
        &[
            ("dune-project", "(lang dune 3.7)\n"),
            ("types/types.ml", types),
            ("src/assignment.ml", &longer),
            ("src/helper.ml", "(* more *) let x () = ()"),
            ("src/unused.ml", "let this does not compile"),
            ("runner/runner.ml", "let () = Assignment.play ()"),
        ],
    );
    // The judge writes the module of a library; an author who writes it himself pays its tokens.
    let of_library = format!("{text}\nlet () = Lib.Helper.x ()\n");
    let (library, helper) = ("(library (name lib))\n", "let x () = ()");
    let aliases = "(* what dune makes of a library *)\nmodule Helper = Helper\n";
    let files = [
        ("src/assignment.ml", of_library.as_str()),
        ("lib/dune", library),
        ("lib/helper.ml", helper),
    ];
    let own = [&files[..], &[("lib/lib.ml", aliases)]].concat();
    let marked = format!("(* what dune makes of a library *)\n{text}");
    scene
        .sources("library", &files)
        .sources("own-library", &own);
    scene.sources("marked", &[("assignment.ml", &marked)]);
    scene.run("--states 1 --set plies_max=8").well();
    let tokens = |name: &str| scene.entrant(name)["tokens"].as_u64().expect("counted");
    let plain = tokens("plain");
    // `let () = Helper.x ()` has nine tokens, `let x () = ()` seven.
    assert_eq!(tokens("dune"), plain + 9 + 7);
    assert_eq!(tokens("marked"), plain);
    // `Lib` and its dot are two more; `module Helper = Helper` has four.
    assert_eq!(tokens("library"), plain + 11 + 7);
    assert_eq!(tokens("own-library"), plain + 11 + 7 + 4);
}

#[test]
fn haskell_nickname_and_description_are_read_at_build() {
    let scene = Scene::new();
    let reversi = engines::game("reversi").expect("registered");
    let (name, starter) = reversi.info.kits[0].solved[0];
    let about = "{- This program takes the first field\n   that it may mark, and thinks of nothing else. -}";
    let noted =
        "field : _ -> note \"\\\"☃\\\" first\" (mark field \"7\" (shade 0 0.5 (Move field)))";
    let imports = "import Debug.Trace\nimport JudgeNote\nimport Reversi";
    let text = starter.replace("import Reversi", imports);
    let text = text.replace("field : _ -> Move field", noted);
    let text = text.replace("\"your-nickname\"", "trace \"computed\" \"Anna\"");
    let text = format!("{about}\n{text}");
    scene.sources("ann", &[(name, &text)]).first_legal("bob");
    let flags = "--competition reversi --states 1 --set clock.startup_s=120";
    scene.run(flags).well();
    let words = scene.cells("submissions.csv", "comment_words");
    assert_eq!(words, ["15", "", ""]);
    scene.does("explain", "ann").says(&[
        "the longest comment in ReversiAI.hs has 15 words (line 1); the course asks for a description of about 100 to 500 words",
    ]);
    let journal = scene.read("journal.jsonl");
    journal.has(&[r#""says":"Anna""#]);
    journal.lacks(&["first"]);
    let log = scene.read("logs/stderr/ann.txt");
    log.lacks(&["computed"]);
    // The kit says something with its moves.
    log.has(&[
        "-- note \"☃\" first\n-- marks [[",
        "[0,0,50,\"\"]",
        ",null,\"7\"]",
    ]);
}

pub(crate) fn built(scene: &Scene, game: &str, sources: &[(&str, &str)]) -> Artifact {
    scene.sources("kit", sources).first_legal("other");
    let flags = format!("--game {game} --states 1 --set clock.startup_s=120");
    scene.run(&flags).well();
    program_of(scene, "kit")
}

fn program_of(scene: &Scene, name: &str) -> Artifact {
    let row = scene.row("submissions.csv", name);
    let program = intake::find_kept_program(row.get("artifact"), &scene.out());
    let program = program.expect("readable");
    program.expect("it is kept")
}

#[test]
fn course_files_are_built_into_every_submission() {
    let scene = Scene::new();
    let kit = &engines::game("catch-the-cat")
        .expect("registered")
        .info
        .kits[0];
    let uses = "#include \"simulator.h\"\nstatic const int side = SIDE;\n";
    for entrant in ["ann", "bob"] {
        scene.sources(entrant, kit.starter);
        let cat = scene.text(&format!("submissions/{entrant}/Cat.h"));
        scene.put(&format!("{entrant}/Cat.h"), format!("{uses}{cat}"));
    }
    scene.put("bob/simulator.h", "#define SIDE wrong\n");
    let text = "game = \"catch-the-cat\"\n[config]\nside = 5\n[kit]\nfiles = [\"simulator.h\"]\n";
    scene.put("competition.toml", text);
    let refusal = "competition.toml, line 5: files: simulator.h: is not in ";
    scene.run("").refused(&[refusal]);
    scene.put("simulator.h", "#define SIDE 5\n");
    let ended = scene.run("").well();
    ended.says(&["bob: note: simulator.h differs from the course's copy, which was used instead"]);
    ended.stdout.lacks(&["not executable"]);
    // One program, whatever bob's header was.
    let [ann, bob] = ["ann", "bob"].map(|name| scene.row("submissions.csv", name));
    assert_eq!(ann.get("artifact"), bob.get("artifact"));
    scene.put("simulator.h", "#define SIDE 9\n");
    let refusal = "another competition: kit file simulator.h was ";
    scene.run("").refused(&[refusal]);
}

/// Flags for one game of every pair, on a slow machine, too.
const PATIENTLY: &str = "--states 1 --set clock.backstop_s=60 --set clock.startup_s=120";

/// Returns the line that tells why a submission does not play.
#[track_caller]
fn refusal_of<'a>(ended: &'a Ended, name: &str) -> &'a str {
    let line = format!("  {name}: does not play: ");
    let line = ended.stdout.lines().find(|text| text.starts_with(&line));
    line.unwrap_or_else(|| panic!("{name} plays: {ended:?}"))
}

/// Everybody plays without a fault, except those that do not play, for these reasons.
fn only_these_are_broken(scene: &Scene, ended: &Ended, broken: &[(&str, &str)]) {
    for (name, reason) in broken {
        refusal_of(ended, name).has(&[reason]);
    }
    let reported = ended.stdout.matches(": does not play: ").count();
    assert_eq!(reported, broken.len(), "{ended:?}");
    scene.nobody_has_faults();
}

/// Plays these cases of a file against `good`, or each other in larger games, and checks them.
fn judge_all(game: &str, language: &str, flags: &str, is_checked: impl Fn(&Case) -> bool) -> Scene {
    let scene = Scene::new();
    let file = source(&format!("judge/tests/languages/{language}.toml"));
    let cases: Cases = toml::from_str(&file).expect("TOML");
    let entry = engines::game(game).expect("registered");
    if entry.info.roles.len() == 2 {
        let against = "[schedule]\nkind = \"gauntlet\"\nagainst = [\"good\"]\n";
        scene.put("competition.toml", format!("game = \"{game}\"\n{against}"));
    }
    for (name, case) in &cases.submissions {
        if name != "good" && !is_checked(case) {
            continue;
        }
        let (own, from) = (case.file.as_ref(), case.from.as_ref());
        let (own, from) = (own.unwrap_or(&cases.file), from.unwrap_or(&cases.from));
        let first = case.to.as_ref().map(|to| [from, to]);
        let also = case.also.iter().map(|[from, to]| [from, to]);
        let changes: Vec<[&String; 2]> = first.into_iter().chain(also).collect();
        for &(file, text) in entry.info.kits[0].solved {
            let is_changed = Path::new(file).ends_with(own);
            let mut text = text.to_owned();
            for [from, to] in changes.iter().filter(|_| is_changed) {
                assert!(text.contains(*from), "{name}: {from:?}");
                text = text.replacen(*from, to, 1);
            }
            let renamed = case.renamed.as_deref().filter(|_| is_changed);
            scene.put(&format!("{name}/{}", renamed.unwrap_or(file)), text);
        }
    }
    let flags = format!("{PATIENTLY} --turn-s 0.3 {flags}");
    let ended = scene.run(&flags).well();
    let records = scene.records();
    for (name, case) in &cases.submissions {
        if is_checked(case) {
            check(&scene, &ended, &records, name, case);
        }
    }
    scene
}

fn check(scene: &Scene, ended: &Ended, records: &[MatchRecord], name: &str, case: &Case) {
    let is_broken = case.verdict.as_deref() == Some("broken");
    let folder = if is_broken { "build" } else { "stderr" };
    let log = scene.out().join(format!("logs/{folder}/{name}.txt"));
    let has = |text: &str, words: &str| {
        assert!(text.contains(words), "{name}: {words:?} is not in {text}");
    };
    let log = fs::read_to_string(log).unwrap_or_default();
    for words in case.log.split('…') {
        has(&log, words);
    }
    if is_broken {
        return has(refusal_of(ended, name), &case.words);
    }
    let faults = records.iter().flat_map(|record| faults_of(record, name));
    let faults: Vec<String> = faults.collect();
    let Some(verdict) = &case.verdict else {
        assert_eq!(faults, [""; 0], "{name}");
        return assert!(plays(records, name), "{name}");
    };
    let only = faults.iter().all(|fault| fault.starts_with(verdict));
    assert!(only && !faults.is_empty(), "{name}: {faults:?}");
    has(&faults.concat(), &case.words);
}

fn faults_of(record: &MatchRecord, name: &str) -> Vec<String> {
    let own = |fault: &&model::fault::Fault| record.seats[fault.seat.index()].entrant == name;
    let faults = record.faults.iter().filter(own);
    let text = |fault: &model::fault::Fault| {
        let line = fault.line.clone().unwrap_or_default();
        format!("{} {} {line}", fault.cause.name(), fault.detail)
    };
    faults.map(text).collect()
}

fn plays(records: &[MatchRecord], name: &str) -> bool {
    let mut by_rules = records.iter().filter(|record| record.end == End::Rules);
    by_rules.any(|record| record.seats.iter().any(|seat| seat.entrant == name))
}
