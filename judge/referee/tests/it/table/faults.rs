//! Faults: what is recorded of them, and how the game continues.

use super::{Game, ScriptedAnswer, changing, conditions, has, is_turn, play, play_from, straight};
use engines::Seat;
use model::fault::{Cause, Offence, Phase};
use model::record::End;

#[test]
fn output_before_question_is_no_answer() {
    let script = changing(|answer, seat, question| {
        if seat == 1 && is_turn(question) {
            answer.answer = Err(Offence::new(Cause::Unasked, "output before the question"));
        }
    });
    let game = play(&conditions(|_| {}), script);
    let fault = &game.record.faults[0];
    assert_eq!(fault.cause, Cause::Unasked, "{fault:?}");
    assert_eq!(fault.detail, "output before the question");
}

#[test]
fn unready_bot_loses_and_nobody_else_is_asked() {
    let gone = "exited with code 1 without an answer";
    let script = changing(move |answer, _, _| answer.answer = Err(Offence::new(Cause::Exit, gone)));
    let game = play(&conditions(|_| {}), script);
    let fault = &game.record.faults[0];
    assert_eq!((fault.seat, fault.phase), (Seat::new(0), Phase::Hello));
    assert_eq!(game.record.outcome.reason, "the cat's program is gone");
    assert_eq!(game.heard.len(), 1);
}

#[test]
fn broken_rule_is_named_and_line_quoted() {
    const STAYS: &str = r#"{"move": [0,0]}"#;
    let game = play(&conditions(|_| {}), |seat, question| {
        if is_turn(question) {
            return ScriptedAnswer::line(STAYS);
        }
        straight(seat, question)
    });
    let fault = &game.record.faults[0];
    assert_eq!(fault.cause, Cause::IllegalMove);
    let words = "the cat cannot go from (0,0) to (0,0): the cat may not stay where it is";
    assert_eq!(fault.detail, words);
    assert_eq!(fault.line.as_deref(), Some(STAYS));
}

/// Plays a Monkey's duel, in whose turns the seats answer with `turn`.
fn duel(strict: bool, turn: impl Fn(usize) -> ScriptedAnswer + 'static) -> Game {
    let duel = conditions(|c| {
        let entry = engines::game("monkey-metal-man").expect("registered");
        entry.info.slug.clone_into(&mut c.game);
        c.config = entry.configure(r#"{"players":2}"#).expect("allowed");
        c.time = entry.info.time;
    });
    let setup = format!(
        r#"{{"map":["FFFFF","FFFFF","FFFFF","FFFFF","FFFFF"],"strict":{strict},"pieces":[
        {{"spotter":[0,0],"assasin":[4,0],"spotter_direction":[1,0],"assasin_direction":[1,0]}},
        {{"spotter":[0,4],"assasin":[4,4],"spotter_direction":[1,0],"assasin_direction":[1,0]}}]}}"#
    );
    play_from(&duel, setup, None, move |seat, question| {
        if is_turn(question) {
            return turn(seat);
        }
        straight(seat, question)
    })
}

const STAY: &str = r#"{"move":{"Spotter":{"direction":[1,0],"moves":[[0,0]]},"Assasin":{"direction":[1,0],"moves":[]}}}"#;
const HALF: &str = r#"{"move":{"Spotter":{"direction":[0,1],"moves":[[5,5]]},"Assasin":{"direction":[0,1],"moves":[[-1,0]]}}}"#;

#[test]
fn partly_applied_move_is_recorded_with_its_fault() {
    let game = duel(false, |seat| ScriptedAnswer::line([HALF, STAY][seat]));
    let record = &game.record;
    let faults = record.faults.iter().map(|fault| fault.seat.index());
    let own = record.turns.iter().filter(|turn| turn.seat.index() == 0);
    assert_eq!(faults.collect::<Vec<_>>(), vec![0; own.count()]);
    let fault = &record.faults[0];
    assert_eq!(fault.cause, Cause::IllegalMove);
    let words = "the spotter's move 1 is [5,5]; a move is [0,0] (stay) or";
    assert!(fault.detail.starts_with(words), "{fault:?}");
    assert_eq!(fault.line.as_deref(), Some(HALF));
    assert_eq!(record.fault_in(0), Some(fault));
    assert!(record.is_carried_out(fault) && record.fault_in(1).is_none());
    let recorded = record.turns[0].mv.as_ref().expect("recorded").get();
    assert_eq!(format!("{{\"move\":{recorded}}}"), HALF);
    // The second question to the seat: one piece has moved, the other is unchanged.
    let questions = game.heard.iter();
    let mut questions = questions.filter(|(seat, text)| *seat == 0 && text.contains("\"view\""));
    let (_, second) = questions.nth(1).expect("asked again");
    let words = [
        r#""spotter location":[0,0]"#,
        r#""assasin location":[3,0]"#,
        r#""spotter direction":[1,0]"#,
        r#""assasin direction":[0,1]"#,
    ];
    has(second, &words);
    assert_eq!(record.end, End::Rules);
}

#[test]
fn strict_rules_apply_nothing_and_remove_at_three() {
    let game = duel(true, |seat| ScriptedAnswer::line([HALF, STAY][seat]));
    let record = &game.record;
    assert!(record.turns.iter().all(|turn| turn.mv.is_none()));
    let causes = record.faults.iter().map(|fault| fault.cause);
    // The third fault of player 0 removes it; player 1's third comes in the same round.
    assert_eq!(causes.collect::<Vec<_>>(), [Cause::IllegalMove; 6]);
}

#[test]
fn third_timeout_removes_and_malformed_answers_do_not() {
    let malformed = duel(false, |seat| ScriptedAnswer::line([STAY, "what?"][seat]));
    let second = &malformed.record.outcome.seats[1];
    assert_eq!(second.placement, 1, "both are left until the end");
    let late = duel(false, |seat| {
        let mut answer = ScriptedAnswer::line(STAY);
        answer.cost.cpu_us = [5, 1_000_001][seat];
        answer
    });
    let record = &late.record;
    let faults = record.faults.iter();
    let causes = faults.map(|fault| (fault.seat.index(), fault.cause));
    assert_eq!(causes.collect::<Vec<_>>(), [(1, Cause::Time); 3]);
    assert_eq!(record.turns.len(), 6);
    let (cause, seat) = (Cause::Time, Seat::new(1));
    assert_eq!(record.end, End::Fault { cause, seat });
}
