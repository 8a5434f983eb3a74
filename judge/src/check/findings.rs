//! Findings about a submission in the records of its sample games.

use super::hints::Author;
use super::remedy;
use super::report::{CheckReport, FailedGame, SampleGames, Topic, Verdict};
use super::sparring::SampleGame;
use engines::{GameResult, Lifetime, SeatOutcome};
use model::fault::{Cause, Fault, Phase};
use model::fixture::Conditions;
use model::numbers::{counted, time};
use model::record::{SeatRecord, TurnRecord};
use model::stderr;
use report::replay;
use rulebook::rules::Rules;

const STDERR_LINES: usize = 12;

#[derive(Clone, Debug)]
pub(super) struct SeenRoles {
    seen: String,
    unseen: String,
}

impl SeenRoles {
    fn after(&self, words: &str) -> String {
        self.without(&format!("{words} as {}", self.seen))
    }

    /// Appends only the unobserved roles to the words.
    pub(super) fn without(&self, words: &str) -> String {
        if self.unseen.is_empty() {
            words.to_owned()
        } else {
            format!("{words}; not checked as {}", self.unseen)
        }
    }
}

pub(super) struct Findings<'a> {
    pub(super) rules: &'a dyn Rules,
    pub(super) author: Author,
    pub(super) conditions: &'a Conditions,
    pub(super) samples: &'a [SampleGame],
    pub(super) roles: &'a [&'static str],
}

impl SampleGame {
    pub(super) fn own(&self) -> &SeatRecord {
        &self.record.seats[self.seat.index()]
    }

    pub(super) fn outcome(&self) -> SeatOutcome {
        self.record.outcome.seats[self.seat.index()]
    }

    pub(super) fn turns(&self) -> impl Iterator<Item = &TurnRecord> {
        let turns = self.record.turns.iter();
        turns.filter(move |turn| turn.seat == self.seat)
    }

    fn faults(&self) -> impl Iterator<Item = &Fault> {
        self.record
            .faults
            .iter()
            .filter(move |fault: &&Fault| fault.seat == self.seat)
    }

    /// Returns whether another game in this seat could show more: it became ready and answered in time.
    pub(super) fn is_worth_another(&self) -> bool {
        let answered = |fault: &Fault| {
            fault.phase == Phase::Turn && !matches!(fault.cause, Cause::Silence | Cause::Time)
        };
        self.faults().all(answered)
    }

    fn was_asked(&self) -> bool {
        self.has(|fault| fault.phase == Phase::Turn) || self.turns().next().is_some()
    }

    pub(super) fn has(&self, is_one: impl Fn(&Fault) -> bool) -> bool {
        self.faults().any(is_one)
    }

    pub(super) fn is_late(&self) -> bool {
        self.has(|fault| topic_of(fault) == Topic::Time)
    }

    pub(super) fn is_won(&self) -> bool {
        self.outcome().result == GameResult::Won
    }

    pub(super) fn is_faultless(&self) -> bool {
        self.faults().next().is_none()
    }
}

impl Findings<'_> {
    /// Returns whether all processes of a game used up the uncharged time of a start-up.
    fn is_beyond_free(&self, sample: &SampleGame) -> bool {
        let free_ms = self.conditions.startup_free_ms(None);
        let starts = match self.conditions.lifetime {
            Lifetime::Turn => sample.turns().count() as u64,
            Lifetime::Game | Lifetime::Match => 1,
        };
        free_ms.is_some_and(|ms| starts > 0 && sample.own().uncharged_us >= ms * 1000 * starts)
    }

    pub(super) fn add_to(&self, report: &mut CheckReport) {
        let answers: usize = self.samples.iter().map(readable_answers).sum();
        let startup = self.samples.iter().map(startup_us).max().unwrap_or(0);
        let answers = counted(answers as u64, "readable answer");
        let played = |_: &SampleGame| true;
        let answered = |sample: &SampleGame| readable_answers(sample) > 0;
        let moved = |sample: &SampleGame| legal_moves(sample) > 0;
        let [started, asked, readable, legal] = [
            self.seen(played, "no sample game was played"),
            self.seen(SampleGame::was_asked, "it was never asked for a move"),
            self.seen(answered, "it gave no readable answer"),
            self.seen(moved, "it made no legal move"),
        ];
        let is_beyond = self
            .samples
            .iter()
            .any(|sample| self.is_beyond_free(sample));
        let free = self
            .conditions
            .startup_words()
            .filter(|_| is_beyond)
            .map(|words| format!(" ({words})"))
            .unwrap_or_default();
        let begins = match self.conditions.lifetime {
            Lifetime::Turn => format!(
                "a process lives for one turn here; yours needs {} to start{free}",
                time(startup)
            ),
            Lifetime::Game | Lifetime::Match => format!("becomes ready in {}{free}", time(startup)),
        };
        let fine = [
            (Topic::Start, started.map(|seen| seen.after(&begins))),
            (
                Topic::Output,
                readable
                    .clone()
                    .map(|seen| seen.without(&format!("{answers} and nothing else"))),
            ),
            (
                Topic::Silence,
                readable.map(|seen| seen.without("every answer arrived")),
            ),
            (
                Topic::Moves,
                legal.map(|seen| seen.after("every move is legal,")),
            ),
            (
                Topic::Crash,
                asked.map(|seen| seen.without("never crashed or left a game")),
            ),
        ];
        for (topic, fine) in fine {
            let fine = fine.as_deref().map_err(|why| *why);
            self.check(report, topic, |fault| topic_of(fault) == topic, fine);
        }
    }

    pub(super) fn unplayed(&self) -> Vec<&'static str> {
        let seats = self.roles.iter().enumerate();
        let unplayed = seats.filter(|(seat, _)| {
            self.samples
                .iter()
                .all(|sample| sample.seat.index() != *seat)
        });
        unplayed.map(|(_, role)| *role).collect()
    }

    /// Separates the roles that could be observed from the others; `why` if none could be.
    fn seen(
        &self,
        is_seen: impl Fn(&SampleGame) -> bool,
        why: &'static str,
    ) -> Result<SeenRoles, &'static str> {
        let (seen, unseen): (Vec<_>, Vec<_>) =
            self.roles.iter().enumerate().partition(|(seat, _)| {
                self.samples
                    .iter()
                    .filter(|sample| sample.seat.index() == *seat)
                    .any(&is_seen)
            });
        let names = |roles: Vec<(usize, &&'static str)>| {
            roles
                .into_iter()
                .map(|(_, name)| *name)
                .collect::<Vec<_>>()
                .join(" and as ")
        };
        if seen.is_empty() {
            return Err(why);
        }
        Ok(SeenRoles {
            seen: names(seen),
            unseen: names(unseen),
        })
    }

    /// Adds one check: the first fault of its kind, or fine, or why nothing could be observed.
    pub(super) fn check(
        &self,
        report: &mut CheckReport,
        topic: Topic,
        is_one: impl Fn(&Fault) -> bool,
        fine: Result<&str, &str>,
    ) {
        let Some((sample, fault)) = self
            .samples
            .iter()
            .flat_map(|sample| sample.faults().map(move |f| (sample, f)))
            .find(|(_, fault)| is_one(fault))
        else {
            match fine {
                Ok(fine) => report.fine(topic, fine),
                Err(why) => report.not_looked_at(topic, why),
            }
            return;
        };
        let said = stderr::said(fault, &sample.stderr);
        let mut detail = remedy(fault, &self.author, said, sample.record.overloaded);
        detail.push(self.place(sample, fault));
        detail.extend(self.how_often(&is_one));
        if fault.cause.is_death() || fault.raised.is_some() {
            let raised = fault.raised.as_deref();
            detail.extend(stderr::quoted(&sample.stderr, raised));
        }
        if is_of_position(fault) {
            detail.extend(self.drawn(sample, fault));
        }
        let mut players: Vec<Option<String>> =
            vec![Some(sample.opponent.clone()); sample.record.seats.len()];
        players[sample.seat.index()] = None;
        report.failed.get_or_insert(FailedGame {
            players,
            state: sample.record.state,
        });
        let mut message = fault.verdict(said);
        if let Some(function) = self.called(sample, fault) {
            message = format!("{function}: {message}");
        }
        report.add(topic, Verdict::Wrong, message, detail);
    }

    pub(super) fn crashed(&self) -> Option<&SampleGame> {
        self.samples
            .iter()
            .find(|sample| sample.has(|fault: &Fault| topic_of(fault) == Topic::Crash))
    }

    fn called(&self, sample: &SampleGame, fault: &Fault) -> Option<String> {
        let calls = self.author.kit?.calls;
        let before = sample.record.turns.iter().take(fault.ply as usize);
        let is_first = before.filter(|turn| turn.seat == fault.seat).count() == 0;
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

    fn how_often(&self, is_one: &impl Fn(&Fault) -> bool) -> Option<String> {
        let hit = |sample: &&SampleGame| sample.has(is_one);
        let by_role: Vec<(usize, String)> = self
            .roles
            .iter()
            .enumerate()
            .map(|(seat, role)| {
                let here = || {
                    self.samples
                        .iter()
                        .filter(|sample| sample.seat.index() == seat)
                };
                let (hits, games) = (here().filter(hit).count(), here().count());
                (
                    hits,
                    format!("{hits} of {} as {role}", counted(games as u64, "game")),
                )
            })
            .collect();
        let only = by_role.iter().any(|(hits, _)| *hits == 0);
        if self.samples.len() <= self.roles.len() && !only {
            return None;
        }
        let parts: Vec<String> = by_role.into_iter().map(|(_, part)| part).collect();
        Some(format!("in {}", parts.join(", ")))
    }

    /// Draws the position of a fault; no lines if the rules cannot draw it.
    fn drawn(&self, sample: &SampleGame, fault: &Fault) -> Vec<String> {
        let record = &sample.record;
        let Ok(replayed) = replay(self.rules, self.conditions, record) else {
            return Vec::new();
        };
        let is_it = |number: usize| {
            let other = record.faults.get(number);
            other.is_some_and(|other| std::ptr::eq(other, fault))
        };
        let mut steps = replayed.steps.iter();
        let Some(at) = steps.position(|step| step.fault.is_some_and(is_it)) else {
            return Vec::new();
        };
        let before = at.checked_sub(1).map(|last| &replayed.steps[last].frame);
        let frame = before.unwrap_or(&replayed.first);
        let picture = engines::picture(frame, self.rules.notation());
        let numbered = frame.discs.iter().any(|disc| disc.letter.is_some());
        let names: Vec<String> = self
            .roles
            .iter()
            .enumerate()
            .map(|(seat, role)| {
                if numbered {
                    format!("{seat} = {role}")
                } else {
                    format!("{} = {role}", engines::piece(seat))
                }
            })
            .collect();
        let mut lines = vec![format!("the position ({}):", names.join(", "))];
        lines.extend(picture.lines().map(|line| format!("  {line}")));
        lines
    }

    pub(super) fn add_stderr(&self, report: &mut CheckReport) {
        if self.samples.is_empty() {
            report.not_looked_at(Topic::Stderr, "no sample game was played");
            return;
        }
        let (message, detail) = self.stderr_reported(report);
        match self.cut_reported() {
            None => report.add(Topic::Stderr, Verdict::Ok, message, detail),
            Some(cut) => {
                let message = format!("{cut}; {message}");
                report.add(Topic::Stderr, Verdict::Warning, message, detail);
            }
        }
    }

    fn cut_reported(&self) -> Option<String> {
        let notes = self.samples.iter().flat_map(|sample| &sample.notes);
        let cut = notes.filter(|note| !note.cut.is_empty());
        let first = cut.clone().next()?;
        Some(format!(
            "the judge cut its notes in {}, in turn {} first: {}",
            counted(cut.count() as u64, "turn"),
            first.turn,
            first.cut
        ))
    }

    fn stderr_reported(&self, report: &CheckReport) -> (String, Vec<String>) {
        let wrote = self
            .samples
            .iter()
            .filter(|sample| !sample.stderr.trim().is_empty());
        let Some(first) = wrote.clone().next() else {
            return (
                "nothing was written on standard error".to_owned(),
                Vec::new(),
            );
        };
        let games = counted(self.samples.len() as u64, "game");
        let message = match self.author.kit {
            // The kit sends standard output there, too.
            Some(_) => {
                let lines = wrote.clone().map(|sample| sample.stderr.lines().count());
                let lines = counted(lines.sum::<usize>() as u64, "line");
                format!(
                    "printed {lines} (kept for you) in {} of {games}",
                    wrote.count()
                )
            }
            None => format!("wrote on standard error in {} of {games}", wrote.count()),
        };
        let lines = first.stderr.trim_end().lines();
        let mut detail: Vec<String> = lines.map(str::to_owned).collect();
        let is_reported = |line: &String| {
            report
                .checks
                .iter()
                .flat_map(|check| &check.detail)
                .any(|other| other.trim() == line.trim())
        };
        if detail.iter().all(is_reported) {
            return (format!("{message}, see above"), Vec::new());
        }
        if let Some(more @ 1..) = detail.len().checked_sub(STDERR_LINES) {
            // A traceback names the place and the error in its last lines.
            detail.splice(..more, [format!("… {more} lines before")]);
        }
        (format!("{message}; the end of the first:"), detail)
    }

    pub(super) fn games(&self, planned: usize) -> SampleGames {
        let mut games = SampleGames {
            planned,
            played: self.samples.len(),
            ..SampleGames::default()
        };
        for sample in self.samples {
            match sample.outcome().result {
                GameResult::Won => games.won += 1,
                GameResult::Drawn => games.drawn += 1,
                GameResult::Lost => games.lost += 1,
            }
        }
        games
    }
}

pub(super) fn topic_of(fault: &Fault) -> Topic {
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

fn is_of_position(fault: &Fault) -> bool {
    fault.phase == Phase::Turn && topic_of(fault) != Topic::Output
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

/// Returns the average wall time until a process of the game was ready, in microseconds.
fn startup_us(sample: &SampleGame) -> u64 {
    sample.own().startup_wall_us / (sample.turns().count() as u64).max(1)
}
