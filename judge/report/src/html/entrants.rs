//! A page for each entrant, its faults first, and a list of submissions without a result.

use super::conduct::{distribution, seat_class};
use super::phrases::{
    bdi, count, count_cell, counted, cut, game, number, readable_times, sentence, sortable, table,
    time, time_cell,
};
use super::standings::{by_cause, interval, record, tie};
use super::{EntrantSummary, FAULTS_SHOWN_MAX, FaultEntry, Page};
use crate::submission_result::no_prize;
use maud::{Markup, html};
use rulebook::scoring::Standing;
use store::manifest::EntrantLine;

const REASON_CHARS_MAX: usize = 500;

pub(super) fn no_result(page: &Page<'_>) -> Option<Markup> {
    let scoring = &page.competition.scoring;
    let lines: Vec<_> = crate::submission_result::no_result(page.run.people).collect();
    let is_reported = |name: &str| page.run.people.iter().any(|line| line.name == name);
    let mut others: Vec<&EntrantLine> = page.run.manifest.entrants.iter().collect();
    others.retain(|line| line.artifact.is_none() && !is_reported(&line.name));
    let is_late = lines.iter().any(|(_, result)| result.too_late().is_some());
    let title = if is_late { "No result" } else { "Do not play" };
    let all = lines.len() + others.len();
    (all > 0).then(|| {
        html! {
            h3 id="broken" tabindex="-1" { (title) " (" (all) ")" }
            dl.broken {
                @for (entrant, result) in &lines {
                    dt { (bdi(entrant)) }
                    dd {
                        @if result.too_late().is_some() { "Too late: " }
                        @if let Some((_, reason)) = result.problem() { (readable(reason)) }
                        @if let Some(grade) = result.grade(scoring) { " — grade " (grade) }
                    }
                }
                @for line in others { dt { (bdi(&line.name)) } dd { "does not play" } }
            }
        }
    })
}

pub(super) fn pages(page: &Page<'_>) -> Markup {
    html! { @for entrant in 0..page.summary.names.len() { (person(page, entrant)) } }
}

fn person(page: &Page<'_>, entrant: usize) -> Markup {
    let Page { table, summary, .. } = *page;
    let name = &summary.names[entrant];
    let conduct = &summary.conduct[entrant];
    let row = table.rows.get(entrant);
    let removed = table.removed.iter().find(|one| one.entrant == *name);
    let line = page.run.people.iter().find(|line| line.name == *name);
    let label = format!("name-{entrant}");
    html! {
        article.person id=(format!("person-{entrant}")) aria-labelledby=(label) hidden {
            h2 id=(label) tabindex="-1" {
                (bdi(name))
                @if page.reader.own == Some(entrant) { " " span.tag { "you" } }
                @if row.is_none() { " " span.tag { "not ranked" } }
            }
            @if let Some(row) = row { (facts(page, row)) }
            @if let Some(reason) = row.and_then(|row| row.disqualified.as_ref()) {
                p.bad { "Disqualified: " (reason) "." }
            }
            @if let Some(removed) = removed {
                p.bad {
                    "Removed with all its games: " (removed.reason) "."
                    @if let Some(grade) = &removed.grade { " Grade " (grade) "." }
                }
            }
            (errors(page, conduct))
            div.unranked {
                @if let Some(row) = row { (by_role(page, row)) }
                (turns(page, conduct))
            }
            section.opponents {}
            section.own-games {}
            @if let Some(line) = line { (submission(line, conduct)) }
        }
    }
}

fn facts(page: &Page<'_>, standing: &Standing) -> Markup {
    let total = &standing.total;
    let rank = format!("{} of {}", standing.rank, page.table.rows.len());
    let facts = [
        ("Rank", Some(rank)),
        ("95 %", standing.uncertainty.as_ref().map(interval)),
        ("Points", Some(page.points(total))),
        ("Prize", standing.prize.map(|prize| prize.to_string())),
        ("Grade", standing.grade.clone()),
        ("Won, drawn, lost", Some(record(total))),
        ("CPU", Some(time(total.cpu_us))),
    ];
    html! {
        dl.facts {
            @for (name, value) in facts {
                @if let Some(value) = value { div { dt { (name) } dd { (value) } } }
            }
        }
        @if let Some(tie) = tie(standing) { p.note { (tie) "." } }
        @if let Some(reason) = no_prize(standing) { p.note { "No prize: " (reason) "." } }
    }
}

fn errors(page: &Page<'_>, conduct: &EntrantSummary) -> Markup {
    let all: u64 = conduct.causes.values().sum();
    let reported: u64 = conduct.faults.iter().map(|kind| kind.count).sum();
    html! {
        @if all > 0 {
            h3 { "Faults" span.causes { (by_cause(&conduct.causes)) } }
            ol.errors { @for reported in &conduct.faults { (error(page, reported)) } }
            @if all > reported {
                p.note { "These are " (count(reported)) " of " (count(all)) " faults: the first " (FAULTS_SHOWN_MAX) " kinds." }
            }
        } @else {
            p.well { "No faults in " (counted(conduct.turns.count, "turn")) "." }
        }
    }
}

fn error(page: &Page<'_>, reported: &FaultEntry) -> Markup {
    html! {
        li {
            @if reported.count > 1 { (count(reported.count)) " times, first in " }
            (game(reported.game, reported.seat))
            ", as " (page.roles[reported.seat]) " against "
            @for (index, &other) in reported.opponents.iter().enumerate() {
                @if index > 0 { " & " }
                (bdi(&page.summary.names[other]))
            }
            @if let Some(turn) = reported.turn { ", turn " (turn) }
            ": " span.bad { (reported.what) }
            @if page.run.is_staff { " " code { "judge view . " (reported.game) } }
            @if let Some(line) = &reported.line { pre { (line) } }
        }
    }
}

fn by_role(page: &Page<'_>, row: &Standing) -> Markup {
    let heads = html! {
        (sortable("Role")) (number("Games")) (number("W–D–L")) (number("Points")) (number("CPU")) (number("Faults"))
    };
    let rows = row.by_role.iter().enumerate().map(|(seat, tally)| {
        html! {
            tr {
                th scope="row" { span class={ "dot " (seat_class(seat)) } {} (page.roles[seat]) }
                (count_cell(tally.games))
                td.n data-v=(tally.wins) { (record(tally)) }
                td.n data-v=(tally.points) { (page.points(tally)) }
                (time_cell(tally.cpu_us))
                (count_cell(tally.faults))
            }
        }
    });
    html! {
        section {
            h3 { "By role" }
            (table("By role", &heads, rows))
        }
    }
}

fn turns(page: &Page<'_>, conduct: &EntrantSummary) -> Markup {
    let title = format!("{} of its turns", page.times_called());
    let turns = &conduct.turns;
    html! {
        @if turns.count > 0 {
            section {
                h3 { (title) }
                div.wide tabindex="0" role="region" aria-label=(title) {
                    (distribution(page, turns, true))
                }
                p.note {
                    span.mark.median {} " median " (time(turns.percentile(50)))
                    ", 90 % " (time(turns.percentile(90)))
                    ", 99 % " (time(turns.percentile(99)))
                    ", longest " (time(turns.max_us))
                    @if let Some(limit) = page.limit_us { ", " span.mark.limit {} " limit " (time(limit)) }
                    "."
                }
            }
        }
    }
}

fn readable(reason: &str) -> String {
    readable_times(&cut(reason, REASON_CHARS_MAX))
}

fn submission(line: &EntrantLine, conduct: &EntrantSummary) -> Markup {
    html! {
        section {
            h3 { "Submission" }
            p {
                (if line.form == "described" { "built as its judge.toml says" } else { &line.form })
                @if let Some(version) = line.version { ", version " (version) }
                @if let Some(bot_name) = &conduct.bot_name { ", calls itself " (bdi(bot_name)) }
                @if let Some(tokens) = line.tokens { ", " (counted(tokens, "token")) }
            }
            @if let Some(timing) = line.timing.filter(|timing| timing.closes.is_some()) {
                p.note { (sentence(&readable(&timing.words(line.artifact.is_some())))) }
            }
            @if let Some(replaced) = &line.replaced { p.bad { (readable(replaced)) } }
            @for warning in &line.warnings { p.note { (readable(warning)) } }
        }
    }
}
