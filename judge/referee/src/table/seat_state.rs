use super::player::Seated;
use super::{Asked, Reply};
use crate::table::player::Cost;
use model::clock::{Clock, ClockMode};
use model::fault::Offence;
use model::fixture::Conditions;
use model::note::Note;
use model::record::SeatRecord;
use model::stderr::{KeptStderr, Stderr, TurnMark};
use std::mem;

pub(super) struct SeatState {
    pub(super) player: Option<Seated>,
    pub(super) clock: Clock,
    /// Moves since the last turn, as the judge sends them.
    pub(super) unsent_moves: String,
    pub(super) record: SeatRecord,
    /// In microseconds beyond the free part; charged to the first turn.
    pub(super) startup_owed_us: u64,
    pub(super) stderr: KeptStderr,
    /// Where each turn begins in `stderr`.
    turn_marks: Vec<TurnMark>,
    pub(super) notes: Vec<Note>,
    pub(super) notes_bytes: usize,
    /// It gets no more questions.
    pub(super) gone: bool,
}

impl SeatState {
    pub(super) fn new(conditions: &Conditions, entrant: &str) -> Self {
        Self {
            player: None,
            clock: Clock::new(conditions.time_of(entrant)),
            unsent_moves: String::new(),
            record: SeatRecord::default(),
            startup_owed_us: 0,
            stderr: KeptStderr::default(),
            turn_marks: Vec::new(),
            notes: Vec::new(),
            notes_bytes: 0,
            gone: false,
        }
    }

    pub(super) fn seated(&mut self) -> &mut Seated {
        self.player
            .as_mut()
            .expect("a seat is asked while its player sits there")
    }

    /// Marks standard error from byte `begin` on as written in the turn after `ply`.
    pub(super) fn mark_turn(&mut self, ply: u32, begin: usize) {
        // Nothing was written in the turn before.
        if self.turn_marks.last().is_some_and(|last| last.1 == begin) {
            self.turn_marks.pop();
        }
        self.turn_marks.push(TurnMark(ply + 1, begin));
    }

    /// Takes a question back, because another seat's move has taken the turn away. The answer is
    /// not recorded, and its time is charged to nobody.
    pub(super) fn revert_question(&mut self, asked: &Asked) {
        self.clock = asked.clock;
        if let Reply::Spent { spent, owed_us } = &asked.reply {
            self.startup_owed_us = *owed_us;
            self.record.uncharged_us += spent.cost.cpu_us;
            self.record.idle_us -= spent.cost.idle_us;
        }
    }

    pub(super) fn take_stderr(&mut self) -> Stderr {
        let wrote = mem::take(&mut self.stderr).into_stderr(&self.turn_marks);
        Stderr {
            notes: mem::take(&mut self.notes),
            ..wrote
        }
    }

    /// If the clock has run out, that is the fault, even of a late answer or silence.
    pub(super) fn charge(&mut self, mode: ClockMode, cost: Cost) -> Result<(), Offence> {
        self.record.cpu_us += cost.cpu_us;
        self.record.off_turn_us += cost.off_turn_us;
        self.record.wall_us += cost.wall_us;
        let spent_us = mode.counted(cost.cpu_us, cost.wall_us);
        let left_us = self.clock.left_us().unwrap_or(u64::MAX);
        self.clock
            .charge(spent_us)
            .map_err(|_| Offence::overtime(mode, spent_us, left_us))
    }
}
