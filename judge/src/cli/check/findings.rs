//! Findings about a submission in the records of its sample games.

use super::sample::{Author, SampleGame};
use super::{CheckReport, SampleGames, Topic, TurnTimes, Verdict};
use crate::terminal::joined;
use engines::{GameResult, Lifetime};
use model::fault::{Cause, Fault, Phase};
use model::fixture::Conditions;
use model::note::Note;
use model::numbers::{counted, time};
use model::stderr;
use report::replay;
use rulebook::rules::Rules;
use std::time::Duration;

const STDERR_LINES: usize = 12;

/// The author gets a warning from this share of the clock on. Another machine may be slower.
const WARNING_PERCENT: u64 = 50;

pub(super) struct Findings<'a> {
    pub(super) rules: &'a dyn Rules,
    pub(super) author: Author,
    pub(super) conditions: &'a Conditions,
    pub(super) samples: &'a [SampleGame],
    pub(super) roles: &'a [&'static str],
}

impl Findings<'_> {
    fn seated(&self, seat: usize) -> impl Iterator<Item = &SampleGame> {
        self.samples
            .iter()
            .filter(move |sample| sample.seat.index() == seat)
    }

    /// Adds a check for each kind of fault but time: the first fault, or fine, or that it was never
    /// to be seen.
    pub(super) fn add_to(&self, report: &mut CheckReport) {
        let samples = || self.samples.iter();
        let startup_us = samples()
            .map(|sample| sample.own().startup_wall_us / (sample.turns().count() as u64).max(1));
        let startup = time(startup_us.max().unwrap_or(0));
        // Whether all processes of a game used up the uncharged time of a start-up.
        let is_beyond_free = |sample: &SampleGame| {
            let starts = match self.conditions.lifetime {
                Lifetime::Turn => sample.turns().count() as u64,
                Lifetime::Game | Lifetime::Match => 1,
            };
            let free_ms = self.conditions.startup_free_ms(None);
            let used_us = sample.own().uncharged_us;
            free_ms.is_some_and(|ms| starts > 0 && used_us >= ms * 1000 * starts)
        };
        let free = self
            .conditions
            .startup_words()
            .filter(|_| samples().any(is_beyond_free))
            .map_or_else(String::new, |words| format!(" ({words})"));
        let begins = match self.conditions.lifetime {
            Lifetime::Turn => {
                format!("a process lives for one turn here; yours needs {startup} to start{free}")
            }
            Lifetime::Game | Lifetime::Match => format!("becomes ready in {startup}{free}"),
        };
        let readable: usize = samples().map(readable_answers).sum();
        let answers = counted(readable, "readable answer") + " and nothing else";
        let was_asked = |sample: &SampleGame| {
            sample.faults().any(|fault| fault.phase == Phase::Turn)
                || sample.turns().next().is_some()
        };
        let answered = |sample: &SampleGame| readable_answers(sample) > 0;
        let moved = |sample: &SampleGame| legal_moves(sample) > 0;
        let [unplayed, unasked, unanswered, unmoved] = [
            "no sample game was played",
            "it was never asked for a move",
            "it gave no readable answer",
            "it made no legal move",
        ];
        self.seen(report, Topic::Start, &|_| true, unplayed, &begins, true);
        self.seen(
            report,
            Topic::Output,
            &answered,
            unanswered,
            &answers,
            false,
        );
        self.seen(
            report,
            Topic::Silence,
            &answered,
            unanswered,
            "every answer arrived",
            false,
        );
        let legal = "every move is legal,";
        self.seen(report, Topic::Moves, &moved, unmoved, legal, true);
        let stayed = "never crashed or left a game";
        self.seen(report, Topic::Crash, &was_asked, unasked, stayed, false);
    }

    /// Adds a check: a fault, or `fine` in the roles where it could be seen, or `why` if there is none.
    fn seen(
        &self,
        report: &mut CheckReport,
        topic: Topic,
        is_seen: &dyn Fn(&SampleGame) -> bool,
        why: &str,
        fine: &str,
        names_roles: bool,
    ) {
        if self.add_fault(report, topic) {
            return;
        }
        let (seen, unseen): (Vec<_>, Vec<_>) =
            (0..self.roles.len()).partition(|&seat| self.seated(seat).any(is_seen));
        if seen.is_empty() {
            return report.not_looked_at(topic, why);
        }
        let names =
            |seats: Vec<usize>| joined(seats.into_iter().map(|seat| self.roles[seat]), " and as ");
        let mut message = fine.to_owned();
        if names_roles {
            message = format!("{message} as {}", names(seen));
        }
        if !unseen.is_empty() {
            message = format!("{message}; not checked as {}", names(unseen));
        }
        report.fine(topic, message);
    }

    /// Adds the first fault of a kind, and returns whether there is one.
    fn add_fault(&self, report: &mut CheckReport, topic: Topic) -> bool {
        let mut faults = self
            .samples
            .iter()
            .flat_map(|sample| sample.faults().map(move |fault| (sample, fault)));
        let Some((sample, fault)) = faults.find(|(_, fault)| topic_of(fault) == topic) else {
            return false;
        };
        let said = stderr::said(fault, &sample.stderr);
        let mut detail = remedy(fault, &self.author, said, sample.record.overloaded);
        detail.push(self.place(sample, fault));
        detail.extend(self.how_often(topic));
        let raised = fault.raised.as_deref();
        if fault.cause.is_death() || raised.is_some() {
            detail.extend(stderr::quoted(&sample.stderr, raised));
        }
        if fault.phase == Phase::Turn && topic != Topic::Output {
            detail.extend(self.drawn(sample, fault).into_iter().flatten());
        }
        let players = (0..sample.record.seats.len())
            .map(|seat| (seat != sample.seat.index()).then(|| sample.opponent.clone()));
        report
            .failed
            .get_or_insert_with(|| (players.collect(), sample.record.state));
        let mut message = fault.verdict(said);
        if let Some(function) = self.called(sample, fault) {
            message = format!("{function}: {message}");
        }
        report.add(topic, Verdict::Wrong, message, detail);
        true
    }

    pub(super) fn crashed(&self) -> Option<&SampleGame> {
        self.samples.iter().find(|sample| has(sample, Topic::Crash))
    }

    fn called(&self, sample: &SampleGame, fault: &Fault) -> Option<String> {
        let calls = self.author.kit?.calls;
        let mut before = sample.record.turns.iter().take(fault.ply as usize);
        let is_first = before.all(|turn| turn.seat != fault.seat);
        match fault.phase {
            Phase::Hello => None,
            Phase::Start => calls.start.map(str::to_owned),
            Phase::Turn => {
                let turn = calls.in_turn(fault.seat)?;
                // A program that answers has passed the functions before the first turn.
                let answered = matches!(fault.cause, Cause::IllegalMove | Cause::Malformed);
                let before = calls.before_first;
                Some(if is_first && !answered && !before.is_empty() {
                    let names: Vec<&str> = before.iter().copied().chain([turn]).collect();
                    stderr::called(&sample.stderr, &names)
                } else {
                    turn.to_owned()
                })
            }
        }
    }

    fn place(&self, sample: &SampleGame, fault: &Fault) -> String {
        let role = self.roles[sample.seat.index()];
        let when = match fault.phase {
            Phase::Hello => "while starting (at `hello`)".to_owned(),
            Phase::Start => "at the start of a game".to_owned(),
            Phase::Turn => format!("at ply {}", fault.ply),
        };
        format!(
            "first seen as {role} against {}, initial state {}, {when}",
            sample.opponent, sample.record.state
        )
    }

    fn how_often(&self, topic: Topic) -> Option<String> {
        let hits = |seat| {
            self.seated(seat)
                .filter(|sample| has(sample, topic))
                .count()
        };
        let is_only = (0..self.roles.len()).any(|seat| hits(seat) == 0);
        if self.samples.len() <= self.roles.len() && !is_only {
            return None;
        }
        let parts = self.roles.iter().enumerate().map(|(seat, role)| {
            let games = counted(self.seated(seat).count() as u64, "game");
            format!("{} of {games} as {role}", hits(seat))
        });
        Some(format!("in {}", joined(parts, ", ")))
    }

    /// Draws the position of a fault, if the rules can draw it.
    fn drawn(&self, sample: &SampleGame, fault: &Fault) -> Option<Vec<String>> {
        let record = &sample.record;
        let replayed = replay(self.rules, self.conditions, record).ok()?;
        let mut faults = record.faults.iter();
        let number = faults.position(|other| std::ptr::eq(other, fault));
        let mut steps = replayed.steps.iter();
        let at = steps.position(|step| step.fault == number)?;
        let before = at.checked_sub(1).map(|last| &replayed.steps[last].frame);
        let frame = before.unwrap_or(&replayed.first);
        let picture = engines::picture(frame, self.rules.notation());
        let numbered = frame.discs.iter().any(|disc| disc.letter.is_some());
        let names = self.roles.iter().enumerate().map(|(seat, role)| {
            if numbered {
                format!("{seat} = {role}")
            } else {
                format!("{} = {role}", engines::piece(seat))
            }
        });
        let mut lines = vec![format!("the position ({}):", joined(names, ", "))];
        lines.extend(picture.lines().map(|line| format!("  {line}")));
        Some(lines)
    }

    pub(super) fn add_stderr(&self, report: &mut CheckReport) {
        if self.samples.is_empty() {
            return report.not_looked_at(Topic::Stderr, "no sample game was played");
        }
        let (mut message, detail) = self.stderr_reported(report);
        let mut cut = self
            .samples
            .iter()
            .flat_map(|sample| &sample.notes)
            .filter(|note| !note.cut.is_empty());
        let turns = counted(cut.clone().count(), "turn");
        let mut verdict = Verdict::Ok;
        if let Some(Note { turn, cut, .. }) = cut.next() {
            verdict = Verdict::Warning;
            message = format!(
                "the judge cut its notes in {turns}, in turn {turn} first: {cut}; {message}"
            );
        }
        report.add(Topic::Stderr, verdict, message, detail);
    }

    fn stderr_reported(&self, report: &CheckReport) -> (String, Vec<String>) {
        let wrote: Vec<&str> = self
            .samples
            .iter()
            .map(|sample| sample.stderr.as_str())
            .filter(|text| !text.trim().is_empty())
            .collect();
        let [first, ..] = wrote.as_slice() else {
            let nothing = "nothing was written on standard error";
            return (nothing.to_owned(), Vec::new());
        };
        let (some, all) = (wrote.len(), counted(self.samples.len(), "game"));
        // The kit sends standard output there, too.
        let message = if self.author.kit.is_some() {
            let lines = counted(wrote.iter().flat_map(|text| text.lines()).count(), "line");
            format!("printed {lines} (kept for you) in {some} of {all}")
        } else {
            format!("wrote on standard error in {some} of {all}")
        };
        let mut detail: Vec<String> = first.trim_end().lines().map(str::to_owned).collect();
        let reported: Vec<&str> = report
            .checks
            .iter()
            .flat_map(|check| &check.detail)
            .map(|line| line.trim())
            .collect();
        if detail.iter().all(|line| reported.contains(&line.trim())) {
            return (format!("{message}, see above"), Vec::new());
        }
        if let Some(more @ 1..) = detail.len().checked_sub(STDERR_LINES) {
            // A traceback names the place and the error in its last lines.
            detail.splice(..more, [format!("… {more} lines before")]);
        }
        (format!("{message}; the end of the first:"), detail)
    }

    pub(super) fn games(&self, planned: usize) -> SampleGames {
        let number = |result| {
            self.samples
                .iter()
                .map(|sample| sample.outcome().result)
                .filter(|one| *one == result)
                .count()
        };
        SampleGames {
            planned,
            played: self.samples.len(),
            won: number(GameResult::Won),
            drawn: number(GameResult::Drawn),
            lost: number(GameResult::Lost),
        }
    }

    pub(super) fn times(&self) -> TurnTimes {
        let (control, mode) = (self.conditions.time, self.conditions.mode);
        let turns = self.samples.iter().flat_map(SampleGame::turns);
        let mut turns_us: Vec<u64> = turns.map(|turn| turn.counted_us(mode)).collect();
        turns_us.sort_unstable();
        TurnTimes {
            counts: mode,
            turns: turns_us.len(),
            median_us: turns_us.get(turns_us.len() / 2).copied().unwrap_or(0),
            worst_us: turns_us.last().copied().unwrap_or(0),
            turn_limit_us: control.turn_us,
            bank_us: control.bank_us,
        }
    }

    /// Adds the check of the times. `sample` has the limits of the sample games; `outlasted` is the
    /// time of the examination, if the games outlasted it.
    pub(super) fn add_times(
        &self,
        report: &mut CheckReport,
        sample: &Conditions,
        outlasted: Option<Duration>,
    ) {
        let is_unplayed = |seat: &usize| self.seated(*seat).next().is_none();
        let unplayed: Vec<usize> = (0..self.roles.len()).filter(is_unplayed).collect();
        if self.add_fault(report, Topic::Time) {
            self.add_own_limit(report, sample);
        } else if let Some(limit) = outlasted.filter(|_| !unplayed.is_empty()) {
            let seconds = limit.as_secs();
            let roles = unplayed.into_iter().map(|seat| self.roles[seat]);
            let message = format!(
                "its first game as {} did not end within {seconds} s",
                joined(roles, " and as ")
            );
            let detail = vec![format!(
                "judge check plays for {seconds} s; if the game needs longer, give --seconds"
            )];
            report.add(Topic::Time, Verdict::Warning, message, detail);
        } else if report.times.turns > 0 {
            self.add_percent(report);
        } else {
            report.not_looked_at(Topic::Time, "it never answered in a turn");
        }
    }

    fn add_percent(&self, report: &mut CheckReport) {
        let times = report.times;
        let limit = match (times.turn_limit_us, times.bank_us) {
            (Some(turn), _) => format!("limit {}", time(turn)),
            (None, Some(bank)) => format!("{} for a game", time(bank)),
            (None, None) => "no limit".to_owned(),
        };
        let percent = self
            .samples
            .iter()
            .map(|sample| percent_used(self.conditions, sample))
            .max()
            .unwrap_or(0);
        let message = format!(
            "{} a turn: {} median, {} worst of {} ({limit}); at most {percent} % of the clock",
            times.counts.called(),
            time(times.median_us),
            time(times.worst_us),
            counted(times.turns, "turn"),
        );
        if percent >= WARNING_PERCENT {
            let advice =
                "it is in time here; a slower machine or a harder position may leave less time";
            let detail = vec![advice.to_owned()];
            report.add(Topic::Time, Verdict::Warning, message, detail);
        } else {
            report.fine(Topic::Time, message);
        }
    }

    /// Adds to a fault of time that the limit was the check's own, if it was.
    fn add_own_limit(&self, report: &mut CheckReport, sample: &Conditions) {
        let own = self.conditions.time;
        let limit = sample
            .time
            .turn_us
            .filter(|_| own.turn_us != sample.time.turn_us);
        if let (Some(limit), Some(check)) = (limit, report.wrong(&[Topic::Time])) {
            let clock = match own.turn_us.or(own.bank_us) {
                Some(us) => format!("the competition's clock would allow {}", time(us)),
                None => "the competition's clock sets no limit".to_owned(),
            };
            check.detail.push(format!(
                "judge check stops a turn after {}, and {clock}; to allow longer turns, raise --seconds",
                time(limit)
            ));
        }
    }
}

/// Returns advice on a fault, line by line; the faulty line comes first.
fn remedy(fault: &Fault, author: &Author, said: Option<&str>, overloaded: bool) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(line) = fault.line.as_ref().filter(|_| fault.raised.is_none()) {
        lines.push(format!("the line: {line}"));
    }
    lines.extend(fault.remedy(author.advice(), author.lifetime, said, overloaded));
    // A student's prints do not end up in the answer.
    let is_print = author.kit.is_none() && matches!(fault.cause, Cause::Unasked | Cause::Flood);
    let is_for_people = fault.cause != Cause::IllegalMove
        && fault
            .line
            .as_deref()
            .is_some_and(|line| line.trim_start().starts_with(|c: char| c.is_alphabetic()));
    if is_print || is_for_people {
        let how = author.how(|language| language.stderr);
        lines.push(format!("print to standard error instead{how}"));
    }
    lines
}

fn topic_of(fault: &Fault) -> Topic {
    if fault.phase != Phase::Turn {
        return Topic::Start;
    }
    match fault.cause {
        Cause::Malformed | Cause::Unasked | Cause::Flood => Topic::Output,
        Cause::Silence | Cause::Idle => Topic::Silence,
        Cause::IllegalMove => Topic::Moves,
        Cause::Crash | Cause::Memory | Cause::Exit | Cause::Closed | Cause::Threads => Topic::Crash,
        Cause::Time => Topic::Time,
    }
}

fn has(sample: &SampleGame, topic: Topic) -> bool {
    sample.faults().any(|fault| topic_of(fault) == topic)
}

fn readable_answers(sample: &SampleGame) -> usize {
    let illegal = sample.faults().filter(|fault| {
        let is_illegal = fault.phase == Phase::Turn && fault.cause == Cause::IllegalMove;
        is_illegal && !sample.record.is_carried_out(fault)
    });
    legal_moves(sample) + illegal.count()
}

fn legal_moves(sample: &SampleGame) -> usize {
    sample.turns().filter(|turn| turn.mv.is_some()).count()
}

/// Returns the largest share in percent, of a turn's limit or of all that the bank had held.
fn percent_used(conditions: &Conditions, sample: &SampleGame) -> u64 {
    let (control, mode) = (conditions.time, conditions.mode);
    let turns = || sample.turns().map(|turn| turn.counted_us(mode));
    let in_turns: u64 = turns().sum();
    let part = |used: u64, of: u64| used.saturating_mul(100).div_ceil(of.max(1));
    let mut worst = 0;
    // The answer to `start` comes first.
    let mut used = sample.own().counted_us(mode).saturating_sub(in_turns);
    let mut held = control.bank_us;
    for turn in turns() {
        used += turn;
        held = held.map(|held| held + control.increment_us);
        worst = worst.max(control.turn_us.map_or(0, |limit| part(turn, limit)));
        worst = worst.max(held.map_or(0, |held| part(used, held)));
    }
    worst
}
