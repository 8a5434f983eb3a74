//! Whole classes with dirty submissions, from a learning platform's download to its gradebook.
//! `judge/tests/class/make.py` makes them, with the expected result for each person.

use crate::support::{Ended, Has, Row, Run, Scene, judge, read_csv, root};
use std::process::Command;

/// Everybody meets one built-in bot, which keeps the number of games small.
const CONTEST: &str = include_str!("../class/contest.toml");

/// A class from a platform, and the expected result for each person.
pub(crate) struct Class {
    pub(crate) scene: Scene,
    pub(crate) people: Vec<Row>,
}

impl Class {
    pub(crate) fn of(platform: &str, more: &[&str]) -> Self {
        let scene = Scene::new();
        let mut make = Command::new("/usr/bin/python3");
        make.arg(root().join("judge/tests/class/make.py"));
        make.arg(platform).arg(scene.folder()).args(more);
        make.ended().well();
        let people = read_csv(&scene.text("people.csv"));
        Self { scene, people }
    }

    /// Plays the class by a competition, with the platform's list as its roster.
    pub(crate) fn play(&self, competition: &str, flags: &str) -> Ended {
        let run = "run --submissions class.zip --roster list.csv --out out";
        self.scene
            .judge(&format!("{run} --competition {competition} {flags}"))
    }

    fn is_played(&self) {
        assert_eq!(self.people.len(), 40);
        self.scene.write("contest.toml", CONTEST);
        let ended = self.play("contest.toml", "");
        let identities = self.scene.rows("staff/identities.csv");
        for person in &self.people {
            let own = only_row(&identities, "id", person);
            let entrant = person.get("entrant");
            if !entrant.is_empty() {
                assert_eq!(own.get("submission"), entrant);
            }
            let submitted = if entrant.is_empty() { "no" } else { "yes" };
            let expected = format!("{submitted},{}", person.get("plays"));
            let reported = own.cells("submitted,plays");
            assert_eq!(reported, expected, "{own:?} in {ended:?}");
        }
        let mut strangers = identities.iter().filter(|row| row.get("id").is_empty());
        assert!(strangers.next().is_none(), "{identities:?}");
        let played = self.people.iter().filter(|one| one.get("plays") == "yes");
        assert_eq!(self.scene.rows("games.csv").len(), 2 * played.count());
        self.scene.all_end_by_rules();
        ended.says(&[
            "left out hw/.idea/ (331 files): it belongs to an editor",
            "has no file, only a text typed into the learning platform",
        ]);
        let silent = ["not on the roster", "node_modules", "build/"];
        ended.stdout.lacks(&silent);
        ended.stdout.lacks(&[".DS_Store", "README.md"]);
    }

    /// Checks that each player has the grade in the platform's list, in the row with the player's id.
    fn is_graded(&self, format: &str, id: &str, grade: &str) {
        let flags = format!("--format {format} --fill list.csv --out grades.csv");
        self.scene.judge(&format!("grades out {flags}"));
        let rows = self.scene.text("grades.csv");
        let rows = read_csv(rows.trim_start_matches('\u{feff}'));
        for person in &self.people {
            let own = only_row(&rows, id, person);
            if person.get("plays") == "yes" {
                assert_eq!(own.get(grade), "10", "{own:?}");
            }
        }
    }
}

/// Returns the one row with a person's id in this column.
fn only_row<'a>(rows: &'a [Row], column: &str, person: &Row) -> &'a Row {
    let mut own = rows
        .iter()
        .filter(|row| row.get(column) == person.get("id"));
    let (first, second) = (own.next(), own.next());
    assert!(second.is_none(), "{person:?} in {rows:?}");
    first.unwrap_or_else(|| panic!("{person:?} is not in {rows:?}"))
}

#[test]
fn moodle_download_becomes_moodle_worksheet() {
    let class = Class::of("moodle", &[]);
    class.is_played();
    class.is_graded("moodle", "Identifier", "Grade");
}

#[test]
fn canvas_download_becomes_canvas_gradebook() {
    let class = Class::of("canvas", &[]);
    class.is_played();
    class.is_graded("canvas", "SIS User ID", "Contest (77)");
}

#[test]
fn folder_of_classes_is_answered_with_its_classes() {
    for verb in ["run", "plan", "check"] {
        let ended = judge().current_dir(root()).args([verb, "examples"]).ended();
        ended.refused(&[
            "examples holds folders with several submissions each; give one of them \
            (examples/catch-the-cat, examples/connect-four, examples/reversi)",
        ]);
    }
}
