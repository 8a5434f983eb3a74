use super::evidence::{self, Asked, Charge, Timing};
use super::{Differences, Place, WordsKnown, json};
use engines::erased::MoveRefused;
use engines::{Forfeit, Lifetime, Seat};
use model::clock::{Clock, ClockMode};
use model::fault::{Cause, Fault, Offence, Phase};
use model::fixture::Conditions;
use model::record::{End, MatchRecord, SeatRecord, TurnRecord};
use rulebook::rules::Position;
use rulebook::{JudgeError, Result};

/// The state of a seat at the current turn of the replay.
struct SeatState {
    clock: Clock,
    turns: Charge,
    /// The rest of its charge.
    start: Charge,
    start_is_charged: bool,
    is_asked: bool,
    is_gone: bool,
}

enum Diverged {
    /// The record has left the game: the rest cannot be refereed.
    Record,
    Rules(JudgeError),
}

impl From<JudgeError> for Diverged {
    fn from(error: JudgeError) -> Self {
        Self::Rules(error)
    }
}

pub(super) struct RecordReplay<'a> {
    conditions: &'a Conditions,
    record: &'a MatchRecord,
    words: WordsKnown<'a>,
    game: Box<dyn Position>,
    seats: Vec<SeatState>,
    /// Followed so far.
    turns: usize,
    faults: usize,
    end: End,
    differences: &'a mut Differences,
}

impl<'a> RecordReplay<'a> {
    /// The record has as many seats as the game.
    pub(super) fn new(
        conditions: &'a Conditions,
        record: &'a MatchRecord,
        words: WordsKnown<'a>,
        game: Box<dyn Position>,
        differences: &'a mut Differences,
    ) -> Self {
        let seat_state = |(seat, turns): (&SeatRecord, _)| SeatState {
            clock: Clock::new(conditions.time_of(&seat.entrant)),
            turns,
            start: Charge::remainder(seat, turns),
            start_is_charged: false,
            is_asked: false,
            is_gone: false,
        };
        let sums = evidence::of_turns(record);
        Self {
            conditions,
            record,
            words,
            game,
            seats: record.seats.iter().zip(sums).map(seat_state).collect(),
            turns: 0,
            faults: 0,
            end: End::Rules,
            differences,
        }
    }

    pub(super) fn run(mut self) -> Result {
        self.open()?;
        let is_followed = match self.play_turns().and_then(|()| Ok(self.close()?)) {
            Ok(()) => true,
            Err(Diverged::Record) => false,
            Err(Diverged::Rules(error)) => return Err(error),
        };
        if self.words != WordsKnown::All {
            for (index, seat) in self.record.seats.iter().enumerate() {
                let place = Place::Seat(Seat::new(index));
                self.differences
                    .compare(place, "says", &None, &seat.bot_name);
            }
        }
        for (index, (seat_state, record)) in self.seats.iter().zip(&self.record.seats).enumerate() {
            let (seat, conditions) = (Seat::new(index), self.conditions);
            if record.not_started {
                evidence::check_unstarted_seat(seat, self.record, self.differences);
            }
            let asked = Asked {
                turns: seat_state.turns,
                start_is_charged: seat_state.start_is_charged,
                ever: is_followed.then_some(seat_state.is_asked),
            };
            evidence::check_charges(conditions, seat, record, asked, self.differences);
            evidence::check_idle(conditions, seat, self.record, self.differences);
        }
        Ok(())
    }

    /// Greets all seats, unless each turn has a process of its own.
    fn open(&mut self) -> Result {
        if self.conditions.lifetime == Lifetime::Turn {
            return Ok(());
        }
        for seat in (0..self.seats.len()).map(Seat::new) {
            if self.game.outcome()?.is_some() {
                break;
            }
            self.seats[seat.index()].is_asked = true;
            match self.next_fault(Phase::Hello, seat) {
                Some(fault) => self.hello_fault(fault)?,
                None => self.begin(seat)?,
            }
        }
        Ok(())
    }

    fn begin(&mut self, seat: Seat) -> Result {
        let seat_state = &mut self.seats[seat.index()];
        seat_state.start_is_charged = self.conditions.time.charge_start;
        let timing = if seat_state.start_is_charged {
            let Charge { cpu_us, wall_us } = seat_state.start;
            // A difference of two numbers of the record is at most the first.
            let whole = |us| u64::try_from(us).expect("at most what the seat is charged");
            let spent_us = self.conditions.mode.counted(whole(cpu_us), whole(wall_us));
            Timing::of(&mut seat_state.clock, spent_us)
        } else {
            Timing::UNCHARGED
        };
        let start = seat_state.start;
        if let Some(fault) = self.next_fault(Phase::Start, seat) {
            let place = self.place_of(fault);
            if self.conditions.time.charge_start {
                let (cpu_us, wall_us) = (u128::from(fault.cpu_us), u128::from(fault.wall_us));
                self.differences
                    .compare(place, "cpu_us", &start.cpu_us, &cpu_us);
                self.differences
                    .compare(place, "wall_us", &start.wall_us, &wall_us);
            } else {
                self.uncharged_fault(fault);
            }
            return self.fault(fault, timing);
        }
        if !timing.in_time {
            self.out_of_time(Place::Seat(seat), timing);
        }
        Ok(())
    }

    /// Follows the turns in the table's rounds.
    fn play_turns(&mut self) -> Result<(), Diverged> {
        loop {
            let round = self.game.to_move()?;
            if round.is_empty() {
                return Ok(());
            }
            for seat in round.iter() {
                // All of them are asked, and a move may take away the turn of the next.
                self.seats[seat.index()].is_asked |= !self.seats[seat.index()].is_gone;
                if self.game.to_move()?.contains(seat) {
                    self.seat_to_move(seat)?;
                }
            }
        }
    }

    fn seat_to_move(&mut self, seat: Seat) -> Result<(), Diverged> {
        if self.seats[seat.index()].is_gone {
            self.game.forfeit(seat, Forfeit::Gone)?;
            return Ok(());
        }
        if self.conditions.lifetime == Lifetime::Turn {
            let fault = self.next_fault(Phase::Hello, seat);
            if let Some(fault) = fault.filter(|fault| fault.ply as usize == self.turns) {
                self.hello_fault(fault)?;
                return Ok(());
            }
        }
        let Some(turn) = self.record.turns.get(self.turns) else {
            let expected = format!("turn {} of {seat}", self.turns);
            let found = "the end of the record";
            self.differences
                .add(Place::Record, "turns", expected, found);
            return Err(Diverged::Record);
        };
        self.turn(seat, turn)?;
        self.turns += 1;
        Ok(())
    }

    fn turn(&mut self, seat: Seat, turn: &TurnRecord) -> Result<(), Diverged> {
        let place = Place::Turn {
            number: self.turns,
            seat: turn.seat,
        };
        if turn.seat != seat {
            self.differences.compare(place, "seat", &seat, &turn.seat);
            return Err(Diverged::Record);
        }
        let clock = &mut self.seats[seat.index()].clock;
        clock.begin_turn();
        let timing = Timing::of(clock, turn.counted_us(self.conditions.mode));
        let Some(mv) = &turn.mv else {
            return self.null_turn(place, turn, timing);
        };
        let fault = self.next_fault(Phase::Turn, seat);
        if let Some(fault) = fault.filter(|fault| fault.ply as usize == self.turns) {
            return self.broken_turn(place, turn, mv.get(), fault, timing);
        }
        if !timing.in_time {
            self.out_of_time(place, timing);
        }
        let why = match self.game.play(seat, mv.get())? {
            Ok(spelled) => {
                if spelled != mv.get() {
                    self.differences.add(place, "move", spelled, mv.get());
                }
                return Ok(());
            }
            Err(MoveRefused::Unreadable(complaint)) => complaint,
            Err(MoveRefused::Broken(broken)) => broken.message,
        };
        let found = format!("{mv} ({why})");
        self.differences.add(place, "move", "a legal move", found);
        Err(Diverged::Record)
    }

    /// Follows a turn whose move breaks a rule and which the game carries out in part.
    fn broken_turn(
        &mut self,
        place: Place,
        turn: &TurnRecord,
        mv: &str,
        fault: &Fault,
        timing: Timing,
    ) -> Result<(), Diverged> {
        let before = self.game.copy()?;
        let refused = self.game.play(turn.seat, mv)?;
        let spelled = self.game.play_broken(turn.seat, mv)?;
        let (Err(MoveRefused::Broken(broken)), Some(spelled)) = (refused, spelled) else {
            let expected = "one that breaks a rule and is carried out in part";
            self.differences.add(place, "move", expected, mv);
            return Err(Diverged::Record);
        };
        if spelled != mv {
            self.differences.add(place, "move", &spelled, mv);
        }
        self.costs_of_turn(turn, fault);
        self.check_fault(fault, timing);
        let place = self.place_of(fault);
        let due = Offence::new(Cause::IllegalMove, broken.message);
        let (cause, detail) = (&due.cause, &due.detail);
        self.differences
            .compare(place, "cause", cause, &fault.cause);
        let entrant = &self.record.seats[turn.seat.index()].entrant;
        if !self.words.are_blank_of(entrant) {
            self.differences
                .compare(place, "detail", detail, &fault.detail);
            evidence::check_given(&*before, place, &spelled, fault, self.differences)?;
        }
        self.faults += 1;
        Ok(())
    }

    fn costs_of_turn(&mut self, turn: &TurnRecord, fault: &Fault) {
        let place = self.place_of(fault);
        self.differences
            .compare(place, "cpu_us", &turn.cpu_us, &fault.cpu_us);
        self.differences
            .compare(place, "wall_us", &turn.wall_us, &fault.wall_us);
    }

    /// Follows a turn without a move; a fault must explain it.
    fn null_turn(
        &mut self,
        place: Place,
        turn: &TurnRecord,
        timing: Timing,
    ) -> Result<(), Diverged> {
        let Some(fault) = self.next_fault(Phase::Turn, turn.seat) else {
            let found = "no move, and no fault that says why";
            self.differences.add(place, "move", "a move", found);
            return Err(Diverged::Record);
        };
        if fault.cause == Cause::IllegalMove && self.game.carries_out_broken_moves()? {
            let expected = "one that is carried out in part";
            self.differences.add(place, "move", expected, "no move");
        }
        self.costs_of_turn(turn, fault);
        self.fault(fault, timing)?;
        Ok(())
    }

    fn next_fault(&self, phase: Phase, seat: Seat) -> Option<&'a Fault> {
        let fault = self.record.faults.get(self.faults)?;
        (fault.phase == phase && fault.seat == seat).then_some(fault)
    }

    fn place_of(&self, fault: &Fault) -> Place {
        Place::Fault {
            number: self.faults,
            seat: fault.seat,
        }
    }

    fn hello_fault(&mut self, fault: &Fault) -> Result {
        let record = &self.record.seats[fault.seat.index()];
        let place = Place::Seat(fault.seat);
        if self.conditions.lifetime == Lifetime::Turn {
            let startup_us = record.startup_wall_us;
            self.differences
                .at_least(place, "startup_wall_us", fault.wall_us, startup_us);
        } else {
            let (startup_us, bot_name) = (&record.startup_wall_us, &record.bot_name);
            self.differences
                .compare(place, "startup_wall_us", &fault.wall_us, startup_us);
            self.differences.compare(place, "says", &None, bot_name);
        }
        self.uncharged_fault(fault);
        self.fault(fault, Timing::UNCHARGED)
    }

    fn uncharged_fault(&mut self, fault: &Fault) {
        let uncharged_us = self.record.seats[fault.seat.index()].uncharged_us;
        let place = Place::Seat(fault.seat);
        self.differences
            .at_least(place, "uncharged_us", fault.cpu_us, uncharged_us);
    }

    /// Compares the next fault with its expected time and its evidence.
    fn check_fault(&mut self, fault: &Fault, timing: Timing) {
        let place = self.place_of(fault);
        let ply = fault.ply as usize;
        self.differences.compare(place, "ply", &self.turns, &ply);
        let can_be_short = self.record.overloaded && fault.cause.may_come_of_shortage();
        if fault.went_short && !can_be_short {
            self.differences.compare(place, "went_short", &false, &true);
        }
        let seat = &self.record.seats[fault.seat.index()];
        let is_blank = self.words.are_blank_of(&seat.entrant);
        let (conditions, differences) = (self.conditions, &mut *self.differences);
        if seat.not_started {
            evidence::check_unstarted(place, fault, is_blank, differences);
        } else if is_blank {
            evidence::check_blank(conditions, place, fault, timing, differences);
        } else {
            let overloaded = self.record.overloaded;
            evidence::check(conditions, place, fault, overloaded, timing, differences);
        }
    }

    /// Follows the next fault, after which the game carries out nothing.
    fn fault(&mut self, fault: &Fault, timing: Timing) -> Result {
        self.check_fault(fault, timing);
        if timing.in_time {
            let place = self.place_of(fault);
            evidence::check_line(&*self.game, place, fault, self.differences)?;
        }
        let forfeit = fault.cause.forfeit(fault.phase);
        self.faults += 1;
        self.game.forfeit(fault.seat, forfeit)?;
        if self.game.outcome()?.is_some() {
            self.end = End::Fault {
                cause: fault.cause,
                seat: fault.seat,
            };
        }
        self.seats[fault.seat.index()].is_gone |= forfeit == Forfeit::Gone;
        Ok(())
    }

    /// A clock ran out, and no fault says so.
    fn out_of_time(&mut self, place: Place, timing: Timing) {
        let field = match self.conditions.mode {
            ClockMode::Cpu => "cpu_us",
            ClockMode::Wall => "wall_us",
        };
        let left_us = timing.left_us.expect("an unlimited clock does not run out");
        let expected = format!("at most {left_us}, or a fault");
        let found = timing.spent_us.to_string();
        self.differences.add(place, field, expected, found);
    }

    fn close(&mut self) -> Result {
        let (turns, faults) = (self.record.turns.len(), self.record.faults.len());
        for (field, followed, recorded) in [
            ("turns", self.turns, turns),
            ("faults", self.faults, faults),
        ] {
            if followed != recorded {
                let (expected, found) = (format!("{followed} of them"), recorded.to_string());
                self.differences.add(Place::Record, field, expected, found);
            }
        }
        let differences = &mut *self.differences;
        differences.compare(Place::Record, "end", &self.end, &self.record.end);
        // Only a fault for want of wall time, or of resources that others used, can carry the mark.
        let mode = self.conditions.mode;
        let may_be_marked =
            |fault: &Fault| fault.cause.is_wall_timeout(mode) || fault.cause.may_come_of_shortage();
        if self.record.overloaded && !self.record.faults.iter().any(may_be_marked) {
            differences.compare(Place::Record, "overloaded", &false, &true);
        }
        let outcome = self.game.outcome()?.expect("nobody is to move");
        let found = &self.record.outcome;
        differences.compare(Place::Record, "reason", &outcome.reason, &found.reason);
        if outcome.seats.len() != found.seats.len() {
            let (expected, found) = (json(&outcome.seats), json(&found.seats));
            differences.add(Place::Record, "outcome", expected, found);
            return Ok(());
        }
        for (index, (due, found)) in outcome.seats.iter().zip(&found.seats).enumerate() {
            let place = Place::Outcome(Seat::new(index));
            differences.compare(place, "result", &due.result, &found.result);
            differences.compare(place, "placement", &due.placement, &found.placement);
            differences.compare(place, "points", &due.points, &found.points);
            differences.compare(place, "tie_break", &due.tie_break, &found.tie_break);
        }
        Ok(())
    }
}
