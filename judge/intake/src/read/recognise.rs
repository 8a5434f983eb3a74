//! Recognition of received files as a submission in one of its forms.

use crate::read::executable::{self, NOTHING, usual_manifest};
use crate::read::judge_toml;
use crate::read::names::{self, LeftOut, base_name};
use crate::read::source::{SourceFile, has_ending, nearest_named};
use crate::read::submission::{Absent, Form, Submission, title};
use engines::{GAMES, GameInfo, Kit, Sign};
use model::entrant::{About, Blame};
use model::fault::quote;
use model::text::listed;
use rulebook::nearest::nearest;
use rulebook::rules::Rules;
use std::mem;

impl Submission {
    /// With `game`, it must be for that game.
    pub(crate) fn identified(mut self, name: &str, game: Option<&dyn Rules>) -> Self {
        name.clone_into(&mut self.name);
        let is_description = |file: &mut SourceFile| file.path == judge_toml::FILE_NAME;
        self.description = self.files.extract_if(.., is_description).last();
        let mut aside: Vec<SourceFile> = Vec::new();
        if !self.files.iter().all(SourceFile::is_aside) {
            aside.extend(self.files.extract_if(.., |file| file.is_aside()));
        }
        let about = self.description.as_ref().map_or_else(
            || Ok(About::default()),
            |file| judge_toml::read(&file.bytes),
        );
        self.form = match (self.refusal(), &about) {
            (Some(reason), _) | (None, Err(reason)) => Err(reason.clone()),
            (None, Ok(about)) if about.run.is_some() => Ok(Form::Described),
            (None, Ok(_)) => recognise(&mut self.files, game),
        };
        self.about = about.unwrap_or_default();
        if let (Ok(Form::Described), None) = (&self.form, &self.about.run) {
            let usual = usual_manifest(&self.files, false).unwrap_or_default();
            let own = judge_toml::read(usual.as_bytes()).expect("the judge's own");
            (self.about.build, self.about.run) = (own.build, own.run);
            let mut lines: Vec<&str> = usual.lines().collect();
            lines.retain(|line| !line.starts_with('#'));
            let lines = lines.join(", ");
            self.left_out
                .push(format!("a judge.toml would change this: {lines}"));
        }
        if let Ok(Form::Sources(_, kit)) = self.form {
            let own = aside.iter().filter_map(|file| names::aside(&file.path));
            let left_out: LeftOut = own.map(|(path, why)| (path.to_owned(), why)).collect();
            let [warnings, left_out] = names::notes(&left_out, "");
            self.warnings.extend(warnings);
            self.left_out.extend(left_out);
            let language = &mut self.about.language;
            language.get_or_insert_with(|| kit.language.to_owned());
        } else {
            self.files.append(&mut aside);
        }
        if self.form.is_err() {
            self.warnings.append(&mut self.left_out);
        }
        self.earlier = mem::take(&mut self.earlier)
            .into_iter()
            .map(|one| one.identified(name, game))
            .collect();
        if let Some(Absent::NotYet | Absent::Unreachable) = self.absent {
            self.blame = Blame::Machine;
        }
        if self.about.class.is_some() && !self.has_classes() {
            let note = "judge.toml: class has no effect here: it chooses between Python classes";
            self.warnings.push(note.to_owned());
        }
        if let (Ok(Form::Sources(other, _)), Some(own)) = (&self.form, &self.about.game)
            && own != other
        {
            self.form = Err(format!(
                "judge.toml: game is {own}, but the sources are for {}; correct the key game",
                title(other)
            ));
        }
        if let Some(game) = game {
            self.admit(game);
        }
        self
    }
}

/// Endings that a file may have in place of the required one.
const ALIKE: &[&str] = &["hpp", "hh", "hxx", "cpp", "cc", "c", "mli", "lhs", "txt"];

/// Returns the form of a submission. Where nothing is executable, it makes scripts and programs so.
pub(crate) fn recognise(
    files: &mut [SourceFile],
    game: Option<&dyn Rules>,
) -> Result<Form, String> {
    if let Some((info, kit)) = kits(None).find(|(_, kit)| shows(files, &kit.sign)) {
        check_single(files, &kit.sign)?;
        return Ok(Form::Sources(info.slug, kit));
    }
    let program = match executable::find(files) {
        Ok(program) => Some(program),
        Err(reason) => no_program(files, game, reason.as_deref())?,
    };
    let Some(program) = program else {
        return Ok(Form::Described);
    };
    match executable::interpreter(&files[program]) {
        // Its mode says nothing: where a zip or a disk of Windows was, everything is executable.
        Err(_) if usual_manifest(files, false).is_some() => Ok(Form::Described),
        interpreter => interpreter.map(|_| Form::Executable(program)),
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
    if usual_manifest(files, !asked.is_empty()).is_some() {
        return Ok(None);
    }
    if !asked.is_empty() {
        return Err(format!("{words}; {}", asked.join("; ")));
    }
    if let Some(first) = files.first()
        && files.iter().all(SourceFile::is_empty)
    {
        return Err(first.reason_if_empty());
    }
    if let Some(program) = executable::find_without_modes(files) {
        return Ok(Some(program));
    }
    Err(match (executable::needs_description(files), reason) {
        (Some(next), _) => format!("{words}; {next}"),
        (None, None) if !files.is_empty() => format!("{words}, but {}", listed(&quoted(&*files))),
        (None, _) => words.to_owned(),
    })
}

pub(crate) fn quoted<'a>(files: impl IntoIterator<Item = &'a SourceFile>) -> Vec<String> {
    files.into_iter().map(|file| quote(&file.path)).collect()
}

/// Lists the kits of a game, or of all.
pub(crate) fn kits(
    game: Option<&dyn Rules>,
) -> impl Iterator<Item = (&'static GameInfo, &'static Kit)> {
    let slug = game.map(|game| game.info().slug);
    GAMES
        .iter()
        .filter(move |entry| slug.is_none_or(|slug| slug == entry.info.slug))
        .flat_map(|entry| entry.info.kits.iter().map(|kit| (&entry.info, kit)))
}

fn shows(files: &[SourceFile], sign: &Sign) -> bool {
    let has = |is_it: &dyn Fn(&SourceFile) -> bool| files.iter().any(is_it);
    match sign {
        Sign::Flat(names) => names.iter().all(|name| has(&|file| file.path == *name)),
        Sign::Anywhere(name) => has(&|file| base_name(&file.path) == *name),
        Sign::Text { .. } => has(&|file| says(file, sign)),
    }
}

/// Refuses a file that occurs more than once, unless one is nearest to the submission's folder.
fn check_single(files: &[SourceFile], sign: &Sign) -> Result<(), String> {
    if let Sign::Anywhere(name) = sign
        && let several @ [_, _, ..] = &*nearest_named(files.iter(), name)
    {
        return Err(format!(
            "has {name} more than once ({}); submit only one of them, or each by itself",
            quoted(several.iter().copied()).join(", ")
        ));
    }
    Ok(())
}

pub(crate) fn says(file: &SourceFile, sign: &Sign) -> bool {
    matches!(sign, Sign::Text { ending, has, .. } if self::ending(&file.path) == *ending
        && has.iter().all(|words| file.text().contains(words))
        && !speaks_itself(file, sign))
}

fn speaks_itself(file: &SourceFile, sign: &Sign) -> bool {
    matches!(sign, Sign::Text { lacks, .. } if lacks.iter().any(|words| file.text().contains(words)))
}

fn almost(files: &[SourceFile]) -> Option<String> {
    kits(None).find_map(|(info, kit)| {
        let (names, flat) = match &kit.sign {
            Sign::Flat(names) => (*names, true),
            Sign::Anywhere(name) => (std::slice::from_ref(name), false),
            Sign::Text { .. } => return None,
        };
        let found = || names.iter().map(|name| find_file(files, name, flat));
        if found().all(|one| one.is_err()) {
            return None;
        }
        let hints: Vec<String> = found().filter_map(|one| one.unwrap_or_else(Some)).collect();
        Some(format!(
            "looks like {} in {}, but {}",
            info.title,
            kit.language,
            hints.join(", and ")
        ))
    })
}

pub(crate) fn misspelled(files: &[SourceFile], game: Option<&dyn Rules>) -> Option<String> {
    kits(game).find_map(|(info, kit)| {
        let Sign::Text { ending, has, .. } = kit.sign else {
            return None;
        };
        files.iter().find_map(|file| {
            if self::ending(&file.path) != ending || speaks_itself(file, &kit.sign) {
                return None;
            }
            let text = file.text();
            let mut lacking = has.iter().filter(|words| !text.contains(**words));
            let (Some(words), None) = (lacking.next(), lacking.next()) else {
                return None;
            };
            let (keyword, name) = words.rsplit_once(' ')?;
            let found = nearest(name, named_after(&text, keyword))?;
            let path = quote(&file.path);
            Some(format!(
                "looks like {} in {}, but {path} has {keyword} {found}; did you mean {words}?",
                info.title, kit.language
            ))
        })
    })
}

fn named_after<'a>(text: &'a str, keyword: &'a str) -> impl Iterator<Item = &'a str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.lines().filter_map(move |line| {
        let rest = line.trim_start().strip_prefix(keyword)?.strip_prefix(' ')?;
        rest.trim_start().split(|c| !is_part(c)).next()
    })
}

fn asked_for(files: &[SourceFile], game: Option<&dyn Rules>) -> impl Iterator<Item = String> {
    kits(game).filter_map(|(info, kit)| {
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
            info.title, kit.language, kit.sign
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
    if paths().any(|path| path == name) {
        return Ok(None);
    }
    let spelled = paths().find(same);
    if let Some(path) = spelled.or_else(|| paths().find(|path| same(&base_name(path)))) {
        return Ok(Some(if flat && spelled.is_none() {
            format!("{path} must be in the submission's top folder, as {name}")
        } else {
            format!("{path} must be spelled {name}")
        }));
    }
    let stem = |path: &str| Some(path.rsplit_once('.')?.0.to_ascii_lowercase());
    let same_ending = paths().filter(|path| ending(path) == ending(name));
    nearest(name, same_ending.map(base_name))
        .and_then(|near| paths().find(|path| base_name(path) == near))
        .or_else(|| {
            paths().find(|path| stem(base_name(path)) == stem(name) && has_ending(path, ALIKE))
        })
        .map(|path| Some(format!("{name} is missing (there is {path})")))
        .ok_or_else(|| format!("{name} is missing"))
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
        let refused = recognise(&mut with_another, None).expect_err("not executable");
        let words = "my bot.sh is not executable; run: chmod +x 'my bot.sh'";
        assert_eq!(refused, words);
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
        for row in include_str!("nearly_right.txt").lines() {
            let (path, hint) = row.split_once(": ").expect("a row");
            let reason = recognise(&mut [file(path, "", false)], None).expect_err("not quite");
            assert!(reason.contains(hint), "{reason}");
        }
    }
}
