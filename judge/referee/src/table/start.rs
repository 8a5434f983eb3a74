//! The messages before a seat's first turn: `hello` and `start`.

use super::Table;
use super::turn::{first_offence, read_ready};
use crate::table::player::{Allowance, Cost};
use engines::{Lifetime, Seat};
use model::fault::{Offence, Phase};
use model::protocol;
use rulebook::JudgeError;
use std::time::Duration;

impl Table<'_> {
    /// Fetches a player and, if it is new, says `hello`. Returns its offence if it does not become
    /// ready, and the cost of that.
    pub(super) fn greet(&mut self, seat: Seat) -> Result<Result<(), (Offence, Cost)>, JudgeError> {
        let seated = self.players.start_player(self.fixture, seat)?;
        let greeted = seated.ready.is_some();
        let unready = self.fixture.unready;
        let seat_state = &mut self.seats[seat.index()];
        seat_state.record.not_started = unready.is_some_and(|them| them.seats.contains(seat));
        seat_state.player = Some(seated);
        if greeted {
            return Ok(Ok(()));
        }
        self.message.clear();
        let hello = (self.fixture).hello(self.rules.info(), self.conditions, seat);
        protocol::write(&mut self.message, &hello);
        // A start-up is part of the one turn of its process.
        let is_part_of_turn = self.conditions.lifetime == Lifetime::Turn;
        // A bot that keeps its first games waiting may not do so in all others.
        let counts = is_part_of_turn || self.fixture.later.contains(seat);
        let idle = counts.then(|| self.idle_left(seat)).flatten();
        let allowance = Allowance {
            cpu_us: None,
            wall: Duration::from_millis(self.conditions.startup_ms),
            idle,
        };
        let spent = self.ask(seat, Phase::Hello, allowance)?;
        let seat_state = &mut self.seats[seat.index()];
        let own_ms = seat_state.seated().startup_free_ms;
        let free_us = self
            .conditions
            .startup_free_ms(own_ms)
            .map_or(u64::MAX, |ms| ms.saturating_mul(1000));
        seat_state.record.uncharged_us += spent.cost.cpu_us;
        seat_state.record.startup_wall_us += spent.cost.wall_us;
        let line = seat_state.seated().player.line();
        let result = spent
            .result
            .map_err(|offence| first_offence(offence, line, read_ready));
        Ok(match result.and_then(|()| read_ready(line)) {
            Ok(ready) => {
                if let Some(name) = &ready.name {
                    let bot_name = Some(model::fault::quote(name.as_bytes()));
                    seat_state.record.bot_name =
                        bot_name.filter(|bot_name| !bot_name.trim().is_empty());
                }
                seat_state.seated().ready = Some(ready);
                seat_state.startup_owed_us = spent.cost.cpu_us.saturating_sub(free_us);
                Ok(())
            }
            Err(offence) => Err((offence, spent.cost)),
        })
    }

    /// Charges the initialisation where the rules do.
    pub(super) fn begin(&mut self, seat: Seat) -> Result<(), JudgeError> {
        self.message.clear();
        let start = self.fixture.start(self.rules.info(), seat);
        protocol::write(&mut self.message, &start);
        let charged = self.conditions.time.charge_start;
        let clock = self.seats[seat.index()].clock;
        let left_us = clock.left_us().filter(|_| charged);
        let backstop = Duration::from_millis(self.conditions.backstop_ms);
        let allowance = Allowance {
            idle: None,
            ..self.allowance(seat, left_us, backstop)
        };
        let spent = self.ask(seat, Phase::Start, allowance)?;
        self.players
            .on_event(super::TableEvent::Start(seat, spent.cost))?;
        let seat_state = &mut self.seats[seat.index()];
        let in_time = if charged {
            seat_state.charge(self.conditions.mode, spent.cost)
        } else {
            seat_state.record.uncharged_us += spent.cost.cpu_us;
            Ok(())
        };
        let line = seat_state.seated().player.line();
        let result = spent
            .result
            .map_err(|offence| first_offence(offence, line, read_ready));
        match in_time.and(result).and_then(|()| read_ready(line)) {
            Ok(_) => Ok(()),
            Err(offence) => self.fault(seat, Phase::Start, offence, spent.cost),
        }
    }
}
