//! Competitions as files. The built-in ones are as printed. One has all keys of `COMPETITIONS.md`.

use crate::support::snapshot;
use crate::support::{FIRST_LEGAL, Has, LAST_LEGAL, Row, Scene, source};
use std::collections::BTreeSet;

/// Every key of `COMPETITIONS.md`, none with its default.
const FIFTH: &str = include_str!("../evening.toml");

/// Returns the documented keys, without those that go with another schedule, or with no seed.
fn documented() -> BTreeSet<String> {
    let text = source("COMPETITIONS.md");
    let mut keys = BTreeSet::new();
    let mut lines = text.lines();
    while lines.any(|line| line.starts_with("| key | ")) {
        let rows = lines.by_ref().skip(1);
        let rows = rows.take_while(|line| line.starts_with('|'));
        let cells = rows.filter_map(|row| row.split('|').nth(1));
        for name in cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)) {
            let name = name.rsplit([' ', '.', '[']).next().expect("it has words");
            keys.insert(name.trim_end_matches(']').to_owned());
        }
    }
    assert!(keys.len() > 50, "{keys:?}");
    // `freeze` goes with no seed, and the tests of watches have it; `self_play` goes with pairs, and
    // `homework` with a game that has some. `timezone` asks for the system's zones.
    for other in ["freeze", "self_play", "homework", "timezone"] {
        assert!(keys.remove(other), "{other} is documented");
    }
    keys
}

#[test]
fn fifth_competition_plays_with_every_documented_key() {
    for key in documented() {
        let is_there = FIFTH.contains(&format!("{key} = ")) || FIFTH.contains(&format!("{key}]"));
        assert!(is_there, "{key} is documented and not tried");
    }
    let scene = Scene::of(["first"]);
    scene.script("last", LAST_LEGAL);
    scene.script("pacer", &format!("{FIRST_LEGAL}# another one\n"));
    let cheat = FIRST_LEGAL.replace("{\\\"move\\\":", "{\\\"move\\\":9");
    scene.script("cheat", &cheat);
    scene.write("simulator.h", "struct World;\n");
    let file = scene.write("evening.toml", FIFTH);
    let ended = scene.run(&format!("--competition {file}")).well();
    let title = "Evening course, practice round 3: 4 submissions";
    assert!(ended.stdout.starts_with(title), "{ended:?}");
    // Three against two others, in both seatings, on three states.
    let games = scene.rows("games.csv");
    assert_eq!(games.len(), 3 * 2 * 2 * 3);

    let standings = scene.rows("standings.csv");
    let names: BTreeSet<&str> = standings.iter().map(|row| row.get("entrant")).collect();
    // Who it is against is not ranked.
    assert_eq!(names, BTreeSet::from(["cheat", "first", "last"]));
    for row in &standings {
        let name = row.get("entrant");
        if name == "cheat" {
            assert_eq!(row.cells("rank,grade"), ",2");
            row.get("disqualified").has(&[" in game "]);
            continue;
        }
        let total = by_hand(&games, name);
        let shown: f64 = row.get("total").parse().expect("a number");
        assert!((shown - total).abs() < 1e-6, "{name}: {shown} {total}");
        // All of them were late, and lose a point.
        let grade = if total >= 11.0 { "4" } else { "3" };
        let prize = if row.get("rank") == "1" { "9" } else { "4" };
        let expected = format!("{grade},{prize}");
        assert_eq!(row.cells("grade,prize"), expected, "{row:?}");
    }
}

/// Returns the wins minus the price of CPU time, which is rounded to 10 ms. This game has no draws.
fn by_hand(games: &[Row], name: &str) -> f64 {
    let mut total = 0.0;
    for game in games {
        for role in ["cat", "catcher"] {
            if game.get(role) == name {
                let cpu_us = game.get(&format!("{role}_cpu_us"));
                let cpu_us: f64 = cpu_us.parse().expect("a number");
                let won = game.get("won_as") == role;
                let stepped_us = ((cpu_us + 5000.0) / 10_000.0).floor() * 10_000.0;
                total += f64::from(u8::from(won)) - 0.25 * stepped_us / 1e6;
            }
        }
    }
    total
}

#[test]
fn reversi_course_grades_by_random_ranks_by_others() {
    let scene = Scene::new();
    scene.example("reversi", "python-edges");
    scene.sources("rob", &[("ReversiAI.hs", "module (\n")]);
    let flags = "--competition reversi --with builtin:mobility";
    scene.run(&flags).well();
    let games = scene.rows("games.csv");
    let is_graded = |game: &Row| game.cells("black,white").contains("builtin:random");
    let (graded, others): (Vec<Row>, Vec<Row>) = games.into_iter().partition(is_graded);
    assert_eq!(graded.len(), 2 * 2 * 10, "both colours on ten states");
    assert_eq!(others.len(), 2, "once as each colour");
    let rows = scene.rows("standings.csv");
    let [own, mobility, rob] = &rows[..] else {
        panic!("three rows: {rows:?}");
    };
    // Built-in bots have neither.
    assert_eq!(mobility.cells("rank,grade"), ",");
    assert_eq!(rob.cells("rank,grade"), ",3");
    assert!(!rob.get("not_playing").is_empty());
    let total = |row: &Row, games: &[Row]| {
        let role_points = |game: &Row, role| {
            let is_own = game.get(role) == row.get("entrant");
            let points = game.get(&format!("{role}_points"));
            is_own.then(|| points.parse::<i64>().expect("a whole number"))
        };
        let of = |game| ["black", "white"].map(|role| role_points(game, role));
        let points = games.iter().flat_map(of).flatten();
        points.sum::<i64>().to_string()
    };
    for row in [own, mobility] {
        assert_eq!(row.get("total"), total(row, &others));
        assert_eq!(row.get("games"), "2");
    }
    let points = total(own, &graded);
    assert_eq!(own.get("graded"), points);
    let is_five = points.parse::<i64>().expect("a whole number") >= 500;
    let grade = if is_five { "1,5" } else { "1,4" };
    assert_eq!(own.cells("rank,grade"), grade);
    scene.does("verify", "");
    scene.does("grades", "--format csv");
    let submissions = scene.cells("staff/grades.csv", "submission");
    assert_eq!(submissions, ["python-edges", "rob"]);
}

#[test]
fn grading_entrant_has_no_row_or_public_name() {
    let scene = Scene::of(["ann", "bob", "pacer"]);
    let text = "game = \"catch-the-cat\"\n[config]\nside = 5\n[names]\npublic = \"nickname\"\nguessable = true\n\
        [scoring.grades]\nsteps = [{ at_least = 1, grade = \"a\" }]\notherwise = \"b\"\n\
        disqualified = \"c\"\n[scoring.grades.games]\nagainst = [\"pacer\"]\nstates = 2\n";
    scene.put("competition.toml", text);
    scene.run("").well();
    // Twice the pair, and each of the two in both seats on two states.
    assert_eq!(scene.rows("games.csv").len(), 2 + 2 * 2 * 2);
    let names = scene.cells("standings.csv", "entrant");
    assert_eq!(names, ["ann", "bob"]);
    scene.view("public", "public");
    scene.judge("verify public");
    for file in ["run.json", "games.csv", "standings.csv"] {
        scene.text(&format!("public/{file}")).lacks(&["pacer"]);
    }
}

#[test]
fn gauntlet_with_only_its_opponents_is_refused() {
    let scene = Scene::new();
    let text =
        "game = \"reversi\"\n[schedule]\nkind = \"gauntlet\"\nagainst = [\"builtin:random\"]\n";
    scene.write("gauntlet.toml", text);
    let run = "run --competition gauntlet.toml --out out --with builtin:";
    let mut alone = scene.here(&format!("{run}random"));
    snapshot::compare("run__nobody_for_a_gauntlet", &mut alone);
    scene.judge(&format!("{run}mobility"));
}
