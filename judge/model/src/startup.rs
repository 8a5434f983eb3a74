//! Bots that never become ready: a pure function of the games in the journal.

use crate::fault::{Cause, Fault, Phase};
use crate::game_id::GameId;
use crate::record::SeatRecord;
use alloc::vec::Vec;

/// A bot that became ready in none of its first games, in the schedule's order, is not started again.
pub const FIRST_GAMES: usize = 3;

/// The facts that a game shows about the startup of a bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Startup {
    /// The bot became ready.
    Ready,
    /// It did not.
    Unready(Cause),
    /// Nothing: it was not started, or the machine was overloaded or went short of something.
    Unknown,
}

impl Startup {
    /// Returns what a game shows about an entrant.
    pub fn of(entrant: &str, seats: &[SeatRecord], faults: &[Fault], overloaded: bool) -> Self {
        let mut found = Self::Unknown;
        for (index, seat) in seats.iter().enumerate() {
            if *seat.entrant != *entrant || seat.not_started {
                continue;
            }
            let mut own = faults.iter().filter(|fault| fault.seat.index() == index);
            let hello = own.clone().find(|fault| fault.phase == Phase::Hello);
            // Where a process lives for one turn, it may have become ready in others.
            let was_ready = seat.wall_us > 0;
            let was_asked = was_ready || seat.startup_wall_us > 0 || own.next().is_some();
            match hello {
                Some(fault) if !was_ready && !overloaded && !fault.went_short => {
                    found = Self::Unready(fault.cause);
                }
                Some(_) if !was_ready => {}
                _ if was_asked => return Self::Ready,
                _ => {}
            }
        }
        found
    }
}

/// The verdict of a bot's first games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Not enough yet. These games must be played before its others.
    Open(Vec<GameId>),
    /// It became ready, or has too few games to say more.
    Starts,
    /// It never became ready, for this cause at first.
    NeverReady(Cause),
}

impl Verdict {
    /// Judges a bot by its games in the schedule's order; games that show nothing do not count.
    pub fn of(games: impl Iterator<Item = (GameId, Option<Startup>)>) -> Self {
        let (mut missing, mut unready, mut cause) = (Vec::new(), 0, None);
        for (id, startup) in games {
            match startup {
                Some(Startup::Ready) => return Self::Starts,
                Some(Startup::Unknown) => continue,
                Some(Startup::Unready(kind)) => {
                    unready += 1;
                    cause = cause.or(Some(kind));
                }
                None => missing.push(id),
            }
            if unready + missing.len() == FIRST_GAMES {
                break;
            }
        }
        match cause {
            Some(cause) if unready == FIRST_GAMES => Self::NeverReady(cause),
            _ if missing.is_empty() => Self::Starts,
            _ => Self::Open(missing),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;

    #[test]
    fn a_verdict_needs_three_games_that_show_something() {
        use Startup::{Ready, Unknown, Unready};
        let no = Some(Unready(Cause::Silence));
        let crash = Some(Unready(Cause::Crash));
        let (yes, nothing) = (Some(Ready), Some(Unknown));
        let open = |missing: &[u8]| Verdict::Open(missing.iter().map(|&id| game(id)).collect());
        let never = Verdict::NeverReady;
        for (games, verdict) in [
            (&[None, None, None, None][..], open(&[0, 1, 2])),
            (&[no, None, None, None], open(&[1, 2])),
            (&[no, yes, None, None], Verdict::Starts),
            (&[None, None, yes, None], Verdict::Starts),
            (&[None, None, None, yes], open(&[0, 1, 2])),
            (&[crash, no, no, None], never(Cause::Crash)),
            (&[no, no, no, yes], never(Cause::Silence)),
            (&[no, nothing, no, None, None], open(&[3])),
            (&[nothing, no, no, no, yes], never(Cause::Silence)),
            (&[no, no], Verdict::Starts),
            (&[], Verdict::Starts),
        ] {
            let found = Verdict::of((0..).map(game).zip(games.iter().copied()));
            assert_eq!(found, verdict, "{games:?}");
        }
    }

    fn game(number: u8) -> GameId {
        GameId([number; 16])
    }

    #[test]
    fn a_game_shows_who_became_ready() {
        let seat = |entrant: &str, startup_wall_us, wall_us| SeatRecord {
            entrant: String::from(entrant),
            startup_wall_us,
            wall_us,
            ..SeatRecord::default()
        };
        let fault = |index: usize, phase: Phase| -> Fault {
            let fault = serde_json::json!({"seat": index, "ply": 0, "phase": phase,
                "cause": "silence", "detail": "", "cpu_us": 0, "wall_us": 9});
            serde_json::from_value(fault).expect("a fault")
        };
        let (ready, unready) = (Startup::Ready, Startup::Unready(Cause::Silence));
        // Of ann: startup and turns, in microseconds, her fault, overload, and what it shows.
        for (startup_us, wall_us, phase, overloaded, shown) in [
            (5, 7, None, true, ready),
            (5, 0, None, false, ready),
            (0, 7, None, false, ready),
            (0, 0, None, false, Startup::Unknown),
            (9, 0, Some(Phase::Hello), false, unready),
            (9, 0, Some(Phase::Hello), true, Startup::Unknown),
            (9, 7, Some(Phase::Hello), false, ready),
            (9, 0, Some(Phase::Start), false, ready),
        ] {
            let seats = [seat("bob", 5, 7), seat("ann", startup_us, wall_us)];
            let faults: Vec<Fault> = phase.map(|phase| fault(1, phase)).into_iter().collect();
            let found = Startup::of("ann", &seats, &faults, overloaded);
            assert_eq!(found, shown, "{startup_us} {wall_us} {phase:?}");
        }
        let mut idle = seat("ann", 0, 0);
        idle.not_started = true;
        let found = Startup::of("ann", &[idle], &[fault(0, Phase::Hello)], false);
        assert_eq!(found, Startup::Unknown);
    }
}
