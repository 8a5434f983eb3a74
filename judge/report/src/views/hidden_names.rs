//! The one check for hidden names, on the way into every view for the public and for students. What
//! an author wrote is masked. What the judge composed must not have such a name, or nothing is
//! published.

#![expect(
    clippy::disallowed_methods,
    reason = "only the judge writes into a view that is being made"
)]

use crate::exports::people_of_run;
use crate::run_data::PlayedRun;
use crate::sheet::column;
use model::builtin::is_builtin;
use rulebook::{IoContext, Result, refuse};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use store::names::{PublicNames, is_distinct, without_number};

const MASK: &str = "[hidden]";
/// The columns of people, besides those with a role's name.
const COLUMNS: &str = "entrant public_name opponent opponents winner charged";
const KEYS: [&str; 2] = ["\"entrant\":\"", "\"name\": \""];

/// The names, logins, ids and addresses that views hide.
#[derive(Debug, Default)]
pub struct HiddenNames {
    /// By their first word; the longest first.
    hidden: HashMap<String, Vec<Hidden>>,
    columns: Vec<String>,
    /// Names that authors wrote in moves, which cannot be masked.
    disclosed: Mutex<BTreeSet<String>>,
}

#[derive(Debug)]
struct Hidden {
    text: String,
    whose: Vec<String>,
    /// Whether a shown name or the title has it, too.
    is_shown: bool,
}

impl HiddenNames {
    /// Collects the names that a run's views hide.
    pub fn new(run: &PlayedRun<'_>, names: &PublicNames) -> Result<Self> {
        let mut shown: HashMap<&str, &str> = run
            .manifest
            .entrants
            .iter()
            .map(|line| line.name.as_str())
            .filter(|name| !is_builtin(name))
            .map(|one| (one, names.of(one)))
            .collect();
        let people = people_of_run(run.folder)?;
        let facts = people.iter().flat_map(|one| {
            [&one.name, &one.id, &one.email].map(|fact| (fact.as_str(), one.submission.as_str()))
        });
        let own: Vec<_> = shown
            .keys()
            .copied()
            .flat_map(|one| [(one, one), (without_number(one), one)])
            .collect();
        shown.insert("", &run.manifest.competition.title);
        let mut hidden_names = Self::of(facts.chain(own), &shown);
        let roles = run.roles()?.iter().map(|role| column(role));
        hidden_names.columns.extend(roles);
        Ok(hidden_names)
    }

    fn of<'a>(
        facts: impl Iterator<Item = (&'a str, &'a str)>,
        shown: &HashMap<&str, &str>,
    ) -> Self {
        let mut all: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for (text, entrant) in facts {
            let text = text
                .trim()
                .trim_start_matches(|c: char| !c.is_alphanumeric());
            if !text.is_empty() && shown.get(entrant).is_none_or(|own| !has(own, text)) {
                all.entry(text).or_default().push(entrant.to_owned());
            }
        }
        let mut hidden_names = Self {
            columns: COLUMNS.split(' ').map(str::to_owned).collect(),
            ..Self::default()
        };
        for (text, whose) in all.into_iter().rev() {
            hidden_names
                .hidden
                .entry(first_word(text).to_owned())
                .or_default()
                .push(Hidden {
                    text: text.to_owned(),
                    whose,
                    is_shown: shown.values().any(|shown| has(shown, text)),
                });
        }
        hidden_names
    }

    fn find<'a>(&'a self, text: &'a str) -> impl Iterator<Item = (&'a str, &'a Hidden, &'a str)> {
        let mut in_word = false;
        text.char_indices()
            .filter(move |(_, c)| {
                let was_in_word = std::mem::replace(&mut in_word, c.is_alphanumeric());
                in_word && !was_in_word
            })
            .flat_map(move |(at, _)| {
                let (before, rest) = text.split_at(at);
                self.hidden
                    .get(first_word(rest))
                    .into_iter()
                    .flatten()
                    .filter_map(move |one| {
                        let after = rest.strip_prefix(&*one.text)?;
                        let is_whole = !after.starts_with(char::is_alphanumeric);
                        is_whole.then_some((before, one, after))
                    })
            })
    }

    /// Masks the hidden names in what an author wrote, except the reader's own. An id of digits
    /// alone is any number, and a word in a path or in code is no name.
    pub(super) fn mask(&self, text: &str, reader: &str) -> String {
        let (mut masked, mut end) = (String::new(), 0);
        for (before, one, after) in self.find(text) {
            let ends = [
                before.rsplit(char::is_whitespace).next(),
                after.split(char::is_whitespace).next(),
            ];
            let is_word = one.text.contains(char::is_alphabetic)
                && (ends.into_iter().flatten())
                    .all(|end| end.chars().all(|c| "().,:;!?".contains(c)));
            let is_name = is_word || is_distinct(&one.text);
            if before.len() >= end && is_name && !one.is_of(reader) {
                masked.extend([&before[end..], MASK]);
                end = text.len() - after.len();
            }
        }
        masked + &text[end..]
    }

    pub(super) fn add_disclosed(&self, text: &str) {
        let names = self.find(text).map(|(_, one, _)| one.text.clone());
        self.disclosed
            .lock()
            .expect("no thread panics")
            .extend(names);
    }

    pub(super) fn refuse_leaks(&self, folder: &Path, reader: &str) -> Result {
        for (path, is_folder) in entries(folder)? {
            if is_folder {
                self.refuse_leaks(&path, reader)?;
                continue;
            }
            let leak = self.leak_in(&path, reader);
            if let Some(leak) = leak.or_io("read", &path)? {
                return refuse(format!(
                    "{} would show {leak}, which is hidden, so nothing is published; report this as a bug of judge",
                    path.file_name().unwrap_or_default().display()
                ));
            }
        }
        Ok(())
    }

    fn leak_in(&self, path: &Path, reader: &str) -> io::Result<Option<String>> {
        let file = BufReader::new(File::open(path)?);
        if path.extension().is_none_or(|ending| ending != "csv") {
            let mut lines = file.split(b'\n');
            let leak = |line: Vec<u8>| self.leak(&String::from_utf8_lossy(&line), reader, false);
            return lines
                .find_map(|line| line.map(leak).transpose())
                .transpose();
        }
        let mut sheet = ::csv::Reader::from_reader(file);
        let heads = sheet.headers()?.clone();
        for row in sheet.records() {
            let row = row?;
            let mut cells = row.iter().zip(&heads);
            let is_of_people = |head: &str| self.columns.iter().any(|column| column == head);
            let leak = cells.find_map(|(cell, head)| self.leak(cell, reader, is_of_people(head)));
            if leak.is_some() {
                return Ok(leak);
            }
        }
        Ok(None)
    }

    /// Finds a hidden name in a text or in a cell, and says whose it is. A name that is not distinct
    /// must be the whole cell of a column of people, or an entrant in JSON.
    fn leak(&self, text: &str, reader: &str, is_of_people: bool) -> Option<String> {
        let mut found = self.find(text).filter(|(before, one, after)| {
            let is_whole = if is_of_people {
                before.is_empty() && after.is_empty()
            } else {
                after.starts_with('"') && KEYS.iter().any(|key| before.ends_with(key))
            };
            let is_name = is_whole || is_distinct(&one.text);
            let disclosed = || self.disclosed.lock().expect("no thread panics");
            is_name && !one.is_shown && !one.is_of(reader) && !disclosed().contains(&one.text)
        });
        let (_, one, _) = found.next()?;
        Some(format!("{:?} of {}", one.text, one.whose.join(", ")))
    }
}

impl Hidden {
    fn is_of(&self, reader: &str) -> bool {
        self.whose.iter().any(|one| one == reader)
    }
}

fn has(shown: &str, name: &str) -> bool {
    shown == name || is_distinct(name) && shown.contains(name)
}

fn first_word(text: &str) -> &str {
    text.split(|c: char| !c.is_alphanumeric())
        .next()
        .unwrap_or(text)
}

pub(super) fn entries(folder: &Path) -> Result<Vec<(PathBuf, bool)>> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).or_io("read", folder)? {
        let entry = entry.or_io("read", folder)?;
        all.push((
            entry.path(),
            entry.file_type().or_io("read", folder)?.is_dir(),
        ));
    }
    all.sort();
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn hidden_names() -> HiddenNames {
        let facts = "cat=cat|Cat=cat|black=black|Black=black|Li=li|1=li|li.x@example.org=li|\
                     ann=ann|Ann Lee=ann|bob=bob|Zoe Fox=zoe";
        let shown = "cat=Black Dragonfly|black=Teal Fox|li=thunder|ann=Amber Crane|bob=bob|\
                     zoe=Azure Bat|=The Zoe Fox Cup";
        let pairs = |text: &'static str| text.split('|').filter_map(|pair| pair.split_once('='));
        HiddenNames::of(pairs(facts), &pairs(shown).collect())
    }

    #[test]
    fn words_of_authors_are_masked_in_place() {
        let hidden_names = hidden_names();
        let masked = "[hidden], [hidden] and [hidden]: 1 of 1";
        let code = "Cat.java:1: class Black{} \"cat\" annex";
        for (text, expected) in [
            ("I am Ann Lee!", "I am [hidden]!"),
            ("Ann Lee (ann)", "[hidden] ([hidden])"),
            ("<li.x@example.org>", "<[hidden]>"),
            ("Cat, Black and Li: 1 of 1", masked),
            (code, code),
            ("bob", "bob"),
        ] {
            assert_eq!(hidden_names.mask(text, "bob"), expected);
        }
        assert_eq!(hidden_names.mask("I am Ann Lee", "ann"), "I am Ann Lee");
    }

    #[test]
    fn hidden_names_of_the_judge_stop_a_view() {
        let ann = "\"Ann Lee\" of ann";
        for (name, text, leak) in [
            ("a.csv", "1,Black Dragonfly,cat,1 black", ""),
            ("a.csv", "2,1,,", "\"1\" of li"),
            ("a.csv", "2,Cat,,", "\"Cat\" of cat"),
            ("a.csv", "2,bob,,ahead of Ann Lee", ann),
            ("a.html", "Ann Leeds plays Black at 1; Zoe Fox", ""),
            ("a.html", "ahead of Ann Lee.", ann),
            ("a.jsonl", r#"{"entrant":"bob","role":"cat"}"#, ""),
            ("a.jsonl", r#"{"entrant":"cat"}"#, "\"cat\" of cat"),
        ] {
            let view = tempfile::tempdir().expect("a temporary folder");
            let is_table = name == "a.csv";
            let head = ["", "rank,entrant,role,reason\n"][usize::from(is_table)];
            fs::write(view.path().join(name), format!("{head}{text}\n")).expect("writable");
            let found = hidden_names().refuse_leaks(view.path(), "").err();
            let words = "which is hidden, so nothing is published; report this as a bug of judge";
            let expected = format!("{name} would show {leak}, {words}");
            let expected = (!leak.is_empty()).then_some(expected);
            assert_eq!(found.map(|error| error.to_string()), expected, "{text}");
        }
        let hidden_names = hidden_names();
        assert_eq!(hidden_names.leak("Ann Lee", "ann", false), None, "her own");
        hidden_names.add_disclosed("[\"Ann Lee\"]");
        let leak = hidden_names.leak("Ann Lee", "", false);
        assert_eq!(leak, None, "a move says so");
    }
}
