//! One random game, and requests that it does not need. None of these may change the position.

use super::{Answer, Checked, Promise, Stop, broken};
use crate::external::answer::rewritten;
use crate::external::{check, picture};
use engines::erased::MoveRefused;
use engines::{Forfeit, Grid, Seat, Seats};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rulebook::rules::{Position, Rules, RulesError};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// Views and picture are compared at one of so many rounds.
const LOOKED_EVERY: u32 = 4;

/// One of so many games has a forfeit.
const FORFEIT_EVERY: u64 = 5;

const FORFEIT_PLY: u64 = 12;

/// Equal seeds make equal choices.
pub(super) struct RandomGame<'a> {
    checked: Checked<'a>,
    pub(super) seed: u64,
    setup: Option<Box<RawValue>>,
    position: Option<Box<dyn Position>>,
    points: RangeInclusive<i64>,
    pub(super) ply: u32,
    round: u32,
    gone: Seats,
    /// Those of each seat when it was last to move.
    listed: Vec<Vec<String>>,
    board: Option<(Grid, usize, usize)>,
    pub(super) log: Vec<Answer>,
}

impl<'a> RandomGame<'a> {
    pub(super) fn new(checked: Checked<'a>, seed: u64) -> Self {
        Self {
            checked,
            seed,
            setup: None,
            position: None,
            points: 0..=0,
            ply: 0,
            round: 0,
            gone: Seats::NONE,
            listed: Vec::new(),
            board: None,
            log: Vec::new(),
        }
    }

    pub(super) fn again(checked: Checked<'a>, first: &Self) -> Self {
        Self {
            setup: first.setup.clone(),
            ..Self::new(checked, first.seed)
        }
    }

    pub(super) fn draw(&mut self) -> Result<(), Stop> {
        let rules = self.checked.probed;
        let setup = drawn(rules, self.checked.config, self.seed)?;
        let spelled = rules.spell_setup(&setup).map_err(setup_refused)?;
        if spelled.get() != setup.get() {
            let words = format!("it draws the setup {setup}, and spells it as {spelled}");
            return broken(Promise::Setup, words);
        }
        self.setup = Some(setup);
        self.open(rules)
    }

    pub(super) fn opened(&mut self) -> Result<(), Stop> {
        if self.position.is_some() {
            return Ok(());
        }
        let rules = self.checked.plain;
        let again = drawn(rules, self.checked.config, self.seed)?;
        let setup = self.setup.as_ref().expect("the first game has drawn it");
        if again.get() != setup.get() {
            let words = format!("it draws the setup {setup}, and the second time {again}");
            return broken(Promise::Repeats, words);
        }
        self.open(rules)
    }

    fn open(&mut self, rules: &dyn Rules) -> Result<(), Stop> {
        let setup = self.setup.as_ref().expect("a setup");
        let position = rules.start(setup).map_err(setup_refused)?;
        self.points = position.points_range()?;
        self.listed = vec![Vec::new(); position.seats()?];
        self.position = Some(position);
        Ok(())
    }

    fn say(&mut self, name: impl Into<String>, text: String) {
        self.log.push((self.ply, name.into(), text));
    }

    /// Plays a move of each seat that is to move. Returns whether the game continues.
    pub(super) fn round(&mut self, is_probed: bool) -> Result<bool, Stop> {
        let mut position = self.position.take().expect("it has been opened");
        let to_move = position.to_move()?;
        let outcome = position.outcome()?;
        if let Some(words) = position.complaint() {
            return broken(Promise::Outcome, words);
        }
        self.say("outcome", format!("{outcome:?}"));
        if self.round.is_multiple_of(LOOKED_EVERY) || outcome.is_some() {
            self.check_frames(&*position)?;
        }
        if let Some(outcome) = outcome {
            return match check::wrong_outcome(&outcome, self.listed.len(), &self.points) {
                Some(words) => broken(Promise::Outcome, words),
                None => Ok(false),
            };
        }
        let mut seats_to_move = Vec::new();
        for seat in to_move.iter() {
            let legal = position.legal_moves(seat)?;
            self.say(format!("the legal moves of {seat}"), legal.join(","));
            seats_to_move.push(SeatToMove { seat, legal });
        }
        if is_probed {
            let rng = &mut self.rng(1);
            let rules = self.checked.probed;
            probe_moves(rules, &mut *position, &seats_to_move, &self.listed, rng)?;
            probe_order(&*position, &seats_to_move, rng)?;
        }
        self.play(&mut *position, &seats_to_move)?;
        for SeatToMove { seat, legal } in seats_to_move {
            self.listed[seat.index()] = legal;
        }
        self.round += 1;
        self.position = Some(position);
        Ok(true)
    }

    fn play(
        &mut self,
        position: &mut dyn Position,
        seats_to_move: &[SeatToMove],
    ) -> Result<(), Stop> {
        let mut rng = self.rng(0);
        if self.forfeits_now() {
            let seat = Seat::new(rng.random_range(..self.listed.len()));
            let why = Forfeit::ALL[rng.random_range(..Forfeit::ALL.len())];
            if why == Forfeit::Gone {
                self.gone = self.gone.with(seat);
            }
            position.forfeit(seat, why)?;
            self.say(format!("forfeit of {seat}"), format!("{why:?}"));
            self.ply += 1;
            return Ok(());
        }
        for SeatToMove { seat, legal } in seats_to_move {
            if !position.to_move()?.contains(*seat) {
                continue;
            }
            if self.gone.contains(*seat) {
                position.forfeit(*seat, Forfeit::Gone)?;
            } else {
                let mv = &legal[rng.random_range(..legal.len())];
                let spelled = position
                    .play(*seat, mv)?
                    .map_err(|refused| move_refused(*seat, mv, &refused))?;
                self.say(format!("the move of {seat}"), spelled);
            }
            self.ply += 1;
        }
        Ok(())
    }

    fn forfeits_now(&self) -> bool {
        let ply = self.seed / FORFEIT_EVERY % FORFEIT_PLY;
        self.seed % FORFEIT_EVERY == FORFEIT_EVERY - 1
            && u64::from(self.round) == ply
            && self.gone.is_empty()
    }

    fn check_frames(&mut self, position: &dyn Position) -> Result<(), Stop> {
        for seat in (0..self.listed.len()).map(Seat::new) {
            let text = String::from_utf8_lossy(&view(position, seat)?).into_owned();
            self.say(format!("the view of {seat}"), text);
        }
        let frame = position.frame()?;
        if let Some(words) = picture::refusal(&frame, self.listed.len()) {
            return broken(Promise::Frame, words);
        }
        let board = (frame.grid, frame.width, frame.height);
        if *self.board.get_or_insert(board) != board {
            let words = "its frame has another grid, width or height than before";
            return broken(Promise::Frame, words);
        }
        self.say(
            "the frame",
            serde_json::to_string(&frame).expect("plain data"),
        );
        self.say("the measure", format!("{:?}", position.measure()?));
        Ok(())
    }

    pub(super) fn draws(&self) -> bool {
        self.board.is_some_and(|(_, width, _)| width > 0)
    }

    /// Returns the luck of this round. Asking more does not change the choices.
    fn rng(&self, purpose: u64) -> ChaCha8Rng {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(u64::from(self.round) << 1 | purpose);
        rng
    }
}

fn drawn(rules: &dyn Rules, config: &RawValue, seed: u64) -> Result<Box<RawValue>, Stop> {
    let words = |why| format!("it draws no setup that it accepts ({why}), with {config}");
    let drawn = rules.draw(config, seed);
    drawn.map_err(|error| Stop::of(error, words))
}

fn setup_refused(error: RulesError) -> Stop {
    Stop::of(error, |why| {
        format!("it refuses a setup that it drew: {why}")
    })
}

/// One of so many rounds has all near misses of a move; the others have one.
const THOROUGH_EVERY: u32 = 16;

struct SeatToMove {
    seat: Seat,
    legal: Vec<String>,
}

fn move_refused(seat: Seat, mv: &str, why: &MoveRefused) -> Stop {
    let why = match why {
        MoveRefused::Unreadable(why) => why.clone(),
        MoveRefused::Broken(rule) => rule.to_string(),
    };
    let words = format!("it lists {mv} as a legal move of {seat}, and refuses it: {why}");
    Stop::Broken(Promise::Legal, words)
}

/// Tries moves outside of the lists (`before` has earlier ones), and a listed move on a copy.
fn probe_moves(
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
            return broken(Promise::Legal, words);
        }
        let mv = &legal[rng.random_range(..legal.len())];
        let mut copy = position.copy()?;
        copy.play(*seat, mv)?
            .map_err(|why| move_refused(*seat, mv, &why))?;
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
                return broken(Promise::Legal, words);
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
fn probe_order(
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
            copy.play(*seat, mv)?.map_err(|why| move_refused(*seat, mv, &why))?;
            for (SeatToMove { seat: other, legal }, _) in &left {
                if !copy.to_move()?.contains(*other) {
                    continue;
                }
                if view(&*copy, *other)? != view(position, *other)? {
                    let words = format!(
                        "{seat} and {other} move at once, but the view of {other} shows the move {mv} of {seat} before it has moved"
                    );
                    return broken(Promise::Rounds, words);
                }
                if copy.legal_moves(*other)? != *legal {
                    let words = format!(
                        "{seat} and {other} move at once, but the move {mv} of {seat} changes the legal moves of {other}"
                    );
                    return broken(Promise::Rounds, words);
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
    broken(Promise::Rounds, words)
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
