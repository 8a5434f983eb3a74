//! Requests that a game does not need. None may change the position.

use super::{Promise, Stop};
use crate::external::answer::rewritten;
use engines::Seat;
use engines::erased::MoveRefused;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rulebook::rules::{Position, Rules};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// One of so many rounds has all near misses of a move; the others have one.
const THOROUGH_EVERY: u32 = 16;

pub(super) struct SeatToMove {
    pub(super) seat: Seat,
    pub(super) legal: Vec<String>,
}

pub(super) fn refused(seat: Seat, mv: &str, why: &MoveRefused) -> Stop {
    let why = match why {
        MoveRefused::Unreadable(why) => why.clone(),
        MoveRefused::Broken(rule) => rule.to_string(),
    };
    let words = format!("it lists {mv} as a legal move of {seat}, and refuses it: {why}");
    Stop::Broken(Promise::Legal, words)
}

/// Tries moves outside of the lists (`before` has earlier ones), and a listed move on a copy.
pub(super) fn moves(
    rules: &dyn Rules,
    position: &mut dyn Position,
    seats_to_move: &[SeatToMove],
    before: &[Vec<String>],
    rng: &mut ChaCha8Rng,
) -> Result<(), Stop> {
    for SeatToMove { seat, legal } in seats_to_move {
        let mut sorted: Vec<&String> = legal.iter().collect();
        sorted.sort_unstable();
        let mut pairs = sorted.iter().zip(sorted.iter().skip(1));
        if let Some((twice, _)) = pairs.find(|(a, b)| a == b) {
            let words = format!("it lists {twice} twice as a legal move of {seat}");
            return Err(Stop::Broken(Promise::Legal, words));
        }
        let mv = &legal[rng.random_range(..legal.len())];
        let mut copy = position.copy()?;
        copy.play(*seat, mv)?
            .map_err(|why| refused(*seat, mv, &why))?;
        if !rules.info().moves_listed {
            continue;
        }
        let mut wrong = misses(mv, legal);
        let others = before.iter().flatten().filter(|mv| !legal.contains(mv));
        wrong.extend(others.cloned());
        if !rng.random_ratio(1, THOROUGH_EVERY) {
            let one = rng.random_range(..wrong.len());
            wrong = vec![wrong.swap_remove(one)];
        }
        for mv in wrong {
            if position.play(*seat, &mv)?.is_ok() {
                let words = format!(
                    "it plays {mv} for {seat}, which is not in its list of legal moves ({})",
                    shortened(legal)
                );
                return Err(Stop::Broken(Promise::Legal, words));
            }
        }
    }
    Ok(())
}

fn shortened(legal: &[String]) -> String {
    const SHOWN: usize = 8;
    let first = legal[..legal.len().min(SHOWN)].join(", ");
    let rest = if legal.len() > SHOWN { ", …" } else { "" };
    first + rest
}

fn view(position: &dyn Position, seat: Seat) -> Result<Vec<u8>, Stop> {
    let mut view = Vec::new();
    position.write_view(seat, &mut view)?;
    Ok(view)
}

/// Plays a round on copies, from the first seat and from the last one.
pub(super) fn order(
    position: &dyn Position,
    seats_to_move: &[SeatToMove],
    rng: &mut ChaCha8Rng,
) -> Result<(), Stop> {
    if seats_to_move.len() < 2 {
        return Ok(());
    }
    let chosen: Vec<(&SeatToMove, &String)> = (seats_to_move.iter())
        .map(|it| (it, &it.legal[rng.random_range(..it.legal.len())]))
        .collect();
    let [forward, backward] = [false, true].map(|is_reversed| {
        let mut copy = position.copy()?;
        let mut left = chosen.clone();
        if !is_reversed {
            left.reverse();
        }
        while let Some((SeatToMove { seat, .. }, mv)) = left.pop() {
            if !copy.to_move()?.contains(*seat) {
                continue;
            }
            copy.play(*seat, mv)?.map_err(|why| refused(*seat, mv, &why))?;
            for (SeatToMove { seat: other, legal }, _) in &left {
                if !copy.to_move()?.contains(*other) {
                    continue;
                }
                if view(&*copy, *other)? != view(position, *other)? {
                    let words = format!(
                        "{seat} and {other} move at once, but the view of {other} shows the move {mv} of {seat} before it has moved"
                    );
                    return Err(Stop::Broken(Promise::Rounds, words));
                }
                if copy.legal_moves(*other)? != *legal {
                    let words = format!(
                        "{seat} and {other} move at once, but the move {mv} of {seat} changes the legal moves of {other}"
                    );
                    return Err(Stop::Broken(Promise::Rounds, words));
                }
            }
        }
        let mut shown = format!("{:?} {:?} {:?}", copy.to_move()?, copy.outcome()?, copy.frame()?).into_bytes();
        for seat in 0..copy.seats()? {
            copy.write_view(Seat::new(seat), &mut shown)?;
        }
        Ok(shown)
    });
    if forward? == backward? {
        return Ok(());
    }
    let moves: Vec<String> = (chosen.iter())
        .map(|(it, mv)| format!("{} {mv}", it.seat))
        .collect();
    let words = format!(
        "the round {} ends otherwise if the last seat's move is played first",
        moves.join(", ")
    );
    Err(Stop::Broken(Promise::Rounds, words))
}

const FAR: i64 = 1_000_003;

/// Returns moves that are nearly `mv` and not in the list.
fn misses(mv: &str, legal: &[String]) -> Vec<String> {
    let listed: BTreeSet<String> = legal.iter().filter_map(|mv| rewritten(mv).ok()).collect();
    let value: Value = serde_json::from_str(mv).unwrap_or_default();
    let mut near = vec![
        json!([value]),
        json!({ "move": value }),
        Value::Null,
        json!(""),
    ];
    match &value {
        Value::Array(items) => {
            near.push(json!([&items[..], &[json!(0)]].concat()));
            near.push(json!(items.split_last().map_or(&[][..], |(_, rest)| rest)));
        }
        Value::Object(fields) => {
            let mut more = fields.clone();
            more.insert("no_such_key".to_owned(), json!(1));
            near.push(Value::Object(more));
        }
        _ => {}
    }
    leaves(&value, &mut |changed| near.push(changed));
    near.into_iter()
        .filter_map(|one| rewritten(&one.to_string()).ok())
        .filter(|one| !listed.contains(one))
        .collect()
}

fn leaves(value: &Value, pass: &mut dyn FnMut(Value)) {
    match value {
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                leaves(item, &mut |changed| {
                    let mut copy = items.clone();
                    copy[at] = changed;
                    pass(Value::Array(copy));
                });
            }
        }
        Value::Object(fields) => {
            for (key, field) in fields {
                leaves(field, &mut |changed| {
                    let mut copy = fields.clone();
                    copy.insert(key.clone(), changed);
                    pass(Value::Object(copy));
                });
            }
        }
        leaf => others(leaf).into_iter().for_each(pass),
    }
}

/// Returns values that careless code takes for this one, and values far from it.
fn others(leaf: &Value) -> Vec<Value> {
    let mut all = vec![Value::Null];
    match leaf {
        Value::Number(number) => {
            let (whole, float) = (number.as_i64(), number.as_f64());
            all.extend([json!(float), json!(number.to_string())]);
            all.extend(float.map(|float| json!(float + 0.5)));
            all.extend(whole.map(|n| json!(-1 - n)));
            all.extend(whole.and_then(|n| n.checked_add(FAR)).map(Value::from));
            all.extend(whole.filter(|n| (0..2).contains(n)).map(|n| json!(n == 1)));
        }
        Value::String(text) => {
            all.extend([json!(format!("{text} ")), json!([text])]);
            all.extend([text.to_uppercase(), text.to_lowercase()].map(Value::from));
            all.extend(text.parse::<i64>().ok().map(Value::from));
        }
        Value::Bool(is) => all.extend([json!(i32::from(*is)), json!(is.to_string())]),
        _ => all.push(json!(0)),
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_misses_of_move_are_outside_list() {
        let legal = ["1", "0", "[1,\"a\"]"].map(str::to_owned);
        let near = misses("1", &legal);
        for one in ["true", "1.0", "\"1\"", "-2", "[1]"] {
            assert!(near.iter().any(|near| near == one), "{one}: {near:?}");
        }
        assert!(near.iter().all(|near| near != "1" && near != "0"));
        let near = misses("[1,\"a\"]", &legal);
        for one in ["[true,\"a\"]", "[1,\"A\"]", "[1]", "[1,\"a\",0]"] {
            assert!(near.iter().any(|near| near == one), "{one}: {near:?}");
        }
    }
}
