//! Recognition of a submission's form from its files.

use crate::read::executable::{self, NOTHING};
use crate::read::names::base_name;
use crate::read::source::{SourceFile, has_ending, nearest_named};
use crate::read::submission::Form;
use engines::{Kit, Sign};
use model::fault::quote;
use model::text::listed;
use rulebook::nearest::nearest;
use rulebook::rules::Rules;
use std::sync::Arc;

/// Endings that a file may have in place of the required one.
const ALIKE: &[&str] = &["hpp", "hh", "hxx", "cpp", "cc", "c", "mli", "lhs", "txt"];

/// Returns the form of a submission. Where nothing is executable, it makes scripts and programs so.
pub(crate) fn recognise(
    files: &mut [SourceFile],
    game: Option<&dyn Rules>,
) -> Result<Form, String> {
    if let Some((rules, kit)) = kits().find(|(_, kit)| shows(files, &kit.sign)) {
        check_single(files, &kit.sign)?;
        return Ok(Form::Sources(rules.info().slug, kit));
    }
    let program = match executable::find(files) {
        Ok(program) => program,
        Err(reason) => match no_program(files, game, reason.as_deref())? {
            Some(program) => program,
            None => return Ok(Form::Described),
        },
    };
    match executable::interpreter(&files[program]) {
        // Its mode says nothing: where a zip or a disk of Windows was, everything is executable.
        Err(_) if executable::usual_manifest(files, false).is_some() => Ok(Form::Described),
        Err(reason) => Err(reason),
        Ok(_) => Ok(Form::Executable(program)),
    }
}

fn no_program(
    files: &mut [SourceFile],
    game: Option<&dyn Rules>,
    reason: Option<&str>,
) -> Result<Option<usize>, String> {
    let words = reason.unwrap_or(NOTHING);
    if let Some(hint) = almost(files).or_else(|| misspelled(files, game)) {
        return Err(hint);
    }
    let asked: Vec<String> = asked_for(files, game).collect();
    if executable::usual_manifest(files, !asked.is_empty()).is_some() {
        return Ok(None);
    }
    if !asked.is_empty() {
        return Err([&[words.to_owned()][..], &asked].concat().join("; "));
    }
    if let Some(first) = files
        .first()
        .filter(|_| files.iter().all(SourceFile::is_empty))
    {
        return Err(first.reason_if_empty());
    }
    if let Some(program) = executable::find_without_modes(files) {
        return Ok(Some(program));
    }
    Err(match (executable::needs_description(files), reason) {
        (Some(next), _) => format!("{words}; {next}"),
        (None, None) if !files.is_empty() => {
            let names: Vec<String> = files.iter().map(|file| quote(&file.path)).collect();
            format!("{words}, but {}", listed(&names))
        }
        (None, _) => words.to_owned(),
    })
}

pub(crate) fn kits() -> impl Iterator<Item = (Arc<dyn Rules>, &'static Kit)> {
    rulebook::rules::built_in().flat_map(|rules| {
        rules
            .kits()
            .iter()
            .map(move |kit| (Arc::clone(&rules), kit))
    })
}

pub(crate) fn kits_of(
    game: Option<&dyn Rules>,
) -> impl Iterator<Item = (Arc<dyn Rules>, &'static Kit)> {
    let slug = game.map(|game| game.info().slug);
    kits().filter(move |(rules, _)| slug.is_none_or(|slug| slug == rules.info().slug))
}

fn shows(files: &[SourceFile], sign: &Sign) -> bool {
    match sign {
        Sign::Flat(names) => names
            .iter()
            .all(|name| files.iter().any(|file| file.path == *name)),
        Sign::Anywhere(name) => files.iter().any(|file| base_name(&file.path) == *name),
        Sign::Text { .. } => files.iter().any(|file| says(file, sign)),
    }
}

/// Refuses a file that occurs more than once, unless one is nearest to the submission's folder.
fn check_single(files: &[SourceFile], sign: &Sign) -> Result<(), String> {
    let Sign::Anywhere(name) = sign else {
        return Ok(());
    };
    let nearest = nearest_named(files.iter(), name);
    if nearest.len() < 2 {
        return Ok(());
    }
    let nearest: Vec<String> = nearest.iter().map(|file| quote(&file.path)).collect();
    Err(format!(
        "has {name} more than once ({}); submit only one of them, or each by itself",
        nearest.join(", ")
    ))
}

pub(crate) fn says(file: &SourceFile, sign: &Sign) -> bool {
    let Sign::Text { ending, has, .. } = sign else {
        return false;
    };
    if self::ending(&file.path) != *ending {
        return false;
    }
    let text = String::from_utf8_lossy(&file.bytes);
    has.iter().all(|words| text.contains(words)) && !speaks_itself(file, sign)
}

fn speaks_itself(file: &SourceFile, sign: &Sign) -> bool {
    let Sign::Text { lacks, .. } = sign else {
        return false;
    };
    let text = String::from_utf8_lossy(&file.bytes);
    lacks.iter().any(|words| text.contains(words))
}

fn almost(files: &[SourceFile]) -> Option<String> {
    kits().find_map(|(rules, kit)| {
        let (names, flat) = match &kit.sign {
            Sign::Flat(names) => (*names, true),
            Sign::Anywhere(name) => (std::slice::from_ref(name), false),
            Sign::Text { .. } => return None,
        };
        let found = names.iter().map(|name| find_file(files, name, flat));
        let found: Vec<Result<Option<String>, String>> = found.collect();
        if found.iter().all(Result::is_err) {
            return None;
        }
        let hints = found
            .into_iter()
            .filter_map(|found| found.unwrap_or_else(Some));
        Some(format!(
            "looks like {} in {}, but {}",
            rules.info().title,
            kit.language,
            hints.collect::<Vec<_>>().join(", and ")
        ))
    })
}

pub(crate) fn misspelled(files: &[SourceFile], game: Option<&dyn Rules>) -> Option<String> {
    kits_of(game).find_map(|(rules, kit)| {
        let Sign::Text { ending, has, .. } = kit.sign else {
            return None;
        };
        files.iter().find_map(|file| {
            if self::ending(&file.path) != ending || speaks_itself(file, &kit.sign) {
                return None;
            }
            let text = String::from_utf8_lossy(&file.bytes);
            let mut lacking = has.iter().filter(|words| !text.contains(**words));
            let (Some(words), None) = (lacking.next(), lacking.next()) else {
                return None;
            };
            let (keyword, name) = words.rsplit_once(' ')?;
            let found = nearest(name, named_after(&text, keyword))?;
            let path = quote(&file.path);
            Some(format!(
                "looks like {} in {}, but {path} has {keyword} {found}; did you mean {words}?",
                rules.info().title,
                kit.language
            ))
        })
    })
}

fn named_after<'a>(text: &'a str, keyword: &'a str) -> impl Iterator<Item = &'a str> {
    let behind = text
        .lines()
        .filter_map(move |line| line.trim_start().strip_prefix(keyword));
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    behind.filter_map(move |rest| {
        let name = rest.strip_prefix(' ')?.trim_start();
        let end = name.find(|c| !is_name(c)).unwrap_or(name.len());
        Some(&name[..end])
    })
}

fn asked_for(files: &[SourceFile], game: Option<&dyn Rules>) -> impl Iterator<Item = String> {
    kits_of(game).filter_map(|(rules, kit)| {
        let endings: Vec<&str> = kit.files.iter().map(|(name, _)| ending(name)).collect();
        let file = files.iter().find(|file| {
            endings.contains(&ending(&file.path)) && !speaks_itself(file, &kit.sign)
        })?;
        let found = if matches!(kit.sign, Sign::Text { .. }) && file.is_empty() {
            file.reason_if_empty()
        } else {
            format!("it has {}", quote(&file.path))
        };
        Some(format!(
            "for {} in {} it must contain {}, but {found}",
            rules.info().title,
            kit.language,
            kit.sign
        ))
    })
}

pub(crate) fn ending(path: &str) -> &str {
    base_name(path).rsplit_once('.').map_or("", |(_, own)| own)
}

/// Looks for a required file. Returns what is wrong with the nearest one, or that none is there.
fn find_file(files: &[SourceFile], name: &str, flat: bool) -> Result<Option<String>, String> {
    let paths = || files.iter().map(|file| file.path.as_str());
    let same = |path: &&str| path.eq_ignore_ascii_case(name);
    let misspelled = |path| Ok(Some(format!("{path} must be spelled {name}")));
    if paths().any(|path| path == name) {
        return Ok(None);
    }
    if let Some(path) = paths().find(same) {
        return misspelled(path);
    }
    if let Some(path) = paths().find(|path| same(&base_name(path))) {
        if !flat {
            return misspelled(path);
        }
        let place = "must be in the submission's top folder";
        return Ok(Some(format!("{path} {place}, as {name}")));
    }
    let stem = |path: &str| {
        let stem = path.rsplit_once('.').map_or("", |(stem, _)| stem);
        stem.to_ascii_lowercase()
    };
    let same_ending = paths().filter(|path| ending(path) == ending(name));
    let near = nearest(name, same_ending.map(base_name));
    let other = near
        .and_then(|near| paths().find(|path| base_name(path) == near))
        .or_else(|| {
            paths().find(|path| stem(base_name(path)) == stem(name) && has_ending(path, ALIKE))
        });
    match other {
        Some(path) => Ok(Some(format!("{name} is missing (there is {path})"))),
        None => Err(format!("{name} is missing")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str, executable: bool) -> SourceFile {
        SourceFile {
            executable,
            ..SourceFile::new(path, text)
        }
    }

    const CLASS: &str = "class Bot:\n    def step(self, percepts): pass\n";

    #[test]
    fn nearly_right_file_name_is_suggested() {
        let mut files = [
            file("src/assignment.mli", "", false),
            file("src/Assignment1.ml", "", false),
        ];
        let refused = recognise(&mut files, None).expect_err("no assignment.ml");
        let words = "assignment.ml is missing (there is src/Assignment1.ml)";
        assert!(refused.contains(words), "{refused}");
    }

    #[test]
    fn unplayable_submission_error_names_files_found() {
        let nothing = "contains neither a course's source files nor an executable";
        let is_zip = ": hw is a zip; let its name end with .zip";
        for (path, text, words) in [
            ("bot.py.txt", CLASS, format!("{nothing}, but bot.py.txt")),
            ("hw", "PK\u{3}\u{4}", format!("{nothing}{is_zip}")),
            ("bot.sh", "\n", "bot.sh is empty".to_owned()),
        ] {
            let refused = recognise(&mut [file(path, text, false)], None);
            assert_eq!(refused.expect_err(path), words);
        }
        let mut two = [file("bot.py", "", false), file("notes.txt", "text", false)];
        let refused = recognise(&mut two, None).expect_err("no bot");
        assert!(refused.ends_with(", but bot.py is empty"), "{refused}");
    }

    #[test]
    fn language_is_recognised_by_file_names_or_content() {
        let cases = [
            ("src/ReversiAI.hs", "", "haskell"),
            ("project/src/assignment.ml", "", "ocaml"),
            ("any name.py", CLASS, "python"),
        ];
        for (path, text, language) in cases {
            // Zips made on Windows make everything executable.
            for executable in [false, true] {
                let mut files = [
                    file(path, text, executable),
                    file("notes.txt", "", executable),
                ];
                let form = recognise(&mut files, None).expect("sources");
                assert_eq!(form.name(), language, "{path}");
            }
        }
    }

    #[test]
    fn program_with_step_method_and_ready_is_executable() {
        let text = format!("#!/bin/sh\n{CLASS}print('{{\"ready\":{{}}}}')\n");
        let form = recognise(&mut [file("bot.py", &text, true)], None).expect("a program");
        assert!(matches!(form, Form::Executable(0)), "{form:?}");
    }

    #[test]
    fn lost_mode_is_restored_where_no_course_matches() {
        let lost = |path: &str, text: &str| {
            let mut files = [
                file(path, text, false),
                file("lib/helper", "#!/bin/sh\n", false),
                file("notes.md", "", false),
            ];
            let form = recognise(&mut files, None);
            (form, files.map(|file| file.executable))
        };
        let (form, modes) = lost("bot.sh", "#!/bin/sh\n");
        assert!(matches!(form, Ok(Form::Executable(0))), "{form:?}");
        assert_eq!(modes, [true, true, false]);
        let (form, _) = lost("play.py", "#!/usr/bin/env python3\nprint('\"ready\"')\n");
        assert!(matches!(form, Ok(Form::Executable(0))), "{form:?}");
        let top = "in/bot.sh must be in the submission's top folder";
        let class = "it must contain a .py file with class";
        for (path, hint) in [("main.py", class), ("in/bot.sh", top)] {
            let (form, modes) = lost(path, "#!/bin/sh\n");
            let reason = form.expect_err("none");
            assert!(reason.contains(hint), "{reason}");
            assert_eq!(modes, [false; 3]);
        }
        let mut with_another = [
            file("my bot.sh", "#!/bin/sh\n", false),
            file("lib/helper", "#!/bin/sh\n", true),
        ];
        assert_eq!(
            recognise(&mut with_another, None).expect_err("not executable"),
            "my bot.sh is not executable; run: chmod +x 'my bot.sh'"
        );
    }

    #[test]
    fn sources_in_another_language_need_a_description() {
        let next = "; add a judge.toml that says how it is built and run, such as build = \"make\" and run = \"./bot\"";
        for (path, text, is_reported) in [
            ("src/main.rs", "fn main() {}", true),
            ("my bot.js", "console.log(1)", true),
            ("readme.txt", "", false),
            ("Foo.hs", "", false),
        ] {
            let reason = recognise(&mut [file(path, text, false)], None).expect_err("none");
            assert_eq!(reason.contains(next), is_reported, "{reason}");
        }
    }

    #[test]
    fn single_source_is_built_by_language_default() {
        let game = rulebook::rules::find("connect-four").expect("registered");
        for (path, text, mode, is_taken) in [
            ("Bot.java", "class Bot {}", false, true),
            ("bot.py", "import json", false, true),
            ("bot.py", "import json", true, true),
            ("bot.py", "", false, false),
            ("bot.py", "\u{feff}#!/usr/bin/env python3", true, true),
            ("in/bot.py", "import json", false, false),
            ("bot.hs", "main = pure ()", false, false),
        ] {
            let mut files = [file(path, text, mode), file("README.md", "text", mode)];
            let form = recognise(&mut files, Some(&*game));
            let is_described = matches!(form, Ok(Form::Described));
            assert_eq!(is_described, is_taken, "{path} {text}");
        }
        let form = recognise(&mut [file("bot.cpp", "\"ready\"", false)], None);
        assert!(matches!(form, Ok(Form::Described)), "{form:?}");
        recognise(&mut [file("bot.cpp", "int main", false)], None).expect_err("a course's?");
    }

    #[test]
    fn a_function_whose_name_is_misspelled_is_named() {
        let reported = |text: &str| {
            recognise(&mut [file("bot.py", text, false)], None).expect_err("not quite")
        };
        for found in ["Step", "setp"] {
            let text = CLASS.replace("step", found);
            assert_eq!(
                reported(&text),
                format!(
                    "looks like The Monkey and the Metal Man in python, but bot.py has def {found}; did you mean def step?"
                )
            );
        }
        for other in ["def move(self): pass", "x = step"] {
            let reason = reported(&format!("class Bot:\n    {other}\n"));
            assert!(reason.contains("it must contain a .py file"), "{reason}");
        }
    }

    #[test]
    fn what_is_nearly_right_is_reported() {
        for row in "\
reversiai.hs: reversiai.hs must be spelled ReversiAI.hs
src/Assignment.ml: src/Assignment.ml must be spelled assignment.ml
Cat.h: but Catcher.h is missing
src/Cat.cpp: but Cat.h is missing (there is src/Cat.cpp), and Catcher.h is missing
Foo.hs: for Reversi in haskell it must contain ReversiAI.hs, but it has Foo.hs
src/solution.ml: for Crazy Camel in ocaml it must contain assignment.ml, but it has src/solution.ml
agent.cpp: for Catch the Cat in cpp it must contain Cat.h and Catcher.h, but it has agent.cpp
main.py: it must contain a .py file with class and def step, but main.py is empty"
            .lines()
        {
            let (path, hint) = row.split_once(": ").expect("a row");
            let reason = recognise(&mut [file(path, "", false)], None).expect_err("not quite");
            assert!(reason.contains(hint), "{reason}");
        }
    }
}
