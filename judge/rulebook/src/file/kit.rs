//! The tables `[kit]` and `[toolchains]`, and the key `states`: what may name other files and folders.

use super::complaint::{Wrong, each_once, wrong};
use super::values::{STATES_MAX, StateCount};
use crate::error::JudgeError;
use crate::rules::{Rules, RulesError};
use engines::Sign;
use model::artifact::READ;
use model::competition::{CourseFile, CourseKit, WordCount};
use model::fault::quote;
use serde::Deserialize;
use serde::de::{Deserializer, Error as _};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::{Component, Path};
use toml::{Spanned, Value};

/// Reads a course's own file by its path below the competition's folder. An error says why not.
pub(super) type FileReader<'a> = &'a dyn Fn(&str) -> Result<Vec<u8>, String>;

/// Maximum size of all files of a course together, in bytes. `run.json` contains them.
const FILES_BYTES_MAX: usize = 1 << 20;

const WORDS: RangeInclusive<i64> = 1..=100_000;

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KitTable {
    #[serde(default)]
    files: Vec<Spanned<String>>,
    libraries: Option<Spanned<Vec<Spanned<String>>>>,
    comment_words: Option<Spanned<Vec<i64>>>,
}

impl KitTable {
    pub(super) fn checked(
        self,
        rules: &dyn Rules,
        read: FileReader<'_>,
    ) -> Result<CourseKit, Wrong> {
        let first = self
            .files
            .first()
            .map(Spanned::span)
            .or_else(|| self.libraries.as_ref().map(Spanned::span))
            .or_else(|| self.comment_words.as_ref().map(Spanned::span));
        if let Some(span) = first.filter(|_| rules.kits().is_empty()) {
            let title = rules.info().title;
            return Err((
                span,
                format!(
                    "[kit] is for submissions in a course's language, but {title} has only programs that speak the protocol"
                ),
            ));
        }
        Ok(CourseKit {
            files: files(rules, &self.files, read)?,
            libraries: self
                .libraries
                .map(|list| libraries(rules, list))
                .transpose()?,
            comment_words: self.comment_words.as_ref().map(word_count).transpose()?,
        })
    }
}

fn files(
    rules: &dyn Rules,
    paths: &[Spanned<String>],
    read: FileReader<'_>,
) -> Result<Vec<CourseFile>, Wrong> {
    let mut files: Vec<CourseFile> = Vec::new();
    let mut bytes = 0;
    for path in paths {
        let shown = quote(path.get_ref());
        let file = file(rules, path.get_ref(), &files, read)
            .or_else(|reason| wrong(path, format!("files: {shown}: {reason}")))?;
        bytes += file.text.len();
        if bytes > FILES_BYTES_MAX {
            let most = FILES_BYTES_MAX >> 20;
            let reason = format!("files: {shown}: with it, the files exceed {most} MiB in total");
            return wrong(path, reason);
        }
        files.push(file);
    }
    Ok(files)
}

fn file(
    rules: &dyn Rules,
    path: &str,
    before: &[CourseFile],
    read: FileReader<'_>,
) -> Result<CourseFile, String> {
    let name = name_of(path)?;
    if before.iter().any(|file| file.name == name) {
        return Err(format!(
            "{name} appears twice; files have no folders in a build"
        ));
    }
    if let Some(whose) = taken(rules, name) {
        return Err(format!("{name} is {whose}; remove it from the list"));
    }
    Ok(CourseFile {
        name: name.to_owned(),
        text: text_of(read(path)?)?,
    })
}

fn text_of(bytes: Vec<u8>) -> Result<String, String> {
    String::from_utf8(bytes).map_err(|_| "is not UTF-8 text; save it as UTF-8".to_owned())
}

fn name_of(path: &str) -> Result<&str, &'static str> {
    const OUTSIDE: &str = "is outside the competition file's folder; copy it there";
    let mut name = None;
    for part in Path::new(path).components() {
        match part {
            Component::Normal(part) => name = part.to_str(),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                return Err(OUTSIDE);
            }
        }
    }
    name.filter(|name| !name.chars().any(char::is_control))
        .ok_or("is not a file's name")
}

fn taken(rules: &dyn Rules, name: &str) -> Option<&'static str> {
    rules.kits().iter().find_map(|kit| {
        if kit.files.iter().any(|(path, _)| *path == name) {
            return Some("a file of the judge's own");
        }
        let submitted = match kit.sign {
            Sign::Flat(names) => names.contains(&name),
            Sign::Anywhere(wanted) => wanted == name,
            Sign::Text { .. } => false,
        };
        submitted.then_some("what authors submit")
    })
}

fn libraries(rules: &dyn Rules, list: Spanned<Vec<Spanned<String>>>) -> Result<Vec<String>, Wrong> {
    if !list.get_ref().is_empty() && rules.kits().iter().all(|kit| kit.libraries.is_empty()) {
        let title = rules.info().title;
        let reason = format!("libraries: submissions for {title} have none to choose");
        return wrong(&list, reason);
    }
    let refused = |name: &String| {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
        let is_name =
            name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.chars().all(is_plain);
        (!is_name).then(|| format!("{} is not the name of a library", quote(name)))
    };
    each_once("libraries", list.into_inner(), |name| quote(name), refused)
}

fn word_count(list: &Spanned<Vec<i64>>) -> Result<WordCount, Wrong> {
    match *list.get_ref().as_slice() {
        [least, most] if least <= most && WORDS.contains(&least) && WORDS.contains(&most) => {
            Ok(WordCount {
                least: least.cast_unsigned(),
                most: most.cast_unsigned(),
            })
        }
        _ => {
            let most = WORDS.end();
            wrong(
                list,
                format!(
                    "comment_words: must be the fewest and the most words, for example [100, 500], each 1 to {most}"
                ),
            )
        }
    }
}

/// The table as written: the name of each program and its folder, and [`READ`] with a list.
pub(super) type ToolchainsTable = BTreeMap<Spanned<String>, Spanned<Value>>;

/// Returns the folder of each named program, and under [`READ`] further readable paths, in the form of PATH.
pub(super) fn toolchains(table: ToolchainsTable) -> Result<BTreeMap<String, String>, Wrong> {
    let checked = |(program, value): (Spanned<String>, Spanned<Value>)| {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "+-_.".contains(c);
        let name = program.get_ref();
        if name.is_empty() || name.starts_with('.') || !name.chars().all(is_plain) {
            let shown = quote(name);
            let reason =
                format!("{shown}: must be the name of a program, for example ghc or python3");
            return wrong(&program, reason);
        }
        let (paths, what) = match value.get_ref() {
            Value::Array(paths) if name == READ => (paths.iter().map(fit_path).collect(), PATHS),
            _ if name == READ => (None, PATHS),
            folder => (fit_path(folder).map(|folder| vec![folder]), FOLDER),
        };
        let paths: Option<Vec<&str>> = paths;
        let Some(paths) = paths else {
            return wrong(&value, format!("{name}: must be {what}"));
        };
        Ok((program.into_inner(), paths.join(":")))
    };
    table.into_iter().map(checked).collect()
}

const FOLDER: &str = "the absolute path of the program's folder, for example \"/opt/ghc/bin\"";
const PATHS: &str = "a list of absolute paths, for example [\"/etc/tool\"]";

/// Returns a path that is absolute, leads nowhere up, and can be in PATH.
fn fit_path(value: &Value) -> Option<&str> {
    let text = value.as_str()?;
    let path = Path::new(text);
    let leads_up = path.components().any(|part| part == Component::ParentDir);
    (path.is_absolute() && !leads_up && !text.contains([':', '\0'])).then_some(text)
}

/// Maximum size of a file with setups, in bytes. `run.json` contains them.
const STARTS_BYTES_MAX: usize = 4 << 20;

pub(super) enum States {
    Drawn(u32),
    /// The path of a file with a setup on each line.
    Listed(String),
}

impl<'de> Deserialize<'de> for States {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(source)?;
        match value.as_str() {
            Some(path) if path.parse::<u64>().is_err() => Ok(Self::Listed(path.to_owned())),
            _ => StateCount::deserialize(value)
                .map(|count| Self::Drawn(count.0))
                .map_err(|error| D::Error::custom(error.message())),
        }
    }
}

pub(super) fn states(
    rules: &dyn Rules,
    states: Option<Spanned<States>>,
    read: FileReader<'_>,
) -> Result<(u32, Vec<Box<RawValue>>), Wrong> {
    let Some(states) = states else {
        return Ok((1, Vec::new()));
    };
    match states.get_ref() {
        States::Drawn(count) => Ok((*count, Vec::new())),
        States::Listed(path) => {
            let shown = quote(path);
            let starts = listed(rules, path, read)
                .or_else(|reason| wrong(&states, format!("states: {shown}{reason}")))?;
            Ok((u32::try_from(starts.len()).expect("bounded"), starts))
        }
    }
}

fn listed(
    rules: &dyn Rules,
    path: &str,
    read: FileReader<'_>,
) -> Result<Vec<Box<RawValue>>, String> {
    let text = starts_text(path, read).map_err(|reason| format!(": {reason}"))?;
    let mut starts = Vec::new();
    let mut seats = None;
    let numbered = text.lines().zip(1..);
    for (line, number) in numbered.filter(|(line, _)| !line.trim().is_empty()) {
        let wrong = |reason: String| format!(", line {number}: {reason}");
        let (start, own) = setup(rules, line).map_err(wrong)?;
        let (first, all) = *seats.get_or_insert((number, own));
        if own != all {
            return Err(wrong(format!(
                "is for {own} seats, but line {first} for {all}"
            )));
        }
        starts.push(start);
    }
    match starts.len() {
        0 => Err(
            ": has no setup; write one on each line, in the form that judge referee has".to_owned(),
        ),
        count if count > STATES_MAX as usize => Err(format!(": has more than {STATES_MAX} lines")),
        _ => Ok(starts),
    }
}

fn starts_text(path: &str, read: FileReader<'_>) -> Result<String, String> {
    name_of(path)?;
    let bytes = read(path)?;
    if bytes.len() > STARTS_BYTES_MAX {
        return Err(format!("exceeds {} MiB", STARTS_BYTES_MAX >> 20));
    }
    text_of(bytes)
}

/// Reads one setup, and returns it in the game's spelling with its number of seats.
fn setup(rules: &dyn Rules, line: &str) -> Result<(Box<RawValue>, usize), String> {
    let refused = |reason: engines::Refused| JudgeError::input(reason.to_string());
    let words = |error: JudgeError| error.to_string();
    let told = |error: RulesError| words(error.reported(refused));
    let read: Box<RawValue> =
        serde_json::from_str(line).map_err(|error| format!("is not JSON: {error}"))?;
    let setup = rules.spell_setup(&read).map_err(told)?;
    let position = rules.start(&setup).map_err(told)?;
    if position.to_move().map_err(words)?.is_empty() {
        return Err("the game is over before the first move".to_owned());
    }
    Ok((setup, position.seats().map_err(words)?))
}

#[cfg(test)]
mod tests {
    use super::super::tests::rows;
    use super::super::{Loaded, read_with};
    use super::CourseKit;
    use crate::changes::{Changes, KeyChange};
    use crate::schedule;
    use model::competition::{CourseFile, FINAL, WordCount};
    use model::draw::Draw;

    fn kit(game: &str, table: &str) -> Result<CourseKit, String> {
        let text = format!("game = \"{game}\"\n[kit]\n{table}\n");
        let files = |path: &str| match path {
            "simulator.h" | "kit/simulator.h" | "./extra.h" => Ok(b"struct World;\n".to_vec()),
            "latin.h" => Ok(b"// \xe4\n".to_vec()),
            "large.h" => Ok(vec![b' '; (1 << 20) + 1]),
            _ => Err("there is no such file".to_owned()),
        };
        let loaded = read_with("c.toml", &text, &files).map_err(|error| error.to_string())?;
        Ok(loaded.competition.kit)
    }

    #[test]
    fn course_files_are_read_under_bare_names() {
        let kit = kit(
            "catch-the-cat",
            "files = [\"kit/simulator.h\", \"./extra.h\"]",
        );
        let file = |name: &str| CourseFile {
            name: name.to_owned(),
            text: "struct World;\n".to_owned(),
        };
        let expected = [file("simulator.h"), file("extra.h")];
        assert_eq!(kit.expect("allowed").files, expected);
    }

    #[test]
    fn libraries_and_words_are_taken_as_they_stand() {
        let table = "libraries = [\"containers\"]\ncomment_words = [100, 500]";
        let kit = kit("reversi", table).expect("allowed");
        assert_eq!(kit.libraries_of(&["array"]), ["containers"]);
        let words = WordCount {
            least: 100,
            most: 500,
        };
        assert_eq!(kit.comment_words, Some(words));
        let none = CourseKit::default();
        assert_eq!(none.libraries_of(&["array"]), ["array"]);
    }

    #[test]
    fn invalid_kit_files_are_refused_with_line() {
        for [game, table, words] in rows(include_str!("wrong_kits.txt")) {
            let error = kit(&game, &table).expect_err(&table);
            assert!(error.contains(&words), "{words:?} is not in {error:?}");
        }
    }

    #[test]
    fn a_program_is_named_with_its_folder() {
        let read = |lines: &str| {
            let text = format!("game = \"reversi\"\n[toolchains]\n{lines}\n");
            let read = super::super::read("c.toml", &text);
            read.map(|loaded| loaded.toolchains)
                .map_err(|error| error.to_string())
        };
        let found = read("ghc = \"/opt/ghc/bin\"\n\"g++\" = \"/opt/gcc/bin\"").expect("allowed");
        assert_eq!(found["ghc"], "/opt/ghc/bin");
        assert_eq!(found["g++"], "/opt/gcc/bin");
        let found = read("read = [\"/etc/a\", \"/srv/b\"]").expect("allowed");
        assert_eq!(found["read"], "/etc/a:/srv/b");
        for [line, words] in rows(include_str!("wrong_toolchains.txt")) {
            let error = read(&line).expect_err(&line);
            assert!(error.starts_with(&words), "{error:?} for {line}");
        }
    }

    const EMPTY: &str =
        r#"{"board":["......","......","......","......","......","......","......"]}"#;
    const RED: &str =
        r#"{"board":["......","......","......","R.....","......","......","......"]}"#;

    fn read_states(value: &str, content: &str) -> Result<Loaded, String> {
        let text = format!("game = \"connect-four\"\nstates = {value}\n");
        let files = |path: &str| match path {
            "s.jsonl" => Ok(content.as_bytes().to_vec()),
            _ => Err("is not in .".to_owned()),
        };
        read_with("c.toml", &text, &files).map_err(|error| error.to_string())
    }

    /// Returns the setups of the competition's states.
    fn setups(loaded: &Loaded) -> Vec<String> {
        let competition = &loaded.competition;
        let setup = |state| {
            let draw = Draw::public(1, FINAL);
            schedule::setup(&*loaded.rules, competition, &draw, state)
                .map(|setup| setup.to_string())
        };
        let setups: Result<_, _> = (0..competition.states).map(setup).collect();
        setups.expect("allowed")
    }

    #[test]
    fn each_line_is_setup_and_number_limits_games() {
        let spaced = RED.replace(':', " : ");
        let loaded =
            read_states("\"s.jsonl\"", &format!("{EMPTY}\n\n  {spaced}\n")).expect("allowed");
        assert_eq!(setups(&loaded), [EMPTY, RED]);
        let changed = |key: &str, value: &str| {
            let flags = Changes {
                keys: vec![KeyChange::by_flag(key, value.to_owned())],
                ..Changes::default()
            };
            loaded.clone().changed(&flags)
        };
        for (key, value, expected) in [
            ("states", "1", &[EMPTY][..]),
            ("states", "2", &[EMPTY, RED]),
            ("clock.turn_s", "1", &[EMPTY, RED]),
        ] {
            assert_eq!(setups(&changed(key, value).expect("allowed")), expected);
        }
        let refused = changed("states", "3").map(|_| ()).expect_err("too many");
        let words = "--states 3: the file of start positions has 2 lines; add lines";
        assert!(refused.to_string().starts_with(words), "{refused}");
    }

    #[test]
    fn invalid_setup_is_refused_with_its_line() {
        let yellow = RED.replace('R', "Y");
        let won = RED
            .replace("R.....", "RRRR..")
            .replacen("......", "YYY...", 1);
        let contents = [
            ("bad", format!("{EMPTY}\n{EMPTY}\n{yellow}\n")),
            ("won", won),
            ("text", format!("{EMPTY}\nboard\n")),
            ("bored", "{\"bored\":[]}".to_owned()),
            ("blank", "\n".to_owned()),
            ("large", " ".repeat(5 << 20)),
            ("none", String::new()),
        ];
        for [value, content, words] in rows(include_str!("wrong_setups.txt")) {
            let (_, content) = contents
                .iter()
                .find(|(name, _)| *name == content)
                .expect("named");
            let error = read_states(&value, content).expect_err(&words);
            assert!(error.contains(&words), "{words:?} is not in {error:?}");
        }
    }

    #[test]
    fn all_setups_must_have_same_number_of_seats() {
        let rules = crate::rules::find("monkey-metal-man").expect("registered");
        let setup = |players: u32| {
            let config = rules
                .configure(&format!("{{\"players\":{players}}}"))
                .expect("allowed");
            rules.draw(&config, 1).expect("allowed").to_string()
        };
        let content = format!("{}\n{}\n", setup(4), setup(3));
        let error = super::listed(&*rules, "s.jsonl", &|_| Ok(content.clone().into_bytes()));
        let found = error.expect_err("mixed");
        assert_eq!(found, ", line 2: is for 3 seats, but line 1 for 4");
    }
}
