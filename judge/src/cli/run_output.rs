//! Messages of `judge run` to people before and after the games.

#![expect(
    clippy::disallowed_methods,
    reason = "only the judge writes into a run's folder"
)]

use super::out::{self, is_verbose, say_each, say_first};
use crate::progress::{final_table, pool_table};
use crate::terminal::joined;
use intake::people::Claims;
use intake::{Class, Copies, Ignored};
use jiff::Timestamp;
use model::competition::{Competition, FINAL, Scoring, WordCount};
use model::entrant::{Entrant, Roster};
use model::lateness::{Timing, with_late_hours};
use model::numbers::counted;
use model::tally::RankKey;
use model::text::listed;
use report::{FirstFault, PlayedRun, Written as Tables, has_one_start, html};
use rulebook::Result;
use rulebook::scoring::StandingsTable;
use run::Written;
use run::commands::{explain_command, repro_command, shown};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use store::author_log::AuthorLogs;
use store::manifest::Manifest;
use store::{Games, Journal};
use system::run_folder;

pub(super) fn greet(title: &str, places: &[PathBuf], class: &Class, journal: &Journal) {
    if places.is_empty() {
        say!("{title}");
    } else {
        let submissions = counted(class.submissions.len(), "submission");
        let places = joined(places.iter().map(|one| one.display()), ", ");
        say!("{title}: {submissions} in {places}");
    }
    if !class.ignored.is_empty() {
        say!("  ignored: {}", Ignored::listed(&class.ignored));
    }
    let findings = &journal.games().findings;
    say_each("  ", findings.words());
    if !findings.damaged.is_empty() {
        let (count, kept) = (findings.damaged.len(), store::DAMAGED_NAME);
        say!(
            "  {} set aside in {kept}; games that are in no other line are played again",
            counted(count, "line")
        );
    }
}

pub(super) fn played(games: &Games) -> usize {
    let listed = games.listed().iter();
    listed.filter(|id| games.contains(**id)).count()
}

pub(super) fn findings(games: &Games) {
    say_each("note: ", games.findings.words());
}

const LINES_SHOWN: usize = 10;

/// Prints the readiness of each submission, with its build's output if the run's folder is temporary.
pub(super) fn readiness(entrants: &[Entrant], folder: &Path, is_temporary: bool) {
    let run = shown(folder);
    for entrant in entrants {
        let before = format!("  {}: ", entrant.name);
        say_each(&format!("{before}note: "), entrant.notes(&run));
        say_each(&before, entrant.replaced.as_ref().map(|it| it.words(&run)));
        let plays = entrant.artifact().is_some();
        let late = entrant.timing.filter(|it| plays && it.is_late());
        say_each(&before, late.map(|timing| timing.words(true)));
        if let Err(broken) = &entrant.program {
            match broken.log.as_deref().map(Path::new) {
                Some(log) if !is_temporary => {
                    say!("{before}does not play: {broken} (see {})", shown(log));
                }
                log => {
                    say!("{before}does not play: {broken}");
                    let reported = log.and_then(|log| fs::read_to_string(log).ok());
                    let lines = reported.iter().flat_map(|text| text.lines());
                    say_each("      | ", lines.take(LINES_SHOWN));
                }
            }
        }
    }
}

pub(super) fn machinery(lines: &[String]) {
    if is_verbose() {
        say!("how programs are run here:");
        say_each("  ", lines);
    }
}

/// Notes who is late by the judge's own clock: a platform may have received it earlier.
pub(super) fn late(timings: impl Iterator<Item = Timing>) -> Option<String> {
    let late = timings.filter(Timing::is_late_by_first_sight).count();
    let (submissions, it) = match late {
        0 => return None,
        1 => ("1 submission is".to_owned(), "it"),
        _ => (format!("{late} submissions are"), "them"),
    };
    Some(format!(
        "note: {submissions} late by the judge's own clock. If the platform received {it} earlier, write that time into the \
         column received of the roster or of the exported list, and rerun judge run"
    ))
}

/// Prints how many pairs submitted the same. It names nobody, because a run's output is no secret.
pub(super) fn copies(list: &Path, copies: &[Copies]) {
    let mut pairs = BTreeSet::new();
    for Copies { entrants, .. } in copies {
        for (first, at) in entrants.iter().zip(1..) {
            pairs.extend(entrants[at..].iter().map(|other| (first, other)));
        }
    }
    if !pairs.is_empty() {
        say!(
            "{} of entrants submitted the same work: see {}",
            counted(pairs.len(), "pair"),
            shown(list)
        );
    }
}

const TO_LOOK_AT_MAX: usize = 10;

/// Prints what staff should look at in the submissions that play, and no program can judge.
fn to_look_at(entrants: &[Entrant], description: Option<WordCount>) {
    let odd = oddities(entrants, description);
    if odd.is_empty() {
        return;
    }
    say!("submissions to look at:");
    if let more @ 1.. = say_first("  ", &odd, TO_LOOK_AT_MAX) {
        say!("  and {more} more (--verbose lists all)");
    }
}

/// Lists descriptions of unexpected length, empty nicknames, and names that differ in case only.
fn oddities(entrants: &[Entrant], description: Option<WordCount>) -> Vec<String> {
    let mut alike = BTreeMap::<String, Vec<&str>>::new();
    let mut odd = Vec::new();
    for entrant in entrants.iter().filter(|one| one.artifact().is_some()) {
        let name = entrant.name.as_str();
        alike.entry(name.to_lowercase()).or_default().push(name);
        if let Some((comment, asked)) = entrant.comment.as_ref().zip(description)
            && !comment.is_as_asked(asked)
        {
            odd.push(format!("{name}: {}", comment.words(asked)));
        }
        if entrant.about.has_empty_nickname {
            odd.push(format!("{name}: its nickname is empty"));
        }
    }
    odd.extend(
        alike
            .into_values()
            .filter(|names| names.len() > 1)
            .map(|names| format!("{}: the names differ in case only", names.join(", "))),
    );
    odd
}

pub(super) fn roster(roster: &Roster, claims: &Claims, entrants: &[Entrant]) {
    say_each("  roster: left out ", &roster.left_out);
    say_each("  roster: ", &claims.doubts);
    say_each("  ", Claims::not_on_roster(claims.unclaimed.iter()));
    let there = entrants.iter().map(|entrant| entrant.name.as_str());
    say_each("  ", roster.not_submitted(there));
}

pub(super) const INTERRUPTED: &str =
    "interrupted: finishing the games in play (press Ctrl-C again to abandon them)";

/// The entrants; groups with equal submissions and the staff's list of them; how programs are isolated.
type Found<'a> = (&'a [Entrant], (&'a [Copies], PathBuf), &'a [String]);

/// Prints the standings, oddities, and where all files are; `resume` plays the missing games.
pub(super) fn end(
    written: &Written<'_>,
    found: Option<Found<'_>>,
    (resume, command): (&str, String),
) -> Result<(usize, String)> {
    let (run, tables) = (&written.run, &written.tables);
    let competition = &run.manifest.competition;
    say!();
    standings(run, &tables.table)?;
    say_each("", written.mixed_machines());
    faults(run, &tables.first_faults);
    say_each("", overloaded(run.folder, &tables.overloaded));
    say_each("", &tables.slow_starters);
    say_each("", tables.slowest.iter().filter(|_| is_verbose()));
    boundaries(run.folder, competition, &tables.table);
    if let Some((entrants, (same, list), how)) = found {
        to_look_at(entrants, competition.kit.comment_words);
        copies(&list, same);
        machinery(how);
    }
    say_each("", not_final(run.manifest, Timestamp::now()));
    let announcement = written.announcement()?;
    if !announcement.list.is_empty() {
        say!("winners, under their public names:");
        say_each("  ", &announcement.list);
    }
    say_each("", &announcement.lines);
    say!();
    if is_verbose() {
        say_each("wrote ", tables.paths.iter().map(|path| shown(path)));
        let journal = shown(&run.folder.join(run_folder::JOURNAL));
        say!("every move of every game is in {journal}");
    }
    let page = shown(&run.folder.join(html::FILE_NAME));
    say!("results: {}/ (open {page})", shown(run.folder));
    let missing = written.missing();
    if missing > 0 {
        say!("games still to be played: {missing}; {resume}: {command}");
        return Ok((missing, command));
    }
    let next = next(run.folder, tables);
    let (to, command) = next.unwrap_or(("to play more".to_owned(), command));
    say!("{to}: {command}");
    Ok((missing, command))
}

pub(super) fn standings(run: &PlayedRun<'_>, table: &StandingsTable) -> Result {
    let manifest = run.manifest;
    let (competition, columns) = (&manifest.competition, out::columns());
    let roles = run.roles()?;
    let text = final_table(competition, roles, table, &manifest.entrants, columns);
    say!("{text}");
    say_each("\n", against_the_pool(run, table)?);
    Ok(())
}

const POOL_ROWS_MAX: usize = 50;

/// Returns the table of each entrant's results against each opponent of a gauntlet, if it is one.
fn against_the_pool(run: &PlayedRun<'_>, table: &StandingsTable) -> Result<Option<String>> {
    let ranked: Vec<&str> = table.rows.iter().map(|row| row.entrant.as_str()).collect();
    let rows = ranked.len() * run.manifest.competition.schedule.opponents().len();
    if rows == 0 {
        return Ok(None);
    }
    if rows > POOL_ROWS_MAX && !is_verbose() {
        let pairs = counted(rows, "pair");
        return Ok(Some(format!(
            "--verbose shows the results of {pairs} of entrant and opponent"
        )));
    }
    let games = run
        .ids
        .iter()
        .filter_map(|id| run.games.result(*id).transpose());
    let competition = &run.manifest.competition;
    let text = pool_table(competition, &ranked, &table.sums, games, out::columns())?;
    Ok(Some(text.trim_end().to_owned()))
}

/// Returns a note while later submissions may change the ranks of a final round with a deadline.
pub(super) fn not_final(manifest: &Manifest, now: Timestamp) -> Option<String> {
    not_final_until(&manifest.competition, manifest.closes?, now)
}

fn not_final_until(competition: &Competition, closes: Timestamp, now: Timestamp) -> Option<String> {
    if competition.round != FINAL || competition.deadline.is_none() {
        return None;
    }
    let late = with_late_hours(closes, &competition.late);
    let open = match (now < closes, now < late) {
        (true, _) if closes < late => {
            format!("submissions are open until {closes}, late ones until {late}")
        }
        (true, _) => format!("submissions are open until {closes}"),
        (false, true) => format!("late submissions are open until {late}"),
        (false, false) => return None,
    };
    Some(format!("not final: {open}"))
}

/// Returns the purpose of the most useful command after all games, and the command.
fn next(folder: &Path, written: &Tables) -> Option<(String, String)> {
    if let Some(first) = written.first_faults.first() {
        let to = format!("to see the fault of {} again", first.entrant);
        return Some((to, repro_command(folder, &first.game.to_string())));
    }
    let best = written.table.rows.first()?;
    let to = format!("to see why {} has rank {}", best.entrant, best.rank);
    Some((to, explain_command(folder, &best.entrant)))
}

const FAULTS_SHOWN_MAX: [usize; 2] = [3, 10];

/// Prints the first fault of each bot, of a few bots.
pub(super) fn faults(run: &PlayedRun<'_>, firsts: &[FirstFault]) {
    if firsts.is_empty() {
        return;
    }
    let (folder, logs) = (run.folder, AuthorLogs::of_run(run.folder));
    let shown_max = FAULTS_SHOWN_MAX[usize::from(is_verbose())];
    say!("the first fault of each bot:");
    for first in firsts.iter().take(shown_max) {
        let repeat = is_verbose().then(|| repeat(folder, first));
        let lines = first.lines(&logs, run.manifest).into_iter().chain(repeat);
        say!("  {}", joined(lines, "\n      "));
    }
    if let Some(more @ 1..) = firsts.len().checked_sub(shown_max) {
        let more = counted(more, "more bot");
        say!("  and {more}: see {}", shown(&folder.join("faults.csv")));
    }
}

pub(super) fn overloaded(folder: &Path, games: &[usize]) -> Option<String> {
    let numbers: Vec<String> = games.iter().map(ToString::to_string).collect();
    (!games.is_empty()).then(|| {
        format!(
            "the machine was overloaded, or had no threads or signals left, in the attempt that counts, which may be \
             unfair: game{} {}; see overloaded in {}. Play on a machine that does nothing else, or with fewer --jobs",
            if games.len() == 1 { "" } else { "s" },
            listed(&numbers),
            shown(&folder.join("faults.csv")),
        )
    })
}

pub(super) fn first_fault(folder: &Path, first: &FirstFault) -> String {
    let mut text = format!("fault of {}", first.line(&AuthorLogs::of_run(folder)));
    if is_verbose() {
        for line in first.wrote().into_iter().chain([repeat(folder, first)]) {
            text += "\n    ";
            text += &line;
        }
    }
    text
}

fn repeat(folder: &Path, first: &FirstFault) -> String {
    let command = repro_command(folder, &first.game.to_string());
    format!("to play it again: {command}")
}

const ALARMS_SHOWN_MAX: usize = 5;

/// Lists what a boundary can decide: the first rank, and prizes and grades if there are any.
fn at_stake(scoring: &Scoring) -> &'static str {
    match (scoring.prizes.is_empty(), scoring.grades.is_some()) {
        (true, false) => "first rank",
        (false, false) => "first rank or prize",
        (true, true) => "first rank or grade",
        (false, true) => "first rank, prize or grade",
    }
}

fn boundaries(folder: &Path, competition: &Competition, table: &StandingsTable) {
    let mut names: Vec<&str> = Vec::new();
    for alarm in &table.alarms {
        if !names.contains(&alarm.entrant.as_str()) {
            names.push(&alarm.entrant);
        }
    }
    let Some(first) = names.first() else {
        return;
    };
    let mut few = names[..names.len().min(ALARMS_SHOWN_MAX)].join(", ");
    if let Some(more @ 1..) = names.len().checked_sub(ALARMS_SHOWN_MAX) {
        few = format!("{few} and {more} more");
    }
    let file = shown(&folder.join("standings.csv"));
    let at_stake = at_stake(&competition.scoring);
    if !is_verbose() {
        say!("close to a boundary of {at_stake}: {few}; see {file}");
        return;
    }
    let block = if has_one_start(competition) {
        "round of games"
    } else {
        "state"
    };
    let other = match competition.scoring.ranking[0] {
        RankKey::Points => "games won",
        RankKey::Wins | RankKey::Placement | RankKey::TieBreak => "points",
    };
    let explained = explain_command(folder, first);
    say!(
        "close to a boundary (leaving out one {block} or opponent, changing the CPU time a little, or ranking by {other}, would change {at_stake}): {few}; \
         see {file}, or: {explained}"
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::artifact::Artifact;
    use model::entrant::{About, Comment};
    use model::lateness::LateStep;
    use model::points::Points;

    #[test]
    fn final_round_is_provisional_before_its_deadline() {
        let at = |text: &str| text.parse::<Timestamp>().expect("a time");
        let cat = rulebook::rules::find("catch-the-cat").expect("registered");
        let mut competition = rulebook::standard(&*cat);
        let closes = at("2026-12-20T18:00:00Z");
        let said = |competition: &Competition, now| {
            not_final_until(competition, closes, at(now)).unwrap_or_default()
        };
        let before = "2026-12-20T17:59:59Z";
        assert_eq!(said(&competition, before), "", "an extension alone");
        competition.deadline = Some(closes);
        let open = "not final: submissions are open until 2026-12-20T18:00:00Z";
        assert_eq!(said(&competition, before), open);
        assert_eq!(said(&competition, "2026-12-20T18:00:00Z"), "");
        competition.late = vec![LateStep {
            within_h: 24,
            penalty: Points::default(),
        }];
        let until = "until 2026-12-21T18:00:00Z";
        let both = format!("{open}, late ones {until}");
        assert_eq!(said(&competition, before), both);
        let late = format!("not final: late submissions are open {until}");
        assert_eq!(said(&competition, "2026-12-20T18:00:00Z"), late);
        competition.round = "practice/1".into();
        assert_eq!(said(&competition, before), "");
    }

    #[test]
    fn submissions_to_look_at_are_listed_once() {
        let artifact: Artifact = serde_json::from_value(serde_json::json!({
            "hash": "", "directory": "", "program": "", "args": [],
            "without_paths": false, "forks": false, "toolchains": [], "versions": []
        }))
        .expect("plain data");
        let entrant = |name: &str, words: u64, has_empty_nickname: bool| Entrant {
            about: About {
                has_empty_nickname,
                ..About::default()
            },
            comment: Some(Comment {
                file: "Cat.h".to_owned(),
                line: 1,
                words,
            }),
            ..Entrant::new(name.to_owned(), "", Ok(artifact.clone()))
        };
        let asked = WordCount {
            least: 100,
            most: 500,
        };
        let all = [
            entrant("Ann", 100, false),
            entrant("ann", 7, false),
            entrant("bob", 500, true),
        ];
        let odd = oddities(&all, Some(asked));
        let words = "ann: the longest comment in Cat.h has 7 words";
        assert!(odd[0].starts_with(words), "{odd:?}");
        let both = "bob: its nickname is empty\nAnn, ann: the names differ in case only";
        assert_eq!(odd[1..].join("\n"), both);
        assert_eq!(oddities(&all, None), odd[1..]);
    }

    #[test]
    fn at_most_ten_overloaded_games_are_named() {
        let folder = Path::new("results/run");
        assert_eq!(overloaded(folder, &[]), None);
        let one = overloaded(folder, &[7]).expect("a note");
        let words = "unfair: game 7; see overloaded in results/run/faults.csv";
        assert!(one.contains(words), "{one}");
        let games: Vec<usize> = (1..=12).collect();
        let many = overloaded(folder, &games).expect("a note");
        let words = "games 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 more;";
        assert!(many.contains(words), "{many}");
    }
}
