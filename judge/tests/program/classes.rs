//! Whole classes with dirty submissions, from a learning platform's download to its gradebook.
//! `judge/tests/class/make.py` makes them, with the expected result for each person.

use crate::support::{Ended, Row, Run, Scene, judge, read_csv, root};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// Everybody meets one built-in bot, which keeps the number of games small.
const CONTEST: &str = "title = \"Contest\"\ngame = \"catch-the-cat\"\nseed = 1\n\
    [config]\nside = 5\n[names]\nguessable = true\n\
    [schedule]\nkind = \"gauntlet\"\nagainst = [\"builtin:random\"]\n\
    [scoring]\npoints = \"win\"\n\
    [scoring.grades]\nsteps = [{ at_least = 0, grade = \"10\" }]\notherwise = \"5\"\ndisqualified = \"3\"\n";

struct Class {
    scene: Scene,
    ended: Ended,
    people: Vec<Row>,
}

impl Class {
    fn run(platform: &str) -> Self {
        let scene = Scene::new();
        let made = Command::new("python3")
            .arg(root().join("judge/tests/class/make.py"))
            .arg(platform)
            .arg(scene.folder())
            .status();
        assert!(made.expect("python3 starts").success());
        let contest = scene.folder().join("contest.toml");
        fs::write(&contest, CONTEST).expect("a new file");
        let mut command = judge();
        command.arg("run").arg("--submissions");
        command.arg(scene.folder().join("class.zip"));
        command.arg("--roster").arg(scene.folder().join("list.csv"));
        command.arg("--competition").arg(&contest);
        command.arg("--out").arg(scene.out());
        let ended = command.ended().well();
        let people = fs::read_to_string(scene.folder().join("people.csv")).expect("written");
        let people = read_csv(&people);
        assert_eq!(people.len(), 40);
        Self {
            scene,
            ended,
            people,
        }
    }

    fn is_whole(&self) {
        let identities = self.scene.rows("staff/identities.csv");
        for person in &self.people {
            let id = person.get("id");
            let own: Vec<&Row> = identities
                .iter()
                .filter(|row| row.get("id") == id)
                .collect();
            let [own] = own.as_slice() else {
                panic!("{id} has {} rows in {identities:?}", own.len());
            };
            let entrant = person.get("entrant");
            if !entrant.is_empty() {
                assert_eq!(own.get("submission"), entrant);
            }
            let submitted = if entrant.is_empty() { "no" } else { "yes" };
            assert_eq!(
                own.get("submitted"),
                submitted,
                "{own:?} in {:?}",
                self.ended
            );
            assert_eq!(
                own.get("plays"),
                person.get("plays"),
                "{own:?} in {:?}",
                self.ended
            );
        }
        let strangers = identities.iter().filter(|row| row.get("id").is_empty());
        assert_eq!(strangers.count(), 0, "{identities:?}");
        assert!(
            !self.ended.stdout.contains("not on the roster"),
            "{:?}",
            self.ended
        );
        let played = self.people.iter().filter(|one| one.get("plays") == "yes");
        assert_eq!(self.scene.rows("games.csv").len(), 2 * played.count());
        for game in self.scene.rows("games.csv") {
            assert_eq!(game.get("end"), "rules", "{game:?}");
        }
        self.ended
            .says(&["left out hw/.idea/ (331 files): it belongs to an editor"]);
        for silent in ["node_modules", "build/", ".DS_Store", "README.md"] {
            assert!(
                !self.ended.stdout.contains(silent),
                "{silent} in {:?}",
                self.ended
            );
        }
    }

    /// Exports the grades, into the platform's list if it takes one. Returns the rows.
    fn grades(&self, format: &str, fills: bool) -> Vec<Row> {
        let out: PathBuf = self.scene.folder().join("grades.csv");
        let mut command = judge();
        command.arg("grades").arg(self.scene.out());
        command.args(["--format", format, "--out"]).arg(&out);
        if fills {
            command
                .arg("--fill")
                .arg(self.scene.folder().join("list.csv"));
        }
        command.ended().well();
        let text = fs::read_to_string(out).expect("written");
        read_csv(text.trim_start_matches('\u{feff}'))
    }

    fn is_graded(&self, rows: &[Row], id: &str, grade: &str) {
        for person in &self.people {
            let own = rows.iter().filter(|row| row.get(id) == person.get("id"));
            let own: Vec<&Row> = own.collect();
            assert_eq!(own.len(), 1, "{person:?} in {rows:?}");
            if person.get("plays") == "yes" {
                assert_eq!(own[0].get(grade), "10", "{:?}", own[0]);
            }
        }
    }
}

#[test]
fn moodle_download_becomes_moodle_worksheet() {
    let class = Class::run("moodle");
    class.is_whole();
    class
        .ended
        .says(&["has no file, only a text typed into the learning platform"]);
    class.is_graded(&class.grades("moodle", true), "Identifier", "Grade");
}

#[test]
fn canvas_download_becomes_canvas_gradebook() {
    let class = Class::run("canvas");
    class.is_whole();
    class
        .ended
        .says(&["has no file, only a text typed into the learning platform"]);
    class.is_graded(&class.grades("canvas", true), "SIS User ID", "Contest (77)");
}

#[test]
fn folder_of_classes_is_answered_with_its_classes() {
    for verb in ["run", "plan", "check"] {
        let ended = judge().current_dir(root()).args([verb, "examples"]).ended();
        ended.refused(&[
            "examples holds folders with several submissions each; give one of them (examples/catch-the-cat, \
             examples/connect-four, examples/reversi)",
        ]);
    }
}
