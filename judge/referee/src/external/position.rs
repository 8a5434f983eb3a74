//! A position that a program keeps as a session. Getters read the last answer.

use super::about::{self, About};
use super::answer::{self, Answer, PositionAnswer, Refusal, to_move};
use super::{Connection, picture, refused, unexpected};
use engines::erased::MoveRefused;
use engines::quote::safe_sentence;
use engines::{
    Forfeit, Frame, GameResult, Information, Outcome, Refused, RuleBroken, Seat, SeatOutcome, Seats,
};
use model::fault::quote;
use model::fixture::AtLimit;
use model::record::POINTS_MAX;
use rulebook::rules::{Position, RulesError};
use rulebook::{JudgeError, Result};
use serde_json::value::RawValue;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

/// Further names of rules become `illegal`.
const RULES_MAX: usize = 256;

#[derive(Debug)]
pub(crate) struct ExternalPosition {
    connection: Rc<Connection>,
    session: u64,
    about: Arc<About>,
    seats: usize,
    plies: u32,
    /// Whether each answer should have legal moves, because they have been needed.
    wants_legal: Cell<bool>,
    now: RefCell<Now>,
}

#[derive(Debug, Default)]
struct Now {
    to_move: Seats,
    outcome: Option<Outcome>,
    contradicts: bool,
    limited: bool,
    /// By seat; none = not known.
    views: Vec<Option<String>>,
    legal: Vec<Option<String>>,
}

impl Now {
    fn of(answer: &mut PositionAnswer<'_>, seats: usize) -> Result<Self, String> {
        let limited = answer.outcome.as_ref().is_some_and(|it| it.limited);
        let checked = answer.outcome.take().map(|it| it.checked(seats));
        let outcome = checked.transpose()?;
        let named = to_move(&answer.to_move, seats)?;
        if named.is_empty() && outcome.is_none() {
            return Err("its answer has neither a seat to move nor an outcome".to_owned());
        }
        let mut now = Self {
            contradicts: outcome.is_some() && !named.is_empty(),
            limited,
            // The outcome counts; a check finds the contradiction.
            to_move: if outcome.is_some() {
                Seats::NONE
            } else {
                named
            },
            outcome,
            views: vec![None; seats],
            legal: vec![None; seats],
        };
        now.add(answer)?;
        Ok(now)
    }

    fn add(&mut self, answer: &PositionAnswer<'_>) -> Result<(), String> {
        for one in &answer.to_move {
            let (seat, at) = (one.seat, one.seat.index());
            if at >= self.views.len() {
                return Err(format!("the game has no {seat}"));
            }
            if let Some(text) = one.view {
                self.views[at] = Some(sound(&format!("the view of {seat}"), text)?);
            }
            if let Some(text) = one.legal {
                let moves: Vec<&RawValue> = serde_json::from_str(text.get())
                    .map_err(|_| format!("the legal moves of {seat} are no list"))?;
                self.legal[at] = Some(sound(&format!("the legal moves of {seat}"), text)?);
                if moves.is_empty() {
                    return Err(format!("{seat} is to move and has no legal move"));
                }
            }
        }
        for (kept, view) in self.views.iter_mut().zip(answer.views.iter().flatten()) {
            *kept = Some(sound("a view", view)?);
        }
        Ok(())
    }
}

fn sound(what: &str, text: &RawValue) -> Result<String, String> {
    answer::check(text.get()).map_err(|reason| format!("{what} in its answer has {reason}"))?;
    Ok(text.get().to_owned())
}

impl ExternalPosition {
    pub(crate) fn start(
        connection: &Rc<Connection>,
        about: &Arc<About>,
        setup: &RawValue,
    ) -> Result<Self, RulesError> {
        let seats_wanted = if about.knows("seats") {
            ",\"seats\""
        } else {
            ""
        };
        let request = format!(
            "{{\"new\":{{\"setup\":{setup},\"want\":[\"view\",\"outcome\"{seats_wanted}]}}}}"
        );
        let most = about.info.roles.len();
        let opened = connection
            .ask(&request, |answer| {
                let mut answer = answer.position()?;
                let seats = answer.seats.map_or(most, usize::from);
                if seats < about.info.seats_min || seats > most {
                    return Err(format!("it says that the game has {seats} seats"));
                }
                Ok((answer.opened()?, seats, Now::of(&mut answer, seats)?))
            })?
            .map_err(|refusal| refused(connection, &refusal, &["setup"], &request));
        let (session, seats, now) = opened?;
        Ok(Self {
            connection: Rc::clone(connection),
            session,
            about: Arc::clone(about),
            seats,
            plies: 0,
            wants_legal: Cell::new(false),
            now: RefCell::new(now),
        })
    }

    /// Names the ply of a failure.
    fn ask<T>(
        &self,
        request: &str,
        take: impl FnOnce(Answer<'_>) -> Result<T, String>,
    ) -> Result<Result<T, Refusal>> {
        self.connection
            .ask(request, take)
            .map_err(|error| match error {
                JudgeError::Game { game, reason } => JudgeError::Game {
                    game,
                    reason: format!("ply {}: {reason}", self.plies),
                },
                other => other,
            })
    }

    /// Plays a turn. Returns the move as the program spells it, or its refusal.
    fn turn(&mut self, seat: Seat, deed: &str) -> Result<Result<Option<String>, Refusal>> {
        let (session, index) = (self.session, seat.index());
        let wants_legal = self.wants_legal.get();
        let legal = if wants_legal { ",\"legal\"" } else { "" };
        let spells = self.about.knows("move");
        let mv = if spells { ",\"move\"" } else { "" };
        let request = format!(
            "{{\"play\":{{\"session\":{session},\"seat\":{index},{deed},\"want\":[\"view\",\"outcome\"{legal}{mv}]}}}}"
        );
        let played = self.ask(&request, |answer| {
            let mut answer = answer.position()?;
            let spelled = answer.mv.filter(|_| spells).map(|mv| sound("the move", mv));
            Ok((spelled.transpose()?, Now::of(&mut answer, self.seats)?))
        })?;
        let (spelled, now) = match played {
            Ok(played) => played,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let was_to_move = self.now.get_mut().to_move.contains(seat);
        *self.now.get_mut() = now;
        self.plies += u32::from(was_to_move);
        self.end_at_limit(&request)?;
        Ok(Ok(spelled))
    }

    fn end_at_limit(&mut self, request: &str) -> Result {
        let limit = self.about.limit;
        let plies_max = limit.plies_max;
        let now = self.now.get_mut();
        if self.plies < plies_max || now.outcome.is_some() {
            return Ok(());
        }
        if limit.at_limit == AtLimit::Rules {
            let reason = format!("it has no outcome after {plies_max} plies, its plies_max");
            return Err(self.connection.fail(&reason, request));
        }
        let drawn = SeatOutcome {
            result: GameResult::Drawn,
            placement: 1,
            points: 0,
            tie_break: 0,
        };
        now.to_move = Seats::NONE;
        now.limited = true;
        now.outcome = Some(Outcome {
            seats: vec![drawn; self.seats],
            reason: format!("drawn at the limit of {plies_max} plies").into(),
        });
        Ok(())
    }

    fn show<T>(
        &self,
        want: &str,
        take: impl FnOnce(PositionAnswer<'_>) -> Result<T, String>,
    ) -> Result<T> {
        let session = self.session;
        let request = format!("{{\"show\":{{\"session\":{session},\"want\":[\"{want}\"]}}}}");
        self.ask(&request, |answer| take(answer.position()?))?
            .map_err(|refusal| unexpected(&self.connection, &refusal, &request))
    }

    /// Returns views in place of a picture.
    fn facts(&self, seats: impl Iterator<Item = usize>) -> Result<Frame> {
        let mut views = Vec::new();
        for seat in seats {
            let mut bytes = Vec::new();
            self.write_view(Seat::new(seat), &mut bytes)?;
            let view = String::from_utf8_lossy(&bytes).into_owned();
            views.push((self.about.info.roles[seat], view));
        }
        Ok(picture::of_views(&views))
    }

    /// Returns a move rewritten, if the program knows what it is for.
    fn rewritten_if(&self, mv: &str, known: &str) -> Option<String> {
        let written = answer::rewritten(mv).ok();
        written.filter(|_| self.about.knows(known))
    }

    fn legal(&self, seat: Seat) -> Result<String> {
        if self.now.borrow().legal[seat.index()].is_none() {
            self.wants_legal.set(true);
            self.show("legal", |answer| self.now.borrow_mut().add(&answer))?;
        }
        let legal = self.now.borrow().legal[seat.index()].clone();
        let missing = || format!("it lists no moves of {seat}");
        legal.ok_or_else(|| self.connection.fail(&missing(), ""))
    }
}

impl Drop for ExternalPosition {
    fn drop(&mut self) {
        // A failure shows at the next request.
        let request = format!("{{\"close\":{{\"session\":{}}}}}", self.session);
        let _ = self.connection.ask(&request, |_| Ok(()));
    }
}

impl Position for ExternalPosition {
    fn seats(&self) -> Result<usize> {
        Ok(self.seats)
    }

    fn to_move(&self) -> Result<Seats> {
        Ok(self.now.borrow().to_move)
    }

    fn write_view(&self, seat: Seat, out: &mut Vec<u8>) -> Result {
        if self.now.borrow().views[seat.index()].is_none() {
            self.show("views", |answer| self.now.borrow_mut().add(&answer))?;
        }
        let now = self.now.borrow();
        let Some(view) = &now.views[seat.index()] else {
            let reason = format!("it has no view of {seat}");
            return Err(self.connection.fail(&reason, ""));
        };
        out.extend_from_slice(view.as_bytes());
        Ok(())
    }

    fn write_legal_moves(&self, seat: Seat, out: &mut Vec<u8>) -> Result {
        out.extend_from_slice(self.legal(seat)?.as_bytes());
        Ok(())
    }

    fn legal_moves(&self, seat: Seat) -> Result<Vec<String>> {
        let legal = self.legal(seat)?;
        let moves: Vec<&RawValue> = serde_json::from_str(&legal).expect("checked when it came");
        Ok(moves.into_iter().map(|mv| mv.get().to_owned()).collect())
    }

    fn play(&mut self, seat: Seat, mv: &str) -> Result<Result<String, MoveRefused>> {
        let written = match answer::rewritten(mv) {
            Ok(written) => written,
            Err(reason) => return Ok(Err(MoveRefused::Unreadable(reason))),
        };
        let deed = format!("\"move\":{written}");
        let refusal = match self.turn(seat, &deed)? {
            Ok(spelled) => return Ok(Ok(spelled.unwrap_or(written))),
            Err(refusal) => refusal,
        };
        let (message, quoted) = (safe_sentence(&refusal.message), quote(written.as_bytes()));
        let is_listed = |one: &String| answer::rewritten(one).is_ok_and(|one| one == written);
        if self.now.borrow().to_move.contains(seat) && self.legal_moves(seat)?.iter().any(is_listed)
        {
            let reason = format!("it lists {quoted} as legal, and refuses it: {message}");
            return Err(self.connection.fail(&reason, &deed));
        }
        Ok(Err(match refusal.kind.as_str() {
            "unreadable-move" => {
                let head = format!("{quoted} is not a move: ");
                let reason = message.strip_prefix(&head).unwrap_or(&message);
                MoveRefused::Unreadable(reason.to_owned())
            }
            "illegal-move" => {
                let rule = refusal.rule.as_deref().unwrap_or("illegal");
                MoveRefused::Broken(RuleBroken::new(rule_of(rule), message))
            }
            _ => return Err(unexpected(&self.connection, &refusal, &deed)),
        }))
    }

    fn carries_out_broken_moves(&self) -> Result<bool> {
        Ok(self.about.knows("broken"))
    }

    fn play_broken(&mut self, seat: Seat, mv: &str) -> Result<Option<String>> {
        let Some(written) = self.rewritten_if(mv, "broken") else {
            return Ok(None);
        };
        let deed = format!("\"move\":{written},\"forfeit\":\"illegal\"");
        match self.turn(seat, &deed)? {
            Ok(None) if self.about.knows("move") => {
                let reason = "it has carried out nothing of a move, although it says that it carries out broken moves";
                Err(self.connection.fail(reason, &deed))
            }
            Ok(spelled) => Ok(Some(spelled.unwrap_or(written))),
            Err(refusal) if matches!(refusal.kind.as_str(), "unreadable-move" | "legal-move") => {
                Ok(None)
            }
            Err(refusal) => Err(unexpected(&self.connection, &refusal, &deed)),
        }
    }

    fn forfeit(&mut self, seat: Seat, why: Forfeit) -> Result {
        let name = serde_json::to_string(&why).expect("a name");
        let deed = format!("\"forfeit\":{name}");
        match self.turn(seat, &deed)? {
            // Nothing changes after the end.
            Err(refusal) if refusal.kind != "over" => {
                Err(unexpected(&self.connection, &refusal, &deed))
            }
            _ => Ok(()),
        }
    }

    fn outcome(&self) -> Result<Option<Outcome>> {
        Ok(self.now.borrow().outcome.clone())
    }

    fn complaint(&self) -> Option<String> {
        let now = self.now.borrow();
        if now.contradicts {
            return Some("its answer has an outcome, and a seat to move".to_owned());
        }
        (now.limited && !self.about.has_at_limit).then(|| {
            let most = self.about.limit.plies_max;
            format!(
                "the game is not over after {most} plies, its plies_max; raise it, or say with at_limit what decides then"
            )
        })
    }

    fn points_range(&self) -> Result<RangeInclusive<i64>> {
        if !self.about.knows("points") {
            let most = POINTS_MAX.cast_signed();
            return Ok(-most..=most);
        }
        self.show("points", |answer| match answer.points {
            Some([low, high]) if low <= high => Ok(low..=high),
            _ => Err("its answer has no range of points".to_owned()),
        })
    }

    fn frame(&self) -> Result<Frame> {
        match self.show("frame", |answer| Ok(answer.frame))? {
            Some(frame) => Ok(picture::of(frame, self.seats)),
            None => self.facts(0..self.seats),
        }
    }

    fn seen(&self, seat: Seat) -> Result<Frame> {
        let at = seat.index();
        if self.about.knows("seen") {
            return self.show("seen", |answer| {
                let seen = answer.seen.into_iter().flatten().nth(at);
                Ok(seen.map_or_else(picture::none, |seen| picture::of(seen, self.seats)))
            });
        }
        let frame = self.frame()?;
        if self.about.info.information == Information::Hidden && frame.visible.is_empty() {
            return self.facts(at..=at);
        }
        Ok(frame.seen_by(at))
    }

    fn measure(&self) -> Result<Vec<Option<u32>>> {
        if !self.about.knows("measure") {
            return Ok(Vec::new());
        }
        self.show("measure", |answer| match answer.measure {
            Some(counts) if counts.len() > self.seats => {
                Err("its measure has more entries than seats".to_owned())
            }
            counts => Ok(counts.unwrap_or_default()),
        })
    }

    fn spell(&self, seat: Seat, mv: &str) -> Result<String> {
        let Some(written) = self.rewritten_if(mv, "spell") else {
            return Ok(answer::typed(mv));
        };
        let (session, index) = (self.session, seat.index());
        let request =
            format!("{{\"spell\":{{\"session\":{session},\"seat\":{index},\"move\":{written}}}}}");
        Ok(self
            .connection
            .ask(&request, |answer| match answer {
                Answer::Spelled { text } if about::is_plain_line(&text) => {
                    Ok(about::escaped(&text))
                }
                _ => Err("its answer has no spelled move of one line".to_owned()),
            })?
            .unwrap_or_else(|_| mv.to_owned()))
    }

    fn read(&self, seat: Seat, typed: &str) -> Result<Result<String, Refused>> {
        let text = serde_json::to_string(typed).expect("a text");
        if !self.about.knows("read") {
            // A text that is no JSON is itself the move.
            return Ok(Ok(answer::rewritten(typed).unwrap_or(text)));
        }
        let (session, index) = (self.session, seat.index());
        let request =
            format!("{{\"read\":{{\"session\":{session},\"seat\":{index},\"text\":{text}}}}}");
        let read = self.connection.ask(&request, |answer| match answer {
            Answer::Read { mv } => Ok(mv.get().to_owned()),
            _ => Err("its answer has no move".to_owned()),
        })?;
        match read {
            Err(refusal) if refusal.kind != "unreadable-move" => {
                Err(unexpected(&self.connection, &refusal, &request))
            }
            read => Ok(read.map_err(|refusal| Refused(safe_sentence(&refusal.message)))),
        }
    }

    fn perft(&self, depth: u32) -> Result<u64> {
        let Some(seat) = self.to_move()?.first().filter(|_| depth > 0) else {
            return Ok(1);
        };
        let moves = self.legal_moves(seat)?;
        if depth == 1 {
            return Ok(moves.len() as u64);
        }
        let mut count = 0;
        for mv in moves {
            let mut next = self.copy()?;
            if next.play(seat, &mv)?.is_err() {
                let reason = format!("it lists {} and refuses it", quote(mv.as_bytes()));
                return Err(self.connection.fail(&reason, ""));
            }
            count += next.perft(depth - 1)?;
        }
        Ok(count)
    }

    fn copy(&self) -> Result<Box<dyn Position>> {
        let request = format!(
            "{{\"copy\":{{\"session\":{},\"want\":[\"view\",\"outcome\"]}}}}",
            self.session
        );
        let copied = self
            .connection
            .ask(&request, |answer| {
                let mut answer = answer.position()?;
                Ok((answer.opened()?, Now::of(&mut answer, self.seats)?))
            })?
            .map_err(|refusal| unexpected(&self.connection, &refusal, &request));
        let (session, now) = copied?;
        Ok(Box::new(Self {
            connection: Rc::clone(&self.connection),
            session,
            about: Arc::clone(&self.about),
            wants_legal: self.wants_legal.clone(),
            now: RefCell::new(now),
            ..*self
        }))
    }
}

/// Keeps the name of a rule until the program ends; there are few.
fn rule_of(name: &str) -> &'static str {
    static KNOWN: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let name = safe_sentence(name);
    let mut known = KNOWN.lock().expect("nobody panics while holding it");
    if let Some(known) = known.get(&*name) {
        return known;
    }
    if known.len() >= RULES_MAX {
        return "illegal";
    }
    let kept = about::kept(name);
    known.insert(kept);
    kept
}
