//! Real names from learning platforms. No public file has them, and no student's file has those of
//! other people.

use crate::classes::Class;
use crate::support::{Ended, Row, files_below};
use model::entrants_folder::EntrantsFolder;
use std::fs;
use std::path::{Path, PathBuf};

/// Number of people; all but one submit. Names have umlauts and an apostrophe; two are equal.
const PEOPLE: &str = "6";

impl Class {
    fn report(&self, view: &str) -> (Ended, PathBuf) {
        let report = format!("report out --view {view} --full --out {view}");
        (self.scene.judge(&report), self.scene.folder().join(view))
    }

    /// Lists texts that identify people, except those accepted by `but`, with the ids of the people.
    fn secrets<'a>(&'a self, but: &'a dyn Fn(&Row) -> bool) -> Vec<(&'a str, String)> {
        let hidden = self.people.iter().filter(|person| !but(person));
        let shown = self.people.iter().filter(|person| but(person));
        let shown: Vec<String> = shown.flat_map(forms).collect();
        let all = hidden.flat_map(|person| {
            let forms = forms(person).into_iter();
            forms.map(|form| (person.get("id"), form))
        });
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
            let is_there = text.contains(secret) || name.contains(secret);
            let folder = folder.display();
            assert!(!is_there, "{secret:?} of {whose} is in {name} of {folder}");
        }
    }
}

fn names_nobody_else(class: &Class, students: &Path, but: &dyn Fn(&Row) -> bool) {
    let mut own_folders = 0;
    let people = class.people.iter();
    for own in people.filter(|one| !one.get("entrant").is_empty()) {
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
        let more = [PEOPLE, "anonymous"];
        let class = Class::of(platform, &more[..if by_roster { 2 } else { 1 }]);
        // Faults name people, too: in the other games this bot makes some.
        let small = if competition == "catch-the-cat" {
            "--set side=5 --lifetime game"
        } else {
            ""
        };
        class.play(competition, &format!("--states 1 {small}"));
        let (ended, public) = class.report("public");
        has_none(&public, &class.secrets(&agrees));
        let table = class.scene.text("public/standings.csv");
        assert_eq!(table.contains("Müller-Lüdenscheidt"), by_roster);
        ended.says(&[if by_roster {
            "names in the public view: REAL NAMES on the roster (1), pseudonyms (4)"
        } else {
            "names in the public view: pseudonyms (5)"
        }]);
        let (ended, students) = class.report("student");
        ended.says(&["names in the student view: "]);
        names_nobody_else(&class, &students, &agrees);
        class.scene.judge("verify public");
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
    let class = Class::of("moodle", &[PEOPLE]);
    let text = "game = \"catch-the-cat\"\ndeadline = 2026-03-27T20:00:00+01:00\ntoo_late = \"graded\"\n[config]\nside = 5\n[bots]\nlifetime = \"game\"\n";
    class.scene.write("competition.toml", text);
    let flags = "--states 1 --watch --publish www --publish-students students";
    let ended = class.play("competition.toml", flags);
    ended.says(&["published names: pseudonyms"]);
    let [www, students] = ["www", "students"].map(|name| class.scene.folder().join(name));
    has_none(&www, &class.secrets(&nobody));
    names_nobody_else(&class, &students, &nobody);
}
