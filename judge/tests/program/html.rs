//! The contest page: its content, its size, and its behaviour in a real browser.

use crate::support::browser;
use crate::support::season::Season;
use crate::support::skip::skipped;
use crate::support::{Ended, Has, LAST_LEGAL, Run, Scene, names_in, root};
use engines::{Frame, Information, in_words};
use report::replay;
use rulebook::JudgeError;
use serde_json::{Value, json};
use std::path::PathBuf;
use tempfile::TempDir;

fn names(count: usize) -> Vec<String> {
    (0..count).map(|n| format!("entrant-{n:02}")).collect()
}

fn page(season: &Season) -> (TempDir, PathBuf, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = season.write(folder.path());
    let text = std::fs::read_to_string(&path).expect("it was written");
    (folder, path, text)
}

pub(crate) fn data(page: &str) -> Value {
    let json = between(page, "id=\"data\">", "</script>").expect("the data's element");
    serde_json::from_str(&json).expect("JSON")
}

fn follows_records_to_end(season: &Season, page: &Value) {
    let slug = &season.competition.conditions.game;
    let games = page["games"].as_array().expect("a list");
    assert!(!games.is_empty(), "{slug}");
    let mut faults = 0;
    for game in games {
        let number: usize = game["n"].as_str().and_then(|n| n.parse().ok()).expect("n");
        let record = &season.records[&season.ids[number - 1]];
        assert!(game.get("torn").is_none(), "{slug} {number}");
        let steps = game["steps"].as_array().expect("a list").len();
        assert_eq!(steps, record.turns.len() + 1, "{slug} {number}");
        faults += game["faults"].as_array().map_or(0, Vec::len);
    }
    assert!(faults > 0, "games with faults of {slug} are shown");
}

fn has_game_of_every_pair_below_5_mb(page: &str) {
    let bytes = page.len();
    assert!(bytes < 5_000_000, "{bytes}");
    let data = data(page);
    let games = data["games"].as_array().expect("a list");
    let pairs = games.iter().map(|game| {
        let seats = game["e"].as_array().expect("seats").iter();
        let mut seats: Vec<u64> = seats.filter_map(Value::as_u64).collect();
        seats.sort_unstable();
        seats
    });
    let pairs: std::collections::HashSet<_> = pairs.collect();
    let count = games.len();
    assert_eq!(pairs.len(), 60 * 59 / 2, "{count} games in {bytes} bytes");
}

#[test]
fn page_shows_uneven_games_and_who_does_not_play() {
    let mut season = Season::play("reversi", &names(3), 1, 0);
    let shown = |season: &Season| {
        let (_folder, _, text) = page(season);
        let is_said = text.contains("Not all have played the same number of games.");
        let table = between(&text, "id=\"standings-table\"", "</table>").expect("it is there");
        let others = between(&text, "Do not play (1)</h3>", "</dl>");
        (is_said, table.contains(">Games</button>"), others)
    };
    assert_eq!(shown(&season), (false, false, None));
    season.broken.push("ann".to_owned());
    let (is_said, has_games, others) = shown(&season);
    assert!(!is_said && !has_games);
    let others = others.expect("below the standings");
    others.has(&["<bdi>ann</bdi>", "does not build"]);
    season.broken.clear();
    season.ids.truncate(1);
    assert_eq!(shown(&season), (true, true, None));
}

#[test]
fn page_shows_podium_and_prizes_when_earned() {
    let shown = |season: &Season| {
        let (_folder, _, text) = page(season);
        let podium = between(&text, "<ol class=\"podium\">", "</ol>");
        let podium = podium.as_deref();
        let first = podium.map(|list| list.contains("1</span><a href=\"#e=0\">"));
        let prize = podium.is_some_and(|list| list.contains("prize point"));
        (first, prize, text.contains(">Place</button>"))
    };
    let mut camels = Season::play("crazy-camel", &names(3), 1, 0);
    assert_eq!(shown(&camels), (None, false, true), "all games are drawn");
    camels.competition.scoring.prize_needs.wins = 0;
    assert_eq!(shown(&camels), (Some(true), true, true));
    let reversi = Season::play("reversi", &names(3), 1, 0);
    assert_eq!(shown(&reversi), (Some(true), false, false));
}

#[test]
fn page_head_names_winner_and_provisional_results() {
    let verdict = |season: &Season| {
        let (_folder, _, text) = page(season);
        let verdict = between(&text, "<p class=\"verdict\">", "</p>").expect("a verdict");
        // Without its tags.
        let parts = verdict.split('<');
        let parts = parts.map(|part| part.split_once('>').map_or(part, |(_, text)| text));
        (parts.collect::<String>(), text)
    };
    let mut season = Season::play("reversi", &names(3), 2, 0);
    let (over, text) = verdict(&season);
    assert!(over.starts_with("entrant-"), "{over}");
    over.has(&[" wins, ", " points ahead of entrant-"]);
    text.has(&["Two players fill an 8×8 board", "CPU time: 300 s a game."]);
    season.competition.round = "practice/3".to_owned();
    let (practice, _) = verdict(&season);
    practice.has(&[" leads, "]);
    season.ids.truncate(3);
    for verdict in [practice, verdict(&season).0] {
        let is_provisional = verdict.ends_with(" provisional: practice round 3");
        assert!(is_provisional, "{verdict}");
    }
}

#[test]
fn two_entrants_are_compared_by_paired_elo_interval() {
    let elo = |states, missing| {
        let mut season = Season::play("catch-the-cat", &names(2), states, 0);
        for id in season.ids.iter().rev().take(missing) {
            season.records.remove(id);
        }
        let (_folder, _, text) = page(&season);
        between(&text, "<figure class=\"elo\">", "</figure>").expect("it is there")
    };
    let many = elo(20, 0);
    many.has(&["<circle", " Elo</strong> (95 %: "]);
    many.has(&["(won–drawn–lost) in 20 pairs"]);
    // Half a pair does not count.
    elo(20, 1).has(&["in 19 pairs"]);
    let few = elo(2, 0);
    few.has(&["No interval in Elo"]);
    few.lacks(&["<circle"]);
}

#[test]
fn page_and_terminal_describe_rank_interval_alike() {
    let repetitions = "in 8 repetitions of the same initial state";
    let states = "on 8 initial states";
    for (slug, states) in [("reversi", repetitions), ("catch-the-cat", states)] {
        let season = Season::play(slug, &names(3), 8, 0);
        let table = season.table();
        let (_, meaning) = table.split_once("95 %: ").expect("it is said");
        let meaning = meaning.lines().next().expect("a note is a line");
        let (_folder, _, text) = page(&season);
        text.has(&[&format!("95 %: {}. ", meaning.trim()), states]);
        let is_one_start = states == repetitions;
        let says_so = meaning.contains("the same initial state");
        assert_eq!(says_so, is_one_start, "{meaning}");
        assert_eq!(text.contains("Initial states"), !is_one_start, "{slug}");
    }
}

/// Returns the text of a page between two marks.
fn between(text: &str, begin: &str, end: &str) -> Option<String> {
    let (_, rest) = text.split_once(begin)?;
    Some(rest.split_once(end)?.0.to_owned())
}

/// Returns names that try to be more than text.
fn hostile() -> Vec<String> {
    vec![
        "<script>document.title='owned'</script>".to_owned(),
        "\"><img src=x onerror=\"document.title='owned'\">".to_owned(),
        "\u{202e}gnp.egap \u{5d0}\u{5d1}\u{5d2} </td></table>".to_owned(),
        "n".repeat(10_000),
    ]
}

/// A name is neither a script nor an image, no mark turns the text around, long names are cut.
fn has_hostile_names_and_lines_as_text(page: &str) {
    page.lacks(&["<script>document", "<img", "\u{202e}", &"n".repeat(100)]);
    page.has(&["<bdi>&lt;script&gt;document"]);
}

/// Plays six games.
fn played() -> (Scene, Ended) {
    let scene = Scene::of(["ann"]);
    scene.script("zoe", LAST_LEGAL);
    let ended = scene.run("--game catch-the-cat --set side=5 --states 3");
    (scene, ended.well())
}

#[test]
fn run_writes_page_and_view_writes_game_pages() {
    let (scene, ended) = played();
    ended.says(&["out/report.html"]);
    let first = scene.read("report.html");
    scene.judge("view out");
    assert_eq!(
        scene.read("report.html"),
        first,
        "made from the same journal"
    );
    scene.judge("view out 3");
    let game = data(&scene.read("game-3.html"));
    assert_eq!(game["games"][0]["n"], "3");
    assert_eq!(game["names"].as_array().map(Vec::len), Some(2));
    scene.here("view out 9").ended().refused(&["no game 9"]);
    full_pages_are_written_and_unlinked_ones_removed(&scene);
}

fn full_pages_are_written_and_unlinked_ones_removed(scene: &Scene) {
    scene.does("view", "--full");
    let games = scene.out().join("games");
    let pages = (1..=6).map(|n| format!("{n}.html"));
    let expected: Vec<String> = pages.chain(["games.txt".to_owned()]).collect();
    assert_eq!(names_in(&games), expected);
    assert_eq!(data(&scene.read("report.html"))["full"], json!([[1, 6]]));
    let second = data(&scene.read("games/2.html"));
    assert_eq!(second["games"][0]["n"], "2");
    assert_eq!(second["back"], "../report.html");
    assert_eq!(["before", "after"].map(|key| &second[key]), [1, 3]);
    scene.does("view", "--full");
    assert_eq!(names_in(&games).len(), 7);
    scene.does("view", "");
    assert!(!games.exists(), "games that nothing links");
    assert!(data(&scene.read("report.html")).get("full").is_none());

    scene.write("out/games/mine.txt", "mine");
    let refused = scene.verb("view", "--full").ended();
    refused.refused(&["games", "other files"]);
    assert!(games.join("mine.txt").exists());
    let left = names_in(&scene.out());
    assert!(!left.iter().any(|name| name.starts_with('.')), "{left:?}");
}

#[test]
fn an_interrupt_leaves_no_half_written_games() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let season = Season::play("reversi", &names(2), 1, 0);
    let ended = season.write_games_interrupted(folder.path());
    assert!(matches!(ended, Err(JudgeError::Interrupted)), "{ended:?}");
    assert_eq!(names_in(folder.path()), [""; 0]);
}

#[test]
fn in_a_browser_pages_pass_their_checks() {
    let (full, _) = played();
    full.does("view", "--full");
    let long: Vec<String> = (0..5).map(|n| format!("python-sprinter-{n}")).collect();
    // The check, and a season: its game, names, states, and every how many games one has a fault.
    let rows = [
        ("contest", "reversi", names(5), 2, 9),
        ("first", "reversi", names(12), 3, 0),
        ("fits", "catch-the-cat", long, 1, 4),
        ("colours", "connect-four", names(3), 1, 0),
        ("drama", "connect-four", names(3), 2, 0),
        ("hostile", "catch-the-cat", hostile(), 1, 2),
        ("fog", "monkey-metal-man", names(4), 1, 0),
        ("empty", "reversi", names(1), 1, 0),
        ("elsewhere", "reversi", names(60), 1, 10),
    ];
    let mut folders = Vec::new();
    let checks = rows.map(|(check, slug, names, states, fault_every)| {
        let (folder, path, text) = page(&Season::play(slug, &names, states, fault_every));
        let is_empty = text.contains("No game has been played");
        assert_eq!(is_empty, check == "empty", "{check}");
        match check {
            "elsewhere" => has_game_of_every_pair_below_5_mb(&text),
            "hostile" => has_hostile_names_and_lines_as_text(&text),
            _ => {}
        }
        folders.push(folder);
        (check, vec![path])
    });
    let full = ("full", vec![full.out().join("report.html")]);
    browser::check("check.mjs", &[&checks[..], &[full]].concat());
}

fn said_in_words(season: &Season, eyes: Option<usize>) -> Value {
    let conditions = &season.competition.conditions;
    let game = rulebook::rules::of(conditions).expect("a game");
    let games = season.ids.iter().zip(1..).take(3).map(|(id, number)| {
        let record = &season.records[id];
        let names = record.seats.iter().zip(game.info().roles);
        // The page has names where seats are only numbered.
        let roles = names.map(|(seat, role)| match role.strip_prefix("player ") {
            Some(_) => format!("\u{2068}{}\u{2069}", seat.entrant),
            None => (*role).to_owned(),
        });
        let roles: Vec<String> = roles.collect();
        let roles: Vec<&str> = roles.iter().map(String::as_str).collect();
        let pictures = replay(&*game, conditions, record).expect("by the rules");
        let frames = pictures.steps.iter().map(|step| &step.frame);
        let frames: Vec<&Frame> = std::iter::once(&pictures.first).chain(frames).collect();
        // All of the first game; of the others some, because drawing all of them takes minutes.
        let is_said = |at: &usize| number == 1 || at % 11 < 2 || at + 1 == frames.len();
        let said = (0..frames.len()).filter(is_said).map(|at| {
            let before = at.checked_sub(1).map(|at| frames[at]);
            let frame = eyes.map_or_else(|| frames[at].clone(), |seat| frames[at].seen_by(seat));
            (at, in_words(&frame, before, game.notation(), &roles))
        });
        json!([number, said.collect::<Vec<_>>()])
    });
    games.collect()
}

#[test]
fn page_of_every_game_is_faithful_and_accessible() {
    let axe = root().join("judge/tests/browser/node_modules/axe-core/axe.min.js");
    if !axe.exists() {
        let what = "accessibility is not checked; scripts/setup installs it";
        skipped("axe-core", what);
    }
    let mut folders = Vec::new();
    let mut checks = Vec::new();
    for entry in engines::GAMES {
        let season = Season::play(entry.info.slug, &names(4), 1, 3);
        let (folder, path, text) = page(&season);
        follows_records_to_end(&season, &data(&text));
        // The browser describes positions as the terminal does.
        let is_hidden = entry.info.information == Information::Hidden;
        let of_a_seat = is_hidden.then_some((Some(0), "seat-0.json"));
        for (eyes, name) in [(None, "all.json")].into_iter().chain(of_a_seat) {
            let said = folder.path().join(name);
            let expected = json!({"eyes": eyes, "games": said_in_words(&season, eyes)});
            std::fs::write(&said, expected.to_string()).expect("a new file");
            checks.push(("words", vec![path.clone(), said]));
        }
        // Around the board, all games are alike, and one has a small board.
        let views = match entry.info.slug {
            "connect-four" => "all",
            _ => "its own",
        };
        checks.push(("accessible", vec![path, views.into()]));
        folders.push(folder);
    }
    browser::check("check.mjs", &checks);
}
