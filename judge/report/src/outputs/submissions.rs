//! `submissions.csv`, a student's `submission.csv`, and lists of people for staff alone.

use super::GatheredOutput;
use crate::sheet::{Reader, SheetColumns, yes_or_no};
use model::entrant::{Entrant, Person, Roster, VersionName};
use rulebook::JudgeError;
use std::collections::BTreeMap;
use std::path::Path;
use store::manifest::EntrantLine;
use store::names::PublicNames;
use system::files::{make_private_folder, write_whole};
use system::run_folder::STAFF;

pub(super) const SUBMISSIONS: GatheredOutput = GatheredOutput {
    name: |_| Some("submissions.csv".to_owned()),
    reader: Reader::Author,
    own: Some("submission.csv"),
    csv: |source, scored| columns(&scored.gathered.said).csv(source.reader, source.people),
};

fn columns(said: &BTreeMap<String, String>) -> SheetColumns<'_, EntrantLine> {
    SheetColumns::<EntrantLine>::new()
        .with("entrant", |line| &line.name)
        .with("form", |line| &line.form)
        .with("plays", |line| yes_or_no(line.artifact.is_some()))
        .with("artifact", |line| line.artifact.as_deref())
        .with("version", |line| line.version)
        .with("received", |line| Some(line.timing?.received))
        .with("received_by", |line| Some(line.timing?.by.name()))
        .with("deadline", |line| line.timing?.closes)
        .with("extended", |line| Some(line.timing?.extended))
        .with("timing", |line| line.timing?.verdict())
        .with("penalty", |line| line.timing?.lateness.penalty())
        .with("name", |line| line.title.as_deref())
        .with("nickname", |line| {
            line.nickname.as_ref().or_else(|| said.get(&line.name))
        })
        .with("language", |line| {
            line.language.as_deref().or_else(|| language(&line.form))
        })
        .with("tokens", |line| line.tokens)
        .with("reason", |line| {
            line.broken.as_deref().or(line.replaced.as_deref())
        })
        .with("warnings", |line| line.warnings.join("; "))
        .with("comment_words", |line| Some(line.comment.as_ref()?.words))
}

fn language(form: &str) -> Option<&str> {
    rulebook::rules::built_in()
        .flat_map(|rules| rules.kits())
        .any(|kit| kit.language == form)
        .then_some(form)
}

pub(crate) fn names_csv(entrants: &[EntrantLine], names: &PublicNames) -> Vec<u8> {
    SheetColumns::<EntrantLine>::new()
        .with("entrant", |line| &line.name)
        .with("public_name", |line| names.of(&line.name))
        .with("nickname", |line| names.nickname(&line.name))
        .with("anonymous", |line| line.anonymous)
        .csv(Reader::Staff, entrants)
}

/// Writes `staff/identities.csv`: a row for each submission and person behind it, and each person without one.
pub fn write_identities(
    run: &Path,
    entrants: &[Entrant],
    roster: Option<&Roster>,
) -> Result<(), JudgeError> {
    let people = || roster.iter().flat_map(|roster| &roster.people);
    let mut rows = Vec::new();
    for entrant in entrants {
        let submission = entrant.name.as_str();
        let behind = people().filter(|person| person.submission == submission);
        let mut behind: Vec<Option<&Person>> = behind.map(Some).collect();
        if behind.is_empty() {
            behind.push(None);
        }
        rows.extend(behind.into_iter().map(|person| Identity {
            submission,
            person,
            entrant: Some(entrant),
        }));
    }
    let names = || entrants.iter().map(|entrant| entrant.name.as_str());
    let absent = roster.iter().flat_map(|roster| roster.absent(names()));
    rows.extend(absent.map(|person| Identity {
        submission: &person.submission,
        person: Some(person),
        entrant: None,
    }));
    let folder = run.join(STAFF);
    make_private_folder(&folder)?;
    let table = identities().csv(Reader::Staff, &rows);
    write_whole(&folder.join("identities.csv"), &table)
}

struct Identity<'a> {
    submission: &'a str,
    person: Option<&'a Person>,
    entrant: Option<&'a Entrant>,
}

fn identities<'r>() -> SheetColumns<'r, Identity<'r>> {
    fn version<'a>(identity: &Identity<'a>) -> Option<&'a VersionName> {
        identity.entrant?.version.as_ref()
    }
    SheetColumns::<Identity<'_>>::new()
        .with("submission", |identity| identity.submission)
        .with("id", |identity| Some(&identity.person?.id))
        .with("name", |identity| Some(&identity.person?.name))
        .with("email", |identity| Some(&identity.person?.email))
        .with("section", |identity| Some(&identity.person?.section))
        .with("extension", |identity| identity.person?.extension)
        .with("submitted", |identity| {
            yes_or_no(identity.entrant.is_some())
        })
        .with("plays", |identity| {
            yes_or_no(identity.entrant.and_then(Entrant::artifact).is_some())
        })
        .with("version", |identity| Some(version(identity)?.number))
        .with("received", |identity| Some(&version(identity)?.received))
        .with("origin", |identity| Some(&identity.entrant?.origin))
        .with("authors", |identity| {
            Some(identity.entrant?.about.authors.join("; "))
        })
}

/// Returns a table of entrants that have something in common: their names, and what it is.
pub fn copies_csv<'a>(copies: impl Iterator<Item = (&'a [String], &'static str)>) -> Vec<u8> {
    let copies: Vec<(&[String], &str)> = copies.collect();
    SheetColumns::<(&[String], &str)>::new()
        .with("entrants", |(entrants, _)| entrants.join(", "))
        .with("same", |(_, same)| *same)
        .csv(Reader::Staff, &copies)
}
