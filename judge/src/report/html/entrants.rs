//! A section for each entrant, its errors first, and those who do not play.

use super::gather::{Conduct, Summary, Told};
use super::{Source, words};
use crate::manifest::EntrantLine;
use maud::{Markup, html};

/// Writes a name as text whose direction stays its own.
pub(super) fn bdi(name: &str) -> Markup {
    html! { bdi { (words::name(name)) } }
}

/// The most characters of a reason why a submission does not play.
const REASON_CHARS_MAX: usize = 500;

/// Makes the sections: those who do not play first, as their authors look for them.
pub(super) fn sections(source: &Source<'_>, summary: &Summary, roles: &[&str]) -> Markup {
    let broken = source.entrants.iter();
    let broken: Vec<_> = broken.filter(|line| line.broken.is_some()).collect();
    html! {
        @for line in broken { (does_not_play(line)) }
        @for number in 0..summary.names.len() { (section(source, summary, roles, number)) }
    }
}

fn does_not_play(line: &EntrantLine) -> Markup {
    html! {
        details.entrant {
            summary { span.rank { "–" } (bdi(&line.name)) " " span.tag { "does not play" } }
            p { (words::cut(line.broken.as_deref().unwrap_or_default(), REASON_CHARS_MAX)) }
        }
    }
}

fn section(source: &Source<'_>, summary: &Summary, roles: &[&str], entrant: usize) -> Markup {
    let name = &summary.names[entrant];
    let conduct = &summary.conduct[entrant];
    let row = source.table.rows.get(entrant);
    let faults: u64 = conduct.causes.values().sum();
    let line = source.entrants.iter().find(|line| line.name == *name);
    html! {
        details.entrant id=(format!("e={entrant}")) {
            summary {
                span.rank { @if let Some(row) = row { (row.standing.rank) } @else { "–" } }
                (bdi(name))
                @if let Some(row) = row { span.points { (format!("{:.1}", row.standing.total.points)) } }
                @if faults > 0 { " " span.tag.bad { (faults) @if faults == 1 { " fault" } @else { " faults" } } }
            }
            @if let Some(reason) = row.and_then(|row| row.standing.disqualified.as_ref()) {
                p.bad { "Disqualified: " (reason) }
            }
            (errors(summary, roles, conduct, faults))
            @if let Some(line) = line {
                p.note {
                    (line.form)
                    @if let Some(says) = &conduct.says { ", calls itself " (bdi(says)) }
                    @if let Some(tokens) = line.tokens { ", " (tokens) " tokens" }
                }
            }
            div.opponents {}
        }
    }
}

fn errors(summary: &Summary, roles: &[&str], conduct: &Conduct, faults: u64) -> Markup {
    html! {
        @if !conduct.faults.is_empty() {
            ol.errors { @for told in &conduct.faults { (error(summary, roles, told)) } }
            @if faults > conduct.faults.len() as u64 {
                p.note { "and " (faults - conduct.faults.len() as u64) " more in faults.csv" }
            }
        }
    }
}

fn error(summary: &Summary, roles: &[&str], told: &Told) -> Markup {
    html! {
        li {
            a href=(format!("#g={}&f={}", told.game, told.seat)) { "Game " (told.game) }
            ", as " (roles[told.seat]) " against "
            @for (index, &other) in told.opponents.iter().enumerate() {
                @if index > 0 { " & " }
                (bdi(&summary.names[other]))
            }
            ", ply " (told.ply) ": " span.bad { (told.what) }
            @if let Some(line) = &told.line { pre { (line) } }
        }
    }
}
