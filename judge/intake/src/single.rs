//! A submission that is a single file: a program, or the one source file that a kit asks for.

use super::received::ReceivedFiles;
use super::source::SourceFile;
use super::{archive, executable, recognise};
use engines::{Kit, Sign};
use model::fault::quote;
use model::language::Language;
use rulebook::rules::Rules;
use std::path::Path;
use std::slice;
use std::sync::Arc;

/// Takes a single file. Returns `None` if nobody means it as a submission.
pub(super) fn take(mut files: Vec<SourceFile>, game: Option<&dyn Rules>) -> Option<ReceivedFiles> {
    let file = files.first_mut()?;
    let mut refusal = None;
    if !file.executable || executable::usual_manifest(slice::from_ref(file), false).is_some() {
        match required_name(file, recognise::kits_of(game)) {
            Ok(Some(name)) => file.path = name,
            Ok(None) if archive::looks_like_a_program(&file.bytes) => file.executable = true,
            Ok(None) => {
                refusal = recognise::misspelled(slice::from_ref(file), game);
                if refusal.is_none() && !Language::is_program_alone(&file.path) {
                    return None;
                }
            }
            Err(reason) => refusal = Some(reason),
        }
    }
    Some(ReceivedFiles {
        files,
        refusal,
        ..ReceivedFiles::default()
    })
}

fn ending(path: &str) -> &str {
    Path::new(path)
        .extension()
        .and_then(|e| e.to_str())
        .unwrap_or_default()
}

/// Returns the name under which a kit takes a single file, by its ending. Learning platforms rename
/// uploaded files.
///
/// # Errors
/// When the kits of several games would each take it under another name.
fn required_name(
    file: &SourceFile,
    kits: impl Iterator<Item = (Arc<dyn Rules>, &'static Kit)>,
) -> Result<Option<String>, String> {
    let path = file.path.as_str();
    let kits: Vec<(Arc<dyn Rules>, &Kit)> = kits.collect();
    if kits.iter().any(|(_, kit)| recognise::says(file, &kit.sign)) {
        return Ok(Some(path.to_owned()));
    }
    let fit: Vec<(&str, &str)> = kits
        .iter()
        .filter_map(|(rules, kit)| match kit.sign {
            Sign::Flat(&[one]) | Sign::Anywhere(one) => Some((one, rules.info().title)),
            Sign::Flat(_) | Sign::Text { .. } => None,
        })
        .filter(|(name, _)| !ending(name).is_empty() && ending(name) == ending(path))
        .collect();
    if let Some((exact, _)) = fit.iter().find(|(name, _)| *name == path) {
        return Ok(Some((*exact).to_owned()));
    }
    let Some((first, _)) = fit.first() else {
        return Ok(None);
    };
    if fit.iter().all(|(name, _)| name == first) {
        return Ok(Some((*first).to_owned()));
    }
    let all: Vec<String> = fit
        .iter()
        .map(|(name, title)| format!("{name} for {title}"))
        .collect();
    Err(format!(
        "{} could be {}; rename it, or choose the game with --game",
        quote(path.as_bytes()),
        all.join(" or ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use engines::{Advice, Blind, Calls, Homework};

    const fn kit(sign: Sign) -> Kit {
        Kit {
            language: "any",
            sign,
            files: &[],
            calls: Calls {
                start: None,
                turn: &["move"],
                before_first: &[],
            },
            blind: Blind::NOWHERE,
            libraries: &[],
            hints: &[],
            advice: Advice {
                answer: "",
                time: "",
                chance: "",
            },
            project: &[],
            starter: &[],
            solved: &[],
            homework: Homework::NONE,
        }
    }

    const CAMEL: Kit = kit(Sign::Anywhere("assignment.ml"));
    const STONES: Kit = kit(Sign::Flat(&["Stones.hs"]));
    const OTHER_STONES: Kit = kit(Sign::Flat(&["Other.hs"]));
    const PAIR: Kit = kit(Sign::Flat(&["One.cpp", "Two.cpp"]));
    const APE: Kit = kit(Sign::Text {
        ending: "py",
        has: &["def step"],
        lacks: &["ready"],
    });

    fn file(path: &str, text: &str) -> SourceFile {
        SourceFile {
            path: path.to_owned(),
            bytes: text.as_bytes().to_vec(),
            executable: false,
        }
    }

    fn named(path: &str, text: &str) -> Result<Option<String>, String> {
        let game = rulebook::rules::find("catch-the-cat").expect("registered");
        let kits = [&CAMEL, &STONES, &OTHER_STONES, &PAIR, &APE];
        let kits = kits.into_iter().map(|kit| (Arc::clone(&game), kit));
        required_name(&file(path, text), kits)
    }

    #[test]
    fn a_renamed_file_gets_the_name_that_its_kit_asks_for() {
        let some = |name: &str| Ok(Some(name.to_owned()));
        assert_eq!(named("alice_123_assignment.ml", ""), some("assignment.ml"));
        assert_eq!(named("Stones.hs", ""), some("Stones.hs"), "the exact name");
        let ambiguous = named("bob.hs", "").expect_err("two kits");
        assert!(ambiguous.contains("Stones.hs for"), "{ambiguous}");
        assert_eq!(named("carol.cpp", ""), Ok(None), "a kit of two files");
        assert_eq!(named("notes", ""), Ok(None));
    }

    #[test]
    fn a_file_that_shows_its_kit_by_what_is_in_it_keeps_its_name() {
        let own = named("erin_ape.py", "def step(): pass");
        assert_eq!(own, Ok(Some("erin_ape.py".to_owned())));
        assert_eq!(named("erin_ape.py", "print('ready')"), Ok(None));
    }

    #[test]
    fn what_nobody_means_as_a_submission_is_passed_over() {
        assert!(take(vec![file("README.md", "# Hello")], None).is_none());
        let script = take(vec![file("bot", "#!/bin/sh\n")], None).expect("a script");
        assert!(script.files[0].executable, "its mode was lost on the way");
        let bare = take(vec![file("dan.rb", "puts 1")], None).expect("a source file");
        assert_eq!(bare.refusal, None, "its form is refused");
        let alone = take(vec![file("eve.rs", "fn main() {}")], None).expect("a source file");
        assert_eq!(alone.refusal, None, "it is built in the usual way");
        let text = "class Ape:\n    def Step(self, percepts): pass\n";
        let slip = take(vec![file("ape.py", text)], None).expect("a source file");
        let refusal = slip.refusal.expect("it has no step");
        assert!(refusal.contains("ape.py has def Step"), "{refusal}");
    }
}
