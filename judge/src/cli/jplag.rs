//! A run's sources in the layout of `JPlag`. This module does not judge what equal ones mean.

use intake::{Compared, SourceFile};
use model::competition::CourseFile;
use model::entrants_folder::EntrantsFolder;
use model::language::{LANGUAGES, Language};
use rulebook::JudgeError;
use rulebook::rules::Rules;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use store::manifest::Manifest;

pub(super) const FOLDER: &str = "jplag";

type LaidOut = Vec<(PathBuf, Vec<u8>)>;

/// Lays the sources out by language, with the commands that compare them.
pub(super) fn lay_out(run: &Path, manifest: &Manifest) -> Result<LaidOut, JudgeError> {
    let rules = rulebook::rules::of(&manifest.competition.conditions)?;
    let all = run::compared(run, &manifest.entrants)?;
    let mut laid = LaidOut::new();
    let mut commands = Vec::new();
    for language in LANGUAGES
        .iter()
        .filter(|language| language.syntax.is_some())
    {
        let is_in = |path: &str| Language::of_file(path) == Some(language);
        let is_own = |file: &&SourceFile| is_in(&file.path) && !file.is_aside();
        let writers: Vec<&Compared> = all
            .iter()
            .filter(|one| one.files.iter().any(|file| is_own(&file)))
            .collect();
        if writers.len() < 2 {
            continue;
        }
        let folder = Path::new(FOLDER).join(language.name);
        for one in writers {
            let place = folder
                .join("submissions")
                .join(EntrantsFolder::Sources.folder_of(&one.entrant));
            let own = one
                .files
                .iter()
                .filter(is_own)
                .map(|file| (place.join(&file.path), file.bytes.clone()));
            laid.extend(own);
        }
        let base = base(&*rules, &manifest.competition.kit.files, &is_in);
        let mut command = format!(
            "java -jar jplag.jar --mode run -l {} -p {}",
            language.jplag,
            suffixes(language.endings)
        );
        if !base.is_empty() {
            let _ = write!(command, " -bc {}/base", language.name);
        }
        let _ = write!(command, " -r {0}/result {0}/submissions", language.name);
        commands.push(command);
        let base = base
            .into_iter()
            .map(|(path, text)| (folder.join("base").join(path), text));
        laid.extend(base);
    }
    if !commands.is_empty() {
        let text = format!(
            "Sources of the run, as JPlag 6 (github.com/jplag/JPlag) compares them: a folder for each\n\
             student in submissions, the course's own files in base. In this folder, run:\n\n{}\n\n\
             A report shows where sources are alike, never why.\n",
            commands.join("\n")
        );
        laid.push((Path::new(FOLDER).join("README.txt"), text.into_bytes()));
    }
    Ok(laid)
}

fn suffixes(endings: &[&str]) -> String {
    let suffixes: Vec<String> = endings.iter().map(|ending| format!(".{ending}")).collect();
    suffixes.join(",")
}

/// Lists a course's files in one language, each once; `own` are the additions of its competition.
fn base<'a>(
    rules: &'a dyn Rules,
    own: &'a [CourseFile],
    is_in: &dyn Fn(&str) -> bool,
) -> Vec<(&'a str, Vec<u8>)> {
    let own = own.iter().map(|file| (&*file.name, &*file.text));
    let given = rules
        .kits()
        .iter()
        .flat_map(|kit| kit.files.iter().chain(kit.starter));
    let given = own.chain(given.copied());
    let mut base: Vec<(&str, Vec<u8>)> = Vec::new();
    for (path, text) in given.filter(|(path, _)| is_in(path)) {
        if base.iter().all(|(known, _)| *known != path) {
            base.push((path, text.as_bytes().to_vec()));
        }
    }
    base
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jplag_base_has_competition_and_kit_files() {
        let rules = rulebook::rules::find("catch-the-cat").expect("registered");
        let own = [CourseFile {
            name: "simulator.h".to_owned(),
            text: "int steps;\n".to_owned(),
        }];
        let base = base(&*rules, &own, &|path: &str| {
            ["simulator.h", "IAgent.h"].contains(&path)
        });
        let names: Vec<&str> = base.iter().map(|(name, _)| *name).collect();
        assert_eq!(names[0], "simulator.h");
        assert!(names.len() > 1, "{names:?}");
    }
}
