//! Real names from learning platforms. No public file has them, and no student's file has those of
//! other people.

use crate::support::{Ended, Row, Run, Scene, Words, files_below, judge, read_csv, root};
use model::entrants_folder::EntrantsFolder;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Number of people; all but one submit. Names have umlauts and an apostrophe; two are equal.
const PEOPLE: &str = "6";

struct Class {
    scene: Scene,
    people: Vec<Row>,
}

impl Class {
    fn of(platform: &str, more: &[&str]) -> Self {
        let scene = Scene::new();
        let made = Command::new("python3")
            .arg(root().join("judge/tests/class/make.py"))
            .arg(platform)
            .arg(scene.folder())
            .arg(PEOPLE)
            .args(more)
            .status();
        assert!(made.expect("python3 starts").success());
        let people = fs::read_to_string(scene.folder().join("people.csv")).expect("written");
        let people = read_csv(&people);
        Self { scene, people }
    }

    fn play(&self, competition: &str, flags: &(impl Words + ?Sized)) -> Ended {
        judge()
            .arg("run")
            .arg("--submissions")
            .arg(self.scene.folder().join("class.zip"))
            .arg("--roster")
            .arg(self.scene.folder().join("list.csv"))
            .args(["--competition", competition, "--states", "1"])
            .arg("--out")
            .arg(self.scene.out())
            .args(flags.words())
            .ended()
            .well()
    }

    fn report(&self, run: &Path, view: &str) -> (Ended, PathBuf) {
        let out = self.scene.folder().join(view);
        let mut command = judge();
        command.arg("report").arg(run);
        command.args(["--view", view, "--full", "--out"]).arg(&out);
        let ended = command.ended().well();
        (ended, out)
    }

    /// Lists texts that identify people, except those accepted by `but`, with the ids of the people.
    fn secrets<'a>(&'a self, but: &'a dyn Fn(&Row) -> bool) -> Vec<(&'a str, String)> {
        let hidden = self.people.iter().filter(|person| !but(person));
        let shown = self.people.iter().filter(|person| but(person));
        let shown: Vec<String> = shown.flat_map(forms).collect();
        let of = |person: &'a Row| {
            forms(person)
                .into_iter()
                .map(|form| (person.get("id"), form))
        };
        let all = hidden.flat_map(of);
        all.filter(|(_, form)| !shown.contains(form)).collect()
    }
}

fn forms(person: &Row) -> Vec<String> {
    let (last, first) = (person.get("last"), person.get("first"));
    let letters = |name: String| {
        let lower = name.to_lowercase();
        let letters = lower.chars().filter(|c| c.is_alphanumeric());
        letters.collect::<String>()
    };
    let mut forms = vec![
        format!("{first} {last}"),
        format!("{last} {first}"),
        format!("{last}, {first}"),
        letters(format!("{last}{first}")),
        letters(format!("{first}{last}")),
    ];
    for own in [person.get("entrant"), person.get("id")] {
        if !own.is_empty() {
            forms.push(own.to_owned());
        }
    }
    if first.chars().count() > 3 {
        forms.push(first.to_owned());
    }
    let escaped: Vec<String> = forms.iter().map(|form| json_ascii(form)).collect();
    forms.extend(escaped);
    forms.sort();
    forms.dedup();
    forms
}

fn json_ascii(text: &str) -> String {
    let escaped = |unit: u16| match u8::try_from(unit) {
        Ok(byte) if byte.is_ascii() => char::from(byte).to_string(),
        _ => format!("\\u{unit:04x}"),
    };
    text.encode_utf16().map(escaped).collect()
}

fn files(folder: &Path) -> Vec<(String, String)> {
    let named = files_below(folder).into_iter().map(|path| {
        let text = fs::read(&path).expect("readable");
        let name = path.strip_prefix(folder).expect("it is below");
        let text = String::from_utf8_lossy(&text).into_owned();
        (name.to_string_lossy().into_owned(), text)
    });
    let all: Vec<(String, String)> = named.collect();
    assert!(all.len() > 5, "{all:?}");
    all
}

fn has_none(folder: &Path, secrets: &[(&str, String)]) {
    for (name, text) in files(folder) {
        for (whose, secret) in secrets {
            let is_there = text.contains(secret.as_str()) || name.contains(secret.as_str());
            assert!(
                !is_there,
                "{secret:?} of {whose} is in {name} of {}",
                folder.display()
            );
        }
    }
}

fn names_nobody_else(class: &Class, students: &Path, but: &dyn Fn(&Row) -> bool) {
    let mut own_folders = 0;
    for own in class
        .people
        .iter()
        .filter(|one| !one.get("entrant").is_empty())
    {
        let is_known = |person: &Row| person.get("id") == own.get("id") || but(person);
        let folder = students.join(EntrantsFolder::Views.folder_of(own.get("entrant")));
        has_none(&folder, &class.secrets(&is_known));
        own_folders += 1;
    }
    let there = fs::read_dir(students).expect("a folder");
    let there = there.filter(|entry| entry.as_ref().expect("readable").path().is_dir());
    assert_eq!(there.count(), own_folders);
}

fn nobody(_: &Row) -> bool {
    false
}

fn is_private(platform: &str, competitions: &[&str]) {
    for &competition in competitions {
        // By the rule of that course, students who submit no such file agree to be named.
        let by_roster = competition == "crazy-camel";
        let agrees = |person: &Row| by_roster && person.get("first") == "Zoë";
        let more: &[&str] = if by_roster { &["anonymous"] } else { &[] };
        let class = Class::of(platform, more);
        let out = class.scene.out();
        // Faults name people, too: in the other games this bot makes some.
        let small: &[&str] = match competition {
            "catch-the-cat" => &["--set", "side=5"],
            _ => &[],
        };
        class.play(competition, small);
        let (ended, public) = class.report(&out, "public");
        has_none(&public, &class.secrets(&agrees));
        let table = fs::read_to_string(public.join("standings.csv")).expect("written");
        assert_eq!(table.contains("Müller-Lüdenscheidt"), by_roster);
        let kinds: &[&str] = if by_roster {
            &["names in the public view: REAL NAMES on the roster (1), pseudonyms (4)"]
        } else {
            &["names in the public view: pseudonyms (5)"]
        };
        ended.says(kinds);
        let (ended, students) = class.report(&out, "student");
        ended.says(&["names in the student view: "]);
        names_nobody_else(&class, &students, &agrees);
        judge().arg("verify").arg(&public).ended().well();
    }
}

#[test]
fn nobody_is_named_who_submitted_through_moodle() {
    is_private("moodle", &["catch-the-cat", "reversi"]);
}

#[test]
fn nobody_is_named_who_submitted_through_canvas() {
    is_private("canvas", &["connect-four"]);
}

#[test]
fn nobody_is_named_who_submitted_through_artemis() {
    is_private("artemis", &["crazy-camel", "monkey-metal-man"]);
}

#[test]
fn watch_names_nobody_in_published_folders() {
    let class = Class::of("moodle", &[]);
    let file = class.scene.folder().join("competition.toml");
    let text = "game = \"catch-the-cat\"\ndeadline = 2026-03-27T20:00:00+01:00\ntoo_late = \"graded\"\n[config]\nside = 5\n";
    fs::write(&file, text).expect("writable");
    let folder = |name: &str| class.scene.folder().join(name);
    let (www, students) = (folder("www"), folder("students"));
    let flags: Vec<&OsStr> = vec![
        "--watch".as_ref(),
        "--publish".as_ref(),
        www.as_ref(),
        "--publish-students".as_ref(),
        students.as_ref(),
    ];
    let flags: Vec<&str> = flags
        .into_iter()
        .map(|flag| flag.to_str().expect("UTF-8"))
        .collect();
    let ended = class.play(file.to_str().expect("UTF-8"), &flags);
    ended.says(&["published names: pseudonyms"]);
    has_none(&www, &class.secrets(&nobody));
    names_nobody_else(&class, &students, &nobody);
}
