//! `submissions.csv`, a student's `submission.csv`, and lists of people for staff alone.

use super::GatheredOutput;
use crate::sheet::{Reader, SheetColumns, or_empty, text, text_or_empty, yes_or_empty, yes_or_no};
use model::entrant::{Entrant, Person, Roster, VersionName};
use model::lateness::Timing;
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

fn timing<T: ToString>(line: &EntrantLine, of: impl Fn(Timing) -> Option<T>) -> String {
    or_empty(line.timing.and_then(of))
}

fn columns(said: &BTreeMap<String, String>) -> SheetColumns<'_, &EntrantLine> {
    SheetColumns::<&EntrantLine>::new()
        .with("entrant", |line| text(&line.name))
        .with("form", |line| line.form.clone())
        .with("plays", |line| yes_or_no(line.artifact.is_some()))
        .with("artifact", |line| or_empty(line.artifact.as_ref()))
        .with("version", |line| or_empty(line.version))
        .with("received", |line| timing(line, |it| Some(it.received)))
        .with("received_by", |line| timing(line, |it| Some(it.by.name())))
        .with("deadline", |line| timing(line, |it| it.closes))
        .with("extended", |line| {
            yes_or_empty(line.timing.is_some_and(|it| it.extended))
        })
        .with("timing", |line| timing(line, |it| it.verdict()))
        .with("penalty", |line| timing(line, |it| it.lateness.penalty()))
        .with("name", |line| text_or_empty(line.title.as_deref()))
        .with("nickname", |line| {
            let nickname = line.nickname.as_ref().or_else(|| said.get(&line.name));
            text_or_empty(nickname.map(String::as_str))
        })
        .with("language", |line| {
            text_or_empty(line.language.as_deref().or_else(|| language(&line.form)))
        })
        .with("tokens", |line| or_empty(line.tokens))
        .with("reason", |line| {
            let reason = line.broken.as_deref().or(line.replaced.as_deref());
            text_or_empty(reason)
        })
        .with("warnings", |line| text(&line.warnings.join("; ")))
        .with("comment_words", |line| {
            or_empty(line.comment.as_ref().map(|comment| comment.words))
        })
}

fn language(form: &str) -> Option<&str> {
    rulebook::rules::built_in()
        .flat_map(|rules| rules.kits())
        .any(|kit| kit.language == form)
        .then_some(form)
}

pub(crate) fn names_csv(entrants: &[EntrantLine], names: &PublicNames) -> Vec<u8> {
    SheetColumns::<&EntrantLine>::new()
        .with("entrant", |line| text(&line.name))
        .with("public_name", |line| text(names.of(&line.name)))
        .with("nickname", |line| text_or_empty(names.nickname(&line.name)))
        .with("anonymous", |line| yes_or_empty(line.anonymous))
        .csv(Reader::Staff, entrants)
}

/// Writes `staff/identities.csv`: a row for each submission and each person behind it, and for each
/// person without a submission.
pub fn write_identities(
    run: &Path,
    entrants: &[Entrant],
    roster: Option<&Roster>,
) -> Result<(), JudgeError> {
    let people = || roster.iter().flat_map(|roster| &roster.people);
    let mut rows = Vec::new();
    for entrant in entrants {
        let before = rows.len();
        let submission = entrant.name.as_str();
        let behind = people().filter(|person| person.submission == submission);
        rows.extend(behind.map(|person| Identity {
            submission,
            person: Some(person),
            entrant: Some(entrant),
        }));
        if rows.len() == before {
            rows.push(Identity {
                submission,
                person: None,
                entrant: Some(entrant),
            });
        }
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
    let table = identities().csv(Reader::Staff, rows);
    write_whole(&folder.join("identities.csv"), &table)
}

struct Identity<'a> {
    submission: &'a str,
    person: Option<&'a Person>,
    entrant: Option<&'a Entrant>,
}

fn identities<'a>() -> SheetColumns<'a, Identity<'a>> {
    fn person(identity: &Identity<'_>, get: fn(&Person) -> &String) -> String {
        text_or_empty(identity.person.map(get).map(String::as_str))
    }
    fn version<'a>(identity: &Identity<'a>) -> Option<&'a VersionName> {
        identity.entrant?.version.as_ref()
    }
    SheetColumns::<Identity<'_>>::new()
        .with("submission", |identity| text(identity.submission))
        .with("id", |identity| person(identity, |person| &person.id))
        .with("name", |identity| person(identity, |person| &person.name))
        .with("email", |identity| person(identity, |person| &person.email))
        .with("section", |identity| {
            person(identity, |person| &person.section)
        })
        .with("extension", |identity| {
            or_empty(identity.person.and_then(|person| person.extension))
        })
        .with("submitted", |identity| {
            yes_or_no(identity.entrant.is_some())
        })
        .with("plays", |identity| {
            yes_or_no(identity.entrant.and_then(Entrant::artifact).is_some())
        })
        .with("version", |identity| {
            or_empty(version(identity).map(|version| version.number))
        })
        .with("received", |identity| {
            or_empty(version(identity).map(|version| &version.received))
        })
        .with("origin", |identity| {
            let origin = identity.entrant.map(|entrant| &entrant.origin);
            text_or_empty(origin.map(String::as_str))
        })
        .with("authors", |identity| {
            let authors = identity
                .entrant
                .map(|entrant| entrant.about.authors.join("; "));
            text_or_empty(authors.as_deref())
        })
}

/// Returns a table of entrants that have something in common: their names, and what it is.
pub fn copies_csv<'a>(copies: impl Iterator<Item = (&'a [String], &'static str)>) -> Vec<u8> {
    SheetColumns::<(&[String], &str)>::new()
        .with("entrants", |(entrants, _)| text(&entrants.join(", ")))
        .with("same", |(_, same)| text(same))
        .csv(Reader::Staff, copies)
}
