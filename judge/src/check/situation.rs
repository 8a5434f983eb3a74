//! Positions in which to question a bot, and advice on its faults in the words of an author.

use super::hints::Author;
use engines::{Forfeit, Lifetime, Seat};
use model::advice;
use model::fault::{Cause, FLUSH, Fault, Phase};
use model::fixture::Fixture;
use model::record::MatchRecord;
use model::text::readable;
use rulebook::JudgeError;
use rulebook::rules::{Position, Rules};
use std::fmt::{self, Write as _};

/// A position in which a seat is to move, with the moves that led to it.
pub(super) struct Situation {
    pub(super) game: Box<dyn Position>,
    pub(super) seat: Seat,
    pub(super) ply: u32,
    /// Number of the seat's own turns before.
    pub(super) own: u32,
    /// The others' moves since the seat's last turn, in the form of the protocol.
    pub(super) news: String,
}

impl Situation {
    /// Plays first legal moves until a seat has had `turns` turns and is to move again. Returns
    /// `None` if the game ends before.
    pub(super) fn of(
        rules: &dyn Rules,
        fixture: &Fixture,
        seat: Seat,
        turns: u32,
    ) -> Result<Option<Self>, JudgeError> {
        let mut game = rules
            .start(&fixture.setup)
            .map_err(|error| error.of("a setup"))?;
        let (mut ply, mut own, mut news) = (0, 0, String::new());
        loop {
            let Some(mover) = game.to_move()?.first() else {
                return Ok(None);
            };
            if mover == seat && own == turns {
                return Ok(Some(Self {
                    game,
                    seat,
                    ply,
                    own,
                    news,
                }));
            }
            let Some(first) = game.legal_moves(mover)?.into_iter().next() else {
                return Ok(None);
            };
            let Ok(mv) = game.play(mover, &first)? else {
                return Ok(None);
            };
            if mover == seat {
                own += 1;
                news.clear();
            } else {
                let comma = if news.is_empty() { "" } else { "," };
                write!(news, "{comma}[{},{mv}]", mover.index()).expect("writing to memory");
            }
            ply += 1;
        }
    }

    /// Returns the situations of a seat in a recorded game, up to one of its faults.
    pub(super) fn along(
        rules: &dyn Rules,
        record: &MatchRecord,
        fault: &Fault,
    ) -> Result<Vec<Self>, JudgeError> {
        let mut all = Vec::new();
        let mut game = rules
            .start(&record.setup)
            .map_err(|error| error.of("a recorded setup"))?;
        let (mut own, mut news) = (0, String::new());
        for ply in 0..=fault.ply {
            let turn = record.turns.get(ply as usize);
            if turn.map_or(ply == fault.ply, |turn| turn.seat == fault.seat) {
                all.push(Self {
                    game: game.copy()?,
                    seat: fault.seat,
                    ply,
                    own,
                    news: std::mem::take(&mut news),
                });
                own += 1;
            } else if let Some(turn) = turn
                && let Some(mv) = &turn.mv
            {
                let comma = if news.is_empty() { "" } else { "," };
                let (by, mv) = (turn.seat.index(), mv.get());
                write!(news, "{comma}[{by},{mv}]").expect("writing to memory");
            }
            if !follow(game.as_mut(), record, ply as usize)? {
                break;
            }
        }
        Ok(all)
    }
}

/// Plays a turn of a record. Returns whether the turn exists and is playable.
pub(super) fn follow(
    game: &mut dyn Position,
    record: &MatchRecord,
    ply: usize,
) -> Result<bool, JudgeError> {
    let Some(turn) = record.turns.get(ply) else {
        return Ok(false);
    };
    // A seat that is gone has no more turns.
    while let Some(gone) = game.to_move()?.first().filter(|&seat| seat != turn.seat) {
        game.forfeit(gone, Forfeit::Gone)?;
    }
    if let Some(mv) = &turn.mv {
        return Ok(game.play_recorded(turn.seat, mv.get())?.is_ok());
    }
    let same = |f: &&Fault| f.seat == turn.seat && f.ply as usize == ply;
    let why = record.faults.iter().find(same);
    if let Some(why) = why {
        game.forfeit(turn.seat, why.cause.forfeit(why.phase))?;
    }
    Ok(why.is_some())
}

/// Returns the first position of the first game in which a seat is to move.
pub(super) fn first_turn<'a>(
    rules: &dyn Rules,
    fixtures: &'a [Fixture],
    seat: Seat,
) -> Result<Option<(&'a Fixture, Situation)>, JudgeError> {
    let Some(fixture) = fixtures.first() else {
        return Ok(None);
    };
    let first = Situation::of(rules, fixture, seat, 0)?;
    Ok(first.map(|first| (fixture, first)))
}

/// Text from strangers, escaped for a terminal.
pub(super) struct Readable<'a>(pub(super) &'a str);

impl fmt::Display for Readable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&readable(self.0))
    }
}

/// Returns a sentence that describes a fault.
pub(super) fn headline(fault: &Fault, author: &Author) -> String {
    let mut detail = fault.detail.as_str();
    let what = match (fault.cause, &fault.raised) {
        (Cause::Malformed, Some(exception)) => return format!("raises {exception}"),
        (Cause::Malformed, None) => "gives an unreadable answer",
        (Cause::Unasked, _) => "prints something unasked",
        (Cause::Flood, _) => return format!("prints {detail}"),
        (Cause::Silence, _) => {
            // A kit flushes its output itself.
            let is_kits = author.kit.is_some();
            detail = if is_kits {
                detail.trim_end_matches(FLUSH)
            } else {
                detail
            };
            match fault.phase {
                Phase::Hello => "does not become ready",
                Phase::Start | Phase::Turn => "falls silent",
            }
        }
        (Cause::Idle, _) => "waits too long",
        (Cause::IllegalMove, _) => "makes an illegal move",
        (Cause::Crash, _) => "crashes",
        (Cause::Memory, _) => "uses too much memory",
        (Cause::Exit, _) => "ends too early",
        (Cause::Closed, _) => return detail.to_owned(),
        (Cause::Threads, _) => "uses too much of what all bots share",
        (Cause::Time, _) => "takes too long",
    };
    format!("{what}: {detail}")
}

/// Returns advice on a fault, line by line; the faulty line comes first.
pub(super) fn remedy(fault: &Fault, author: &Author) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(line) = fault.line.as_ref().filter(|_| fault.raised.is_none()) {
        lines.push(format!("the line: {line}"));
    }
    let own = author.advice();
    let words = match fault.cause {
        Cause::IllegalMove => return lines,
        Cause::Unasked => "one line answers one question, and nothing comes before or after it",
        Cause::Malformed if fault.raised.is_some() => "the turn is lost, and the game continues",
        Cause::Malformed | Cause::Flood => own.map_or(asked_for(fault.phase), |own| own.answer),
        Cause::Idle => {
            "it neither computed nor waited for a CPU in that time: remove sleeps and waits"
        }
        Cause::Silence if own.is_some() => {
            "in that time it neither answered nor computed: does it sleep, or wait for input or a thread?"
        }
        Cause::Silence => {
            "the program is alive but idle: it answers never or too late, or its answer stays in its buffer"
        }
        Cause::Crash | Cause::Exit if own.is_some() => lost(author.lifetime),
        Cause::Crash | Cause::Exit if fault.phase == Phase::Hello => {
            "it ended before its first answer; look at its standard error"
        }
        Cause::Crash | Cause::Exit => "it must keep answering until its input ends",
        Cause::Memory => "keep less in memory at once",
        Cause::Threads => {
            "end or reuse threads, do not keep signals blocked, and start no timer that sends SIGCONT"
        }
        Cause::Closed => "leave standard output open until the input ends",
        Cause::Time => own.map_or(
            "make it answer earlier: `clock` in every turn says how much time is left",
            |own| own.time,
        ),
    };
    let told = fault.raised.as_deref().and_then(advice::on_output);
    lines.extend(told.map(|told| told.to_string()));
    lines.push(words.to_owned());
    // A student's prints do not end up in the answer.
    let is_print = own.is_none() && matches!(fault.cause, Cause::Unasked | Cause::Flood);
    if is_print || is_meant_for_people(fault) {
        lines.push(format!(
            "print to standard error instead{}",
            author.stderr()
        ));
    }
    lines
}

/// Returns the effect on a student's game of the end of the program.
fn lost(lifetime: Lifetime) -> &'static str {
    match lifetime {
        Lifetime::Turn | Lifetime::Game => "the program has ended, so the game is lost",
        Lifetime::Match => "the program has ended, so all its remaining games are lost",
    }
}

fn asked_for(phase: Phase) -> &'static str {
    match phase {
        Phase::Hello | Phase::Start => "expected a line such as {\"ready\":{}}",
        Phase::Turn => {
            "expected a line such as {\"move\":…}, with a move as in PROTOCOL.md, which judge new writes"
        }
    }
}

/// Returns whether a line was meant for a person, rather than being a malformed answer.
fn is_meant_for_people(fault: &Fault) -> bool {
    let line = fault.line.as_deref().map(str::trim_start);
    line.is_some_and(|line| line.starts_with(|c: char| c.is_alphabetic()))
}
