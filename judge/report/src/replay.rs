//! A recorded game, played again by the rules alone for the pictures of a replay.

use engines::{Forfeit, Frame, Lifetime, Seat};
use model::clock::Clock;
use model::fault::Phase;
use model::fixture::Conditions;
use model::record::{MatchRecord, TurnRecord};
use rulebook::Result;
use rulebook::rules::{Position, Rules};
use std::slice::Iter;

/// A game as pictures.
#[derive(Debug)]
pub struct Replay {
    /// The initial position.
    pub first: Frame,
    pub(crate) first_counts: Vec<Option<u32>>,
    /// The events of the game, in order.
    pub steps: Vec<Step>,
    /// Whether the rules lead from the record's start to its end; if not, the steps stop early.
    pub is_whole: bool,
}

/// An event of a game: a turn, or a fault outside of turns.
#[derive(Debug)]
pub struct Step {
    /// The seat that acted.
    pub seat: Seat,
    /// The part of the move that was carried out, as a person would type it; may be empty.
    pub spelled: String,
    /// CPU time, in microseconds.
    pub cpu_us: u64,
    /// Time left in the seat's bank, in microseconds, if there is a bank.
    pub bank_us: Option<u64>,
    /// The index of the fault in the record.
    pub fault: Option<usize>,
    /// The position afterwards.
    pub frame: Frame,
    /// The game's counts for spectators in that position, by seat.
    pub counts: Vec<Option<u32>>,
}

/// Replays a record.
pub fn replay(rules: &dyn Rules, conditions: &Conditions, record: &MatchRecord) -> Result<Replay> {
    let game = rules
        .start(&record.setup)
        .map_err(|error| error.of("a recorded setup"))?;
    let mut player = Projector {
        conditions,
        record,
        turns: record.turns.iter(),
        faults_shown: 0,
        clocks: clocks(conditions, record),
        gone: vec![false; record.seats.len()],
        steps: Vec::with_capacity(record.turns.len()),
        game,
    };
    let first = player.game.frame()?;
    let first_counts = player.game.measure()?;
    let is_whole = player.run()?;
    Ok(Replay {
        first,
        first_counts,
        steps: player.steps,
        is_whole,
    })
}

/// Returns the clocks at the first turn: the part of a charge in no turn belongs to the initialisation.
fn clocks(conditions: &Conditions, record: &MatchRecord) -> Vec<Clock> {
    let set = record.seats.iter().enumerate().map(|(index, seat)| {
        let turns_us: u64 = record
            .turns
            .iter()
            .filter(|turn| turn.seat.index() == index)
            .map(|turn| turn.counted_us(conditions.mode))
            .sum();
        let all_us = seat.counted_us(conditions.mode);
        let mut clock = Clock::new(conditions.time_of(&seat.entrant));
        if conditions.time.charge_start {
            // An expired clock is in the record as a fault.
            let _ = clock.charge(all_us.saturating_sub(turns_us));
        }
        clock
    });
    set.collect()
}

struct Projector<'a> {
    conditions: &'a Conditions,
    record: &'a MatchRecord,
    turns: Iter<'a, TurnRecord>,
    faults_shown: usize,
    clocks: Vec<Clock>,
    gone: Vec<bool>,
    steps: Vec<Step>,
    game: Box<dyn Position>,
}

impl Projector<'_> {
    /// Plays to the end; returns whether the record reaches it.
    fn run(&mut self) -> Result<bool> {
        if self.conditions.lifetime != Lifetime::Turn {
            while let Some(seat) = self.start_fault() {
                self.show_fault(seat)?;
            }
        }
        while let Some(seat) = self.game.to_move()?.first() {
            if self.gone[seat.index()] {
                self.game.forfeit(seat, Forfeit::Gone)?;
            } else if self.start_fault() == Some(seat) {
                self.show_fault(seat)?;
            } else if !self.turn(seat)? {
                return Ok(false);
            }
        }
        Ok(self.turns.next().is_none() && self.faults_shown == self.record.faults.len())
    }

    /// Returns the seat of the next fault, if the fault is outside of turns and due now.
    fn start_fault(&self) -> Option<Seat> {
        let fault = self.record.faults.get(self.faults_shown)?;
        let is_due = fault.phase != Phase::Turn && fault.ply as usize == self.played();
        is_due.then_some(fault.seat)
    }

    fn played(&self) -> usize {
        self.record.turns.len() - self.turns.len()
    }

    fn turn(&mut self, seat: Seat) -> Result<bool> {
        let Some(TurnRecord {
            seat: mover,
            mv,
            cpu_us,
            wall_us,
        }) = self.turns.next()
        else {
            return Ok(false);
        };
        if *mover != seat {
            return Ok(false);
        }
        let clock = &mut self.clocks[seat.index()];
        clock.begin_turn();
        let _ = clock.charge(self.conditions.mode.counted(*cpu_us, *wall_us));
        match mv {
            Some(mv) => {
                let spelled = self.game.spell(seat, mv.get())?;
                if self.game.play_recorded(seat, mv.get())?.is_err() {
                    return Ok(false);
                }
                let is_its = self
                    .record
                    .faults
                    .get(self.faults_shown)
                    .is_some_and(|fault| {
                        fault.ply as usize + 1 == self.played() && self.record.is_carried_out(fault)
                    });
                let fault = is_its.then_some(self.faults_shown);
                self.faults_shown += usize::from(is_its);
                self.show(seat, spelled, *cpu_us, fault)?;
            }
            None if self.faults_shown < self.record.faults.len() => {
                self.show_fault(seat)?;
                self.steps.last_mut().expect("it was shown just now").cpu_us = *cpu_us;
            }
            None => return Ok(false),
        }
        Ok(true)
    }

    fn show_fault(&mut self, seat: Seat) -> Result {
        let number = self.faults_shown;
        let fault = &self.record.faults[number];
        let forfeit = fault.cause.forfeit(fault.phase);
        self.faults_shown += 1;
        self.gone[seat.index()] |= forfeit == Forfeit::Gone;
        self.game.forfeit(seat, forfeit)?;
        self.show(seat, String::new(), fault.cpu_us, Some(number))
    }

    fn show(&mut self, seat: Seat, spelled: String, cpu_us: u64, fault: Option<usize>) -> Result {
        self.steps.push(Step {
            seat,
            spelled,
            cpu_us,
            bank_us: self.clocks[seat.index()].bank_us(),
            fault,
            frame: self.game.frame()?,
            counts: self.game.measure()?,
        });
        Ok(())
    }
}
