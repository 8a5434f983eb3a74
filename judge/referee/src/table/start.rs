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
        let seated = self.bench.seat(self.fixture, seat)?;
        let greeted = seated.ready.is_some();
        let unready = self.fixture.unready;
        let chair = &mut self.chairs[seat.index()];
        chair.record.not_started = unready.is_some_and(|them| them.seats.contains(seat));
        chair.player = Some(seated);
        if greeted {
            return Ok(Ok(()));
        }
        self.message.clear();
        let hello = (self.fixture).hello(self.rules.info(), self.conditions, seat);
        protocol::write_hello(&mut self.message, &hello);
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
        let chair = &mut self.chairs[seat.index()];
        let own_ms = chair.seated().startup_free_ms;
        let free_us = self
            .conditions
            .startup_free_ms(own_ms)
            .map_or(u64::MAX, |ms| ms.saturating_mul(1000));
        chair.record.uncharged_us += spent.cost.cpu_us;
        chair.record.startup_wall_us += spent.cost.wall_us;
        let line = chair.seated().player.line();
        let result = spent
            .result
            .map_err(|offence| first_offence(offence, line, read_ready));
        Ok(match result.and_then(|()| read_ready(line)) {
            Ok(ready) => {
                if let Some(name) = &ready.name {
                    let says = Some(model::fault::quote(name.as_bytes()));
                    chair.record.says = says.filter(|says| !says.trim().is_empty());
                }
                chair.seated().ready = Some(ready);
                chair.startup_owed_us = spent.cost.cpu_us.saturating_sub(free_us);
                Ok(())
            }
            Err(offence) => Err((offence, spent.cost)),
        })
    }

    /// Charges the initialisation where the rules do.
    pub(super) fn begin(&mut self, seat: Seat) -> Result<(), JudgeError> {
        self.message.clear();
        let start = self.fixture.start(self.rules.info(), seat);
        protocol::write_start(&mut self.message, &start);
        let charged = self.conditions.time.charge_start;
        let clock = self.chairs[seat.index()].clock;
        let left_us = clock.left_us().filter(|_| charged);
        let backstop = Duration::from_millis(self.conditions.backstop_ms);
        let allowance = Allowance {
            idle: None,
            ..self.allowance(seat, left_us, backstop)
        };
        let spent = self.ask(seat, Phase::Start, allowance)?;
        self.bench.observe(super::Note::Start(seat, spent.cost))?;
        let chair = &mut self.chairs[seat.index()];
        let in_time = if charged {
            chair.charge(self.conditions.mode, spent.cost)
        } else {
            chair.record.uncharged_us += spent.cost.cpu_us;
            Ok(())
        };
        let line = chair.seated().player.line();
        let result = spent
            .result
            .map_err(|offence| first_offence(offence, line, read_ready));
        match in_time.and(result).and_then(|()| read_ready(line)) {
            Ok(_) => Ok(()),
            Err(offence) => self.fault(seat, Phase::Start, offence, spent.cost),
        }
    }
}
