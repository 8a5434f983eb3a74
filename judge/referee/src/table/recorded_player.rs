use crate::table::player::{Allowance, Cost, Player, Spent};
use engines::Seat;
use model::fault::{Fault, Offence, Phase};
use model::record::{MatchRecord, TurnRecord};
use rulebook::{JudgeError, Result};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// With its phase, and whether the bot had gone short of resources.
type RecordedFault = (Phase, Offence, bool);

type Answer = Result<String, Offence>;

const READY: &str = "{\"ready\":{}}";

/// The rest of a seat's part in a recorded game. The players that repeat it share it, as there may
/// be one for each turn.
#[derive(Clone, Debug)]
pub struct RecordedPart(Rc<RefCell<Rest>>);

#[derive(Debug)]
struct Rest {
    role: String,
    turns: VecDeque<TurnRecord>,
    faults: VecDeque<RecordedFault>,
}

impl RecordedPart {
    /// Extracts a seat's part from a record; `role` names the seat.
    pub fn of(record: &MatchRecord, seat: Seat, role: &str) -> Self {
        let turns = record
            .turns
            .iter()
            .filter(|turn| turn.seat == seat)
            .cloned();
        // The rules refuse a partly carried-out move again.
        let own = |fault: &&Fault| fault.seat == seat && !record.is_carried_out(fault);
        let faults = record.faults.iter().filter(own).map(|fault| {
            let offence = Offence {
                cause: fault.cause,
                detail: fault.detail.clone(),
                raised: fault.raised.clone(),
                line: fault.line.clone(),
                exit: fault.exit,
            };
            (fault.phase, offence, fault.went_short)
        });
        Self(Rc::new(RefCell::new(Rest {
            role: role.to_owned(),
            turns: turns.collect(),
            faults: faults.collect(),
        })))
    }

    /// Makes a player that continues this part.
    pub fn player(&self) -> RecordedPlayer {
        RecordedPlayer {
            part: self.clone(),
            line: Vec::new(),
        }
    }
}

impl Rest {
    /// Takes the next fault if it occurred in this phase.
    fn fault_in(&mut self, phase: Phase) -> Option<RecordedFault> {
        let is_next = self.faults.front().is_some_and(|(own, ..)| *own == phase);
        is_next.then(|| self.faults.pop_front()).flatten()
    }

    /// Answers a question with a line or an offence.
    fn answer(&mut self, phase: Phase) -> Result<(Answer, Cost)> {
        let mut cost = Cost::default();
        let (line, fault) = match phase {
            Phase::Turn => {
                let fault = self.turn(&mut cost)?;
                fault.map_or_else(|fault| (String::new(), Some(fault)), |line| (line, None))
            }
            // A program that did not become ready was gone: this is its last fault.
            Phase::Hello if !self.turns.is_empty() => (READY.to_owned(), None),
            Phase::Hello | Phase::Start => (READY.to_owned(), self.fault_in(phase)),
        };
        let Some((_, offence, went_short)) = fault else {
            return Ok((Ok(line), cost));
        };
        cost.went_short = went_short;
        Ok((Err(offence), cost))
    }

    fn turn(&mut self, cost: &mut Cost) -> Result<Result<String, RecordedFault>> {
        let role = self.role.clone();
        let turn = self.turns.pop_front().ok_or_else(|| {
            JudgeError::RecordEnds(format!("the record has no more turns of the {role}"))
        })?;
        (cost.cpu_us, cost.wall_us) = (turn.cpu_us, turn.wall_us);
        if let Some(mv) = turn.mv {
            return Ok(Ok(format!("{{\"move\":{mv}}}")));
        }
        let fault = self.fault_in(Phase::Turn).ok_or_else(|| {
            JudgeError::RecordEnds(format!(
                "the record does not say why a turn of the {role} brought no move"
            ))
        });
        fault.map(Err)
    }
}

/// A player that repeats a [`RecordedPart`]; it has no process.
#[derive(Debug)]
pub struct RecordedPlayer {
    part: RecordedPart,
    line: Vec<u8>,
}

impl Player for RecordedPlayer {
    fn ask(&mut self, phase: Phase, _message: &[u8], _allowance: Allowance) -> Result<Spent> {
        let (answer, cost) = self.part.0.borrow_mut().answer(phase)?;
        self.line.clear();
        let result = answer.map(|line| self.line.extend_from_slice(line.as_bytes()));
        Ok(Spent { cost, result })
    }

    fn line(&self) -> &[u8] {
        &self.line
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::fault::{Cause, Exit};
    use std::time::Duration;

    /// Ann played one move, made an illegal one, and crashed; Bob never became ready.
    const RECORD: &str = r#"{"v":5,"fixture":"00000000000000000000000000000000","game":"g","state":0,"setup":{},"draw":"","seats":[
      {"entrant":"ann","artifact":"a","seed":1,"cpu_us":0,"off_turn_us":0,"wall_us":0,"uncharged_us":0,"startup_wall_us":0},
      {"entrant":"bob","artifact":"b","seed":1,"cpu_us":0,"off_turn_us":0,"wall_us":0,"uncharged_us":0,"startup_wall_us":0}],
      "turns":[[0,[1,0],7,9],[0,null,5,6],[0,null,3,4]],
      "faults":[
      {"seat":1,"ply":0,"phase":"hello","cause":"exit","detail":"exited","cpu_us":1,"wall_us":1},
      {"seat":0,"ply":1,"phase":"turn","cause":"illegal-move","detail":"no","line":"{}","cpu_us":5,"wall_us":6},
      {"seat":0,"ply":2,"phase":"turn","cause":"crash","detail":"gone","exit":{"signal":11},"cpu_us":3,"wall_us":4}],
      "end":"rules","outcome":{"seats":[],"reason":""}}"#;

    fn part(seat: usize) -> RecordedPart {
        let record = serde_json::from_str(RECORD).expect("a record");
        RecordedPart::of(&record, Seat::new(seat), "cat")
    }

    const ALLOWANCE: Allowance = Allowance {
        cpu_us: None,
        wall: Duration::ZERO,
        idle: None,
    };

    fn ask(part: &RecordedPart, phase: Phase) -> Result<Spent, JudgeError> {
        part.player().ask(phase, b"", ALLOWANCE)
    }

    #[test]
    fn ghost_repeats_moves_and_faults_with_recorded_times() {
        let recorded = part(0);
        let mut first = recorded.player();
        let hello = first.ask(Phase::Hello, b"", ALLOWANCE).expect("recorded");
        assert!(hello.result.is_ok());
        assert_eq!(first.line(), b"{\"ready\":{}}");
        let spent = first.ask(Phase::Turn, b"", ALLOWANCE).expect("recorded");
        assert_eq!(first.line(), b"{\"move\":[1,0]}");
        assert_eq!((spent.cost.cpu_us, spent.cost.wall_us), (7, 9));
        // If every turn has a process of its own, another player continues.
        let illegal = ask(&recorded, Phase::Turn).expect("recorded").result;
        let illegal = illegal.expect_err("a fault");
        assert_eq!(illegal.cause, Cause::IllegalMove);
        assert_eq!(illegal.line.as_deref(), Some("{}"));
        let crash = ask(&recorded, Phase::Turn).expect("recorded").result;
        assert_eq!(crash.expect_err("a fault").exit, Some(Exit::Signal(11)));
        let over = ask(&recorded, Phase::Turn).expect_err("nothing is left");
        assert!(matches!(over, JudgeError::RecordEnds(_)), "{over}");
        let unready = ask(&part(1), Phase::Hello).expect("recorded").result;
        assert_eq!(unready.expect_err("a fault").cause, Cause::Exit);
    }

    #[test]
    fn ghost_repeats_partly_applied_move_without_its_fault() {
        let record = RECORD.replace("[0,null,5,6]", "[0,[9,9],5,6]");
        let record = serde_json::from_str(&record).expect("a record");
        let part = RecordedPart::of(&record, Seat::new(0), "cat");
        let mut player = part.player();
        for line in [&b"{\"move\":[1,0]}"[..], b"{\"move\":[9,9]}"] {
            let spent = player.ask(Phase::Turn, b"", ALLOWANCE).expect("recorded");
            assert!(spent.result.is_ok());
            assert_eq!(player.line(), line);
        }
        let crash = ask(&part, Phase::Turn).expect("recorded").result;
        assert_eq!(crash.expect_err("a fault").cause, Cause::Crash);
    }
}
