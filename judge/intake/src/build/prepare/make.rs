//! Makes the program of a submission, or the one that games were played with.

use super::SubmissionBuilder;
use crate::build::build_folder::{BuildFolder, BuildTime, hash_with};
use crate::build::built_program::{BuiltProgram, Product};
use crate::build::failed_builds::{BuildError, BuildFailure, FailedBuilds, built};
use crate::build::toolchains::found::Toolchain;
use crate::build::{built_program, described, languages, sanitizers};
use crate::read::executable;
use crate::read::names::base_name;
use crate::read::source::SourceFile;
use crate::read::submission::{Form, Submission};
use engines::{Blind, Kit, Lifetime, Sign};
use model::fault::quote;
use model::fixture::Conditions;
use model::language::Language;
use rulebook::rules::Rules;
use rulebook::{IoContext, JudgeError, Result};
use sandbox::Builder;
use serde_json::{Map, Value};
use std::collections::btree_map::Entry;
use std::{mem, slice};

impl SubmissionBuilder<'_> {
    /// Names in the sources count where the author gives none.
    pub(super) fn make(
        &self,
        submission: &mut Submission,
        before: Option<&str>,
    ) -> Result<Product, BuildError> {
        let made = match before {
            Some(before) => self.make_as_before(submission, before)?,
            None => self.make_program(submission, self.failed.as_ref())?,
        };
        let about = &mut submission.about;
        if about.nickname.is_none() {
            let is_filled = |nickname: &String| !nickname.trim().is_empty();
            about.nickname = made.says.nickname.clone().filter(is_filled);
            about.has_empty_nickname = about.nickname != made.says.nickname;
        }
        if about.authors.is_empty() {
            about.authors.extend(made.says.author.clone());
        }
        Ok(made)
    }

    fn make_as_before(&self, submission: &mut Submission, before: &str) -> Result<Product> {
        if let Some(product) = self.programs.find(before)? {
            let name = &submission.name;
            let closed = &self.context.builder.isolation.closed;
            built_program::can_run(&product.artifact, closed, self.context.toolchains).map_err(|reason| {
                JudgeError::input(format!(
                    "games were played with the program of {name}, but this machine cannot run it: {reason}. The \
                     submission is not to blame; install what is missing, or continue the run on the machine where it \
                     began"
                ))
            })?;
            if let Ok(Form::Sources(_, kit)) = submission.form {
                // Only for its warnings; the choice itself does not matter any more.
                let _ = self.choose(submission, kit);
            }
            return Ok(product);
        }
        // No remembered failure: somebody who repairs the build must see it run again.
        match built(self.make_program(submission, None))? {
            Ok(product) => {
                let is_other = product.artifact.hash != before;
                let mut changed = self.changed.lock().expect("no builder panics");
                changed.extend(is_other.then(|| submission.name.clone()));
                Ok(product)
            }
            Err(failure) => Err(self.programs.irreparable(before, &failure)),
        }
    }

    fn toolchain(&self, kit: &Kit, libraries: &[String]) -> Result<Toolchain, BuildError> {
        let mut known = self.toolchains.lock().expect("no builder panics");
        let found = match known.entry(kit.language) {
            Entry::Occupied(found) => found.into_mut(),
            Entry::Vacant(place) => {
                let language = languages::of(kit);
                let found = built(language.toolchain(self.context.toolchains, libraries))?;
                place.insert(found.map_err(|failure| failure.reason))
            }
        };
        Ok(found.clone().map_err(BuildFailure::lacking)?)
    }

    /// The course's own files replace submitted ones with the same names.
    fn choose(
        &self,
        submission: &mut Submission,
        kit: &'static Kit,
    ) -> Result<Vec<SourceFile>, String> {
        let notes = sanitizers::differences(&submission.files, &self.context.kit.files);
        submission.warnings.extend(notes);
        let with_course = sanitizers::over(&submission.files, &self.context.kit.files);
        let submitted = mem::replace(&mut submission.files, with_course);
        let chosen = languages::of(kit).choose(submission, kit);
        submission.files = submitted;
        chosen
    }

    fn make_program(
        &self,
        submission: &mut Submission,
        failed: Option<&FailedBuilds>,
    ) -> Result<Product, BuildError> {
        let builder = self.context.builder;
        let (closed, tools) = (&builder.isolation.closed, self.context.toolchains);
        match submission.form.clone() {
            Err(reason) => Err(BuildFailure {
                blame: submission.blame,
                ..BuildFailure::brief(reason)
            }
            .into()),
            Ok(Form::Executable(program)) => {
                let own = &submission.files[program];
                executable::check(own, closed).map_err(BuildFailure::brief)?;
                described::check_called(own, closed, tools)?;
                let plain = BuiltProgram::plain(&own.path).noting(&own.bytes, tools);
                let identity = plain.identity();
                let hash = executable::content_hash(submission, program, &identity);
                self.programs.keep(&hash, failed, None, |folder| {
                    executable::write_files(&submission.files, folder).or_io("write", folder)?;
                    Ok(plain.clone())
                })
            }
            Ok(Form::Described) => {
                let (about, files) = (&submission.about, &submission.files);
                let program = described::program(about, files, closed, tools)?;
                let hash = described::content_hash(submission, &program, tools);
                let cached = self.cached.as_ref().filter(|_| about.build.is_some());
                self.programs.keep(&hash, failed, cached, |folder| {
                    let limits = self.context.builds;
                    described::make(about, files, &program, folder, builder, limits, tools)
                })
            }
            Ok(Form::Sources(_, kit)) => {
                let libraries = self.context.kit.libraries_of(kit.libraries);
                let files = check_kit(kit, self.context.game, self.context.conditions)
                    .and_then(|()| self.choose(submission, kit))
                    .map_err(BuildFailure::brief)?;
                let toolchain = self.toolchain(kit, &libraries)?;
                let hash = hash_with(vec![toolchain.identity.as_bytes()], &files);
                let isolation = builder.isolation.with_toolchains(&toolchain.opened);
                let builder = Builder {
                    isolation: &isolation,
                    ..builder
                };
                let cached = self.cached.as_ref();
                self.programs.keep(&hash, failed, cached, |folder| {
                    let place = BuildFolder {
                        files: &files,
                        kit,
                        course: &self.context.kit.files,
                        libraries: &libraries,
                        folder,
                        toolchain: &toolchain,
                        builder,
                        programs: &self.programs,
                        time: BuildTime::begin(self.context.builds),
                    };
                    place.furnish()?;
                    let program = built(languages::of(kit).build(&place))?
                        .map_err(|failure| unread(&files, &kit.sign).unwrap_or(failure))?;
                    Ok(BuiltProgram {
                        versions: toolchain.versions.clone(),
                        ..program
                    })
                })
            }
        }
    }
}

/// Returns the failure of sources in UTF-16, or of an empty required one.
fn unread(files: &[SourceFile], sign: &Sign) -> Option<BuildFailure> {
    let names = match sign {
        Sign::Flat(names) => *names,
        Sign::Anywhere(name) => slice::from_ref(name),
        Sign::Text { .. } => &[],
    };
    let is_read = |file: &SourceFile| file.is_flat() || !matches!(sign, Sign::Flat(_));
    let is_required = |file: &&SourceFile| names.contains(&base_name(&file.path)) && is_read(file);
    if let Some(empty) = files
        .iter()
        .filter(is_required)
        .find(|file| file.is_empty())
    {
        return Some(BuildFailure::brief(empty.reason_if_empty()));
    }
    let is_source = |file: &SourceFile| Language::of_file(&file.path).is_some();
    let unread = files
        .iter()
        .find(|file| is_source(file) && model::advice::is_utf_16(&file.bytes))?;
    let path = quote(&unread.path);
    Some(BuildFailure::brief(format!(
        "{path} is UTF-16; save it as UTF-8"
    )))
}

fn check_kit(kit: &Kit, game: &dyn Rules, conditions: &Conditions) -> Result<(), String> {
    let Blind {
        settings,
        to_position,
    } = kit.blind;
    let language = kit.language;
    if to_position && conditions.lifetime == Lifetime::Turn {
        return Err(format!(
            "a new process for every turn (lifetime turn) needs a program that speaks the protocol; the course's \
             interface for {language} passes on only the moves, never the position"
        ));
    }
    let usual = game
        .configure("{}")
        .map_err(|error| error.of("its own defaults").to_string())?;
    let (usual, now) = (object(usual.get()), object(conditions.config.get()));
    let Some(setting) = settings
        .iter()
        .find(|name| usual.get(**name) != now.get(**name))
    else {
        return Ok(());
    };
    let value =
        |of: &Map<String, Value>| of.get(*setting).map_or_else(String::new, Value::to_string);
    Err(format!(
        "{setting} = {} needs a program that speaks the protocol; the course's interface for {language} knows only {}",
        value(&now),
        value(&usual)
    ))
}

fn object(config: &str) -> Map<String, Value> {
    serde_json::from_str(config).expect("a configuration is an object")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blind_settings_are_settings_of_the_game() {
        for game in rulebook::rules::built_in() {
            let usual = object(game.configure("{}").expect("all have defaults").get());
            for setting in game.kits().iter().flat_map(|kit| kit.blind.settings) {
                assert!(usual.contains_key(*setting), "{setting}");
            }
        }
    }

    #[test]
    fn moves_only_kit_refuses_process_per_turn() {
        for game in rulebook::rules::built_in() {
            let mut conditions = rulebook::standard(&*game).conditions;
            for kit in game.kits() {
                conditions.lifetime = Lifetime::Game;
                assert_eq!(check_kit(kit, &*game, &conditions), Ok(()));
                conditions.lifetime = Lifetime::Turn;
                let reported = check_kit(kit, &*game, &conditions);
                assert_eq!(reported.is_err(), kit.blind.to_position, "{reported:?}");
            }
        }
    }
}
