//! `submissions.csv`: the state of each submission.

use super::output::{Gathered, Made, Output, OutputSource, Scored};
use crate::sheet::{
    Reader, Rows, Sheet, SheetColumns, or_empty, text, text_or_empty, yes_or_empty, yes_or_no,
};
use model::lateness::Timing;
use model::record::MatchResult;
use std::collections::BTreeMap;
use store::manifest::EntrantLine;

pub(super) const OUTPUT: Output = Output {
    name: |_| Some("submissions.csv".to_owned()),
    reader: Reader::Staff,
    made: Made::Gathered(|_| Box::new(Said::default())),
};

/// The names that bots gave themselves.
#[derive(Default)]
struct Said(BTreeMap<String, String>);

impl Gathered for Said {
    fn add(&mut self, _: &OutputSource<'_>, result: &MatchResult, _: bool) {
        for seat in &result.seats {
            if let Some(name) = &seat.says
                && self.0.get(&seat.entrant) != Some(name)
            {
                self.0.insert(seat.entrant.clone(), name.clone());
            }
        }
    }

    fn csv(&self, source: &OutputSource<'_>, _: &Scored<'_>) -> Vec<u8> {
        let entrants = &source.manifest.entrants;
        let closes = entrants
            .iter()
            .filter_map(|line| line.timing)
            .any(|timing| timing.closes.is_some());
        let asks = entrants.iter().any(|line| line.comment.is_some());
        let mut columns = columns(closes, &self.0);
        if asks {
            columns = columns.with("comment_words", |line| {
                or_empty(line.comment.as_ref().map(|comment| comment.words))
            });
        }
        let mut sheet = Sheet::new(columns);
        for line in entrants {
            sheet.row(line);
        }
        sheet.finish()
    }
}

/// The rows of `submissions.csv`.
enum Submissions {}

impl Rows for Submissions {
    type Row<'a> = EntrantLine;
}

/// Returns the cell of a fact about the time when a submission was received; empty if unknown.
pub(crate) fn timing<T: ToString>(line: &EntrantLine, of: impl Fn(Timing) -> Option<T>) -> String {
    or_empty(line.timing.and_then(of))
}

/// Returns the columns; `closes` says whether anybody has a deadline.
fn columns(closes: bool, said: &BTreeMap<String, String>) -> SheetColumns<'_, Submissions> {
    let columns = SheetColumns::<Submissions>::new()
        .with("entrant", |line| text(&line.name))
        .with("form", |line| line.form.clone())
        .with("plays", |line| yes_or_no(line.artifact.is_some()))
        .with("artifact", |line| or_empty(line.artifact.as_ref()))
        .with("version", |line| or_empty(line.version))
        .with("received", |line| timing(line, |it| Some(it.received)))
        .with("received_by", |line| timing(line, |it| Some(it.by.name())));
    let columns = if closes {
        columns
            .with("deadline", |line| timing(line, |it| it.closes))
            .with("extended", |line| {
                yes_or_empty(line.timing.is_some_and(|it| it.extended))
            })
            .with("timing", |line| timing(line, |it| it.verdict()))
            .with("penalty", |line| timing(line, |it| it.lateness.penalty()))
    } else {
        columns
    };
    columns
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
}

/// Returns the language of a submission of this form, if it is a course's language.
fn language(form: &str) -> Option<&str> {
    rulebook::rules::built_in()
        .flat_map(|rules| rules.kits())
        .any(|kit| kit.language == form)
        .then_some(form)
}
