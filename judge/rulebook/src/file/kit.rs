//! The tables `[kit]` and `[toolchains]`: a course's additions to kits, and the folders of compilers.

use super::complaint::Wrong;
use crate::rules::Rules;
use engines::Sign;
use model::artifact::READ;
use model::competition::{CourseFile, CourseKit, WordCount};
use model::fault::quote;
use serde::Deserialize;
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
            let reason = format!(
                "[kit] is for submissions in a course's language, but {title} has only programs that speak the protocol"
            );
            return Err((span, reason));
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
        let wrong = |reason: String| Err((path.span(), format!("files: {shown}: {reason}")));
        let name = match name_of(path.get_ref()) {
            Ok(name) => name,
            Err(reason) => return wrong(reason.to_owned()),
        };
        if files.iter().any(|file| file.name == name) {
            return wrong(format!(
                "{name} appears twice; files have no folders in a build"
            ));
        }
        if let Some(whose) = taken(rules, name) {
            return wrong(format!("{name} is {whose}; remove it from the list"));
        }
        let text = match read(path.get_ref()).map(String::from_utf8) {
            Ok(Ok(text)) => text,
            Ok(Err(_)) => return wrong("is not UTF-8 text; save it as UTF-8".to_owned()),
            Err(reason) => return wrong(reason),
        };
        bytes += text.len();
        if bytes > FILES_BYTES_MAX {
            let most = FILES_BYTES_MAX >> 20;
            return wrong(format!("with it, the files exceed {most} MiB in total"));
        }
        files.push(CourseFile {
            name: name.to_owned(),
            text,
        });
    }
    Ok(files)
}

pub(super) fn name_of(path: &str) -> Result<&str, &'static str> {
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
    let span = list.span();
    if !list.get_ref().is_empty() && rules.kits().iter().all(|kit| kit.libraries.is_empty()) {
        let title = rules.info().title;
        let reason = format!("libraries: submissions for {title} have none to choose");
        return Err((span, reason));
    }
    let list = list.into_inner();
    for (index, name) in list.iter().enumerate() {
        let text = name.get_ref();
        let wrong = |reason: &str| {
            let shown = quote(text);
            Err((name.span(), format!("libraries: {shown} {reason}")))
        };
        let is_name = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
        if !text.starts_with(|c: char| c.is_ascii_alphanumeric()) || !text.chars().all(is_name) {
            return wrong("is not the name of a library");
        }
        if list[..index].iter().any(|one| one.get_ref() == text) {
            return wrong("appears twice");
        }
    }
    Ok(list.into_iter().map(Spanned::into_inner).collect())
}

fn word_count(list: &Spanned<Vec<i64>>) -> Result<WordCount, Wrong> {
    let of = |number: i64| {
        u64::try_from(number)
            .ok()
            .filter(|_| WORDS.contains(&number))
    };
    let both = match list.get_ref().as_slice() {
        [least, most] if least <= most => of(*least).zip(of(*most)),
        _ => None,
    };
    both.map(|(least, most)| WordCount { least, most })
        .ok_or_else(|| {
            let most = WORDS.end();
            let reason = format!(
                "comment_words: must be the fewest and the most words, for example [100, 500], each 1 to {most}"
            );
            (list.span(), reason)
        })
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
            return Err((program.span(), reason));
        }
        let (paths, what) = match value.get_ref() {
            Value::Array(paths) if name == READ => (paths.iter().map(fit_path).collect(), PATHS),
            _ if name == READ => (None, PATHS),
            folder => (fit_path(folder).map(|folder| vec![folder]), FOLDER),
        };
        let paths: Option<Vec<&str>> = paths;
        let Some(paths) = paths else {
            return Err((value.span(), format!("{name}: must be {what}")));
        };
        let paths = paths.join(":");
        Ok((program.into_inner(), paths))
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

#[cfg(test)]
mod tests {
    use super::super::read_with;
    use super::super::tests::rows;
    use model::competition::{CourseFile, WordCount};

    fn kit(game: &str, table: &str) -> Result<super::CourseKit, String> {
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
        let none = super::CourseKit::default();
        assert_eq!(none.libraries_of(&["array"]), ["array"]);
    }

    #[test]
    fn invalid_kit_files_are_refused_with_line() {
        for [game, table, words] in rows(
            r#"
            catch-the-cat | files = ["simulator.h",\n"missing.h"] | c.toml, line 4: files: missing.h: there is no such file
            catch-the-cat | files = ["../simulator.h"] | line 3: files: ../simulator.h: is outside the competition file's folder
            catch-the-cat | files = ["/etc/passwd"] | line 3: files: /etc/passwd: is outside
            catch-the-cat | files = [""] | line 3: files: : is not a file's name
            catch-the-cat | files = ["simulator.h", "kit/simulator.h"] | simulator.h appears twice
            catch-the-cat | files = ["IAgent.h"] | IAgent.h is a file of the judge's own
            catch-the-cat | files = ["Cat.h"] | Cat.h is what authors submit
            catch-the-cat | files = ["latin.h"] | is not UTF-8 text
            catch-the-cat | files = ["large.h"] | the files exceed 1 MiB
            connect-four | files = ["simulator.h"] | line 3: [kit] is for submissions in a course's language, but Connect Four has only
            catch-the-cat | libraries = ["boost"] | line 3: libraries: submissions for Catch the Cat have none to choose
            reversi | libraries = ["text", "-package"] | libraries: -package is not the name of a library
            reversi | libraries = ["text", "text"] | libraries: text appears twice
            reversi | comment_words = [500, 100] | line 3: comment_words: must be the fewest and the most words
            reversi | comment_words = [1] | line 3: comment_words
            reversi | comment_words = 7 | line 3: comment_words
            reversi | words = 7 | line 3: unknown key `words`
            "#,
        ) {
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
        for [line, words] in rows(
            r#"
            ghc = "bin"              | c.toml, line 3: ghc: must be the absolute path
            ghc = "/a/../b"          | c.toml, line 3: ghc: must be the absolute path
            ghc = "/a:/b"            | c.toml, line 3: ghc: must be the absolute path
            "a/b" = "/a"             | c.toml, line 3: a/b: must be the name of a program
            ghc = 1                  | c.toml, line 3: ghc: must be the absolute path
            read = "/etc/a"          | c.toml, line 3: read: must be a list of absolute paths
            read = ["/etc/a", "b"]   | c.toml, line 3: read: must be a list of absolute paths
            "#,
        ) {
            let error = read(&line).expect_err(&line);
            assert!(error.starts_with(&words), "{error:?} for {line}");
        }
    }
}
