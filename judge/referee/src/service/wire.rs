//! The requests and answers as JSON: an object with one key, which names it.

use super::{CountedPosition, LINE_BYTES_MAX, Refusal, SESSIONS_MAX};
use engines::plain::Message;
use engines::{Forfeit, Information, Labels, Lifetime, Measure, Points, Seat, TimeControl, plain};
use model::protocol;
use rulebook::Result;
use rulebook::rules::{Rules, RulesError};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::io::Write;

/// Setups, configurations and moves stay unparsed, for the game to read.
#[derive(Deserialize, Debug)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum Request<'a> {
    About(AboutRequest),
    #[serde(borrow)]
    Position(Opening<'a>),
    #[serde(borrow)]
    New(Opening<'a>),
    #[serde(borrow)]
    Play(PlayRequest<'a>),
    Show(ShowRequest),
    Copy(ShowRequest),
    Close(Close),
    #[serde(borrow)]
    Config(Settings<'a>),
    #[serde(borrow)]
    Spell(Spelled<'a>),
    Read(Typed),
}

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct AboutRequest {}

/// An initial state and the turns since.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct Opening<'a> {
    #[serde(borrow)]
    pub(super) setup: Option<&'a RawValue>,
    /// In place of `setup`.
    pub(super) seed: Option<u64>,
    /// Omitted fields have the game's defaults.
    #[serde(borrow)]
    pub(super) config: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) moves: Option<Vec<&'a RawValue>>,
    /// In place of `moves`.
    #[serde(borrow)]
    pub(super) turns: Option<Vec<TurnFields<'a>>>,
    #[serde(default)]
    pub(super) want: ResponseParts,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Origin<'a> {
    Setup(&'a RawValue),
    /// Without a configuration, the service's own.
    Seed(u64, Option<&'a RawValue>),
}

impl<'a> Opening<'a> {
    pub(super) fn origin(&self) -> Result<Origin<'a>, String> {
        match (self.setup, self.seed, self.config) {
            (Some(setup), None, None) => Ok(Origin::Setup(setup)),
            (None, Some(seed), config) => Ok(Origin::Seed(seed, config)),
            (None, None, _) => Err("a position needs a setup or a seed".to_owned()),
            (Some(_), _, _) => Err("with a setup, leave out seed and config".to_owned()),
        }
    }

    /// Returns the turns in order. One with no deed or with two is replaced by its complaint.
    pub(super) fn turns(&self) -> Result<Vec<Result<TurnRequest<'a>, String>>, String> {
        match (&self.moves, &self.turns) {
            (None, None) => Ok(Vec::new()),
            (Some(moves), None) => {
                let turns = moves
                    .iter()
                    .map(|mv| TurnRequest::either(None, Some(mv), None));
                Ok(turns.collect())
            }
            (None, Some(turns)) => {
                let turns = turns
                    .iter()
                    .map(|it| TurnRequest::either(it.seat, it.mv, it.forfeit));
                Ok(turns.collect())
            }
            (Some(_), Some(_)) => Err("give moves or turns, not both".to_owned()),
        }
    }
}

/// Not yet checked to have exactly one deed.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct TurnFields<'a> {
    seat: Option<u8>,
    #[serde(borrow, rename = "move")]
    mv: Option<&'a RawValue>,
    forfeit: Option<Forfeit>,
}

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct PlayRequest<'a> {
    pub(super) session: u64,
    pub(super) seat: Option<u8>,
    #[serde(borrow, rename = "move")]
    pub(super) mv: Option<&'a RawValue>,
    pub(super) forfeit: Option<Forfeit>,
    #[serde(default)]
    pub(super) want: ResponseParts,
}

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct ShowRequest {
    pub(super) session: u64,
    #[serde(default)]
    pub(super) want: ResponseParts,
}

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct Close {
    pub(super) session: u64,
}

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct Settings<'a> {
    #[serde(borrow)]
    pub(super) settings: &'a RawValue,
}

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct Spelled<'a> {
    pub(super) session: u64,
    pub(super) seat: u8,
    #[serde(borrow, rename = "move")]
    pub(super) mv: &'a RawValue,
}

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub(super) struct Typed {
    pub(super) session: u64,
    pub(super) seat: u8,
    pub(super) text: String,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct TurnRequest<'a> {
    /// `None` = the lowest seat that is to move.
    pub(super) seat: Option<u8>,
    pub(super) action: TurnAction<'a>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum TurnAction<'a> {
    Move(&'a RawValue),
    /// A move claimed to break a rule.
    Broken(&'a RawValue),
    Forfeit(Forfeit),
}

impl<'a> TurnRequest<'a> {
    pub(super) fn either(
        seat: Option<u8>,
        mv: Option<&'a RawValue>,
        forfeit: Option<Forfeit>,
    ) -> Result<Self, String> {
        let action = match (mv, forfeit) {
            (Some(mv), None) => TurnAction::Move(mv),
            (None, Some(why)) => TurnAction::Forfeit(why),
            (None, None) => return Err("a turn needs a move or a forfeit".to_owned()),
            (Some(mv), Some(Forfeit::Illegal)) => TurnAction::Broken(mv),
            (Some(_), Some(_)) => {
                let words = "a turn has a move or a forfeit; both only where it is \"illegal\"";
                return Err(words.to_owned());
            }
        };
        Ok(Self { seat, action })
    }
}

#[derive(Clone, Copy, Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
pub(super) enum ResponsePart {
    /// Of each seat that is to move.
    Legal,
    /// Of each seat that is to move.
    View,
    /// Of every seat.
    Views,
    Outcome,
    Frame,
    Seats,
    /// The setup, in the game's own spelling.
    Setup,
    Move,
    Seen,
    Points,
    Measure,
}

impl ResponsePart {
    /// Fields that a service need not know.
    pub(super) const OPTIONAL: [&'static str; 6] =
        ["seats", "setup", "move", "seen", "points", "measure"];
}

#[derive(Clone, Copy, Deserialize, Debug)]
#[serde(from = "Option<Vec<ResponsePart>>")]
pub(super) struct ResponseParts(u16);

impl ResponseParts {
    fn of(list: &[ResponsePart]) -> Self {
        Self(list.iter().fold(0, |set, &want| set | 1 << want as u8))
    }

    pub(super) const fn contains(self, want: ResponsePart) -> bool {
        self.0 & (1 << want as u8) != 0
    }
}

impl From<Option<Vec<ResponsePart>>> for ResponseParts {
    fn from(list: Option<Vec<ResponsePart>>) -> Self {
        list.map_or_else(Self::default, |list| Self::of(&list))
    }
}

impl Default for ResponseParts {
    /// The facts that a turn gives to a bot, and the result: cheap in every game.
    fn default() -> Self {
        Self::of(&[
            ResponsePart::Legal,
            ResponsePart::View,
            ResponsePart::Outcome,
        ])
    }
}

pub(super) fn read(line: &[u8]) -> Result<Request<'_>, String> {
    if line.len() > LINE_BYTES_MAX {
        return Err(format!("the line has more than {LINE_BYTES_MAX} bytes"));
    }
    let text = std::str::from_utf8(line).map_err(|error| format!("not UTF-8: {error}"))?;
    if text.trim().is_empty() {
        return Err("the line is empty".to_owned());
    }
    plain::read(text).map(|Message(request)| request)
}

/// `setup` is there only if it was drawn or is wanted, and `mv` in the game's own spelling.
pub(super) fn write_position(
    out: &mut Vec<u8>,
    session: Option<u64>,
    setup: Option<&RawValue>,
    mv: Option<&str>,
    position: &CountedPosition,
    wants: ResponseParts,
) -> Result {
    out.extend_from_slice(b"{\"position\":{");
    if let Some(session) = session {
        write!(out, "\"session\":{session},").expect(MEMORY);
    }
    if let Some(setup) = setup {
        write!(out, "\"setup\":{setup},").expect(MEMORY);
    }
    if let Some(mv) = mv.filter(|_| wants.contains(ResponsePart::Move)) {
        write!(out, "\"move\":{mv},").expect(MEMORY);
    }
    let game = &position.game;
    if wants.contains(ResponsePart::Seats) {
        write!(out, "\"seats\":{},", game.seats()?).expect(MEMORY);
    }
    write!(out, "\"ply\":{},\"to_move\":", position.ply).expect(MEMORY);
    write_list(out, game.to_move()?.iter(), |out, seat| {
        write!(out, "{{\"seat\":{}", seat.index()).expect(MEMORY);
        if wants.contains(ResponsePart::Legal) {
            out.extend_from_slice(b",\"legal\":");
            game.write_legal_moves(seat, out)?;
        }
        if wants.contains(ResponsePart::View) {
            out.extend_from_slice(b",\"view\":");
            game.write_view(seat, out)?;
        }
        out.push(b'}');
        Ok(())
    })?;
    if wants.contains(ResponsePart::Views) {
        out.extend_from_slice(b",\"views\":");
        let seats = (0..game.seats()?).map(Seat::new);
        write_list(out, seats, |out, seat| game.write_view(seat, out))?;
    }
    if wants.contains(ResponsePart::Outcome)
        && let Some(outcome) = game.outcome()?
    {
        write_field(out, "outcome", &outcome);
    }
    if wants.contains(ResponsePart::Frame) {
        write_field(out, "frame", &game.frame()?);
    }
    if wants.contains(ResponsePart::Seen) {
        let seats = (0..game.seats()?).map(Seat::new);
        let seen = seats.map(|seat| game.seen(seat));
        write_field(out, "seen", &seen.collect::<Result<Vec<_>, _>>()?);
    }
    if wants.contains(ResponsePart::Points) {
        let range = game.points_range()?;
        write_field(out, "points", &[range.start(), range.end()]);
    }
    if wants.contains(ResponsePart::Measure) {
        write_field(out, "measure", &game.measure()?);
    }
    out.extend_from_slice(b"}}");
    Ok(())
}

/// An answer that is not about a position.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Answer<'a> {
    About(&'a AboutAnswer<'a>),
    Config(&'a RawValue),
    Spelled {
        text: &'a str,
    },
    Read {
        #[serde(rename = "move")]
        mv: &'a RawValue,
    },
    Closed {
        session: u64,
    },
    Error(&'a Refusal),
}

#[derive(Serialize)]
pub(super) struct AboutAnswer<'a> {
    protocol: u32,
    game: &'a str,
    title: &'a str,
    rules_version: u32,
    roles: &'a [&'a str],
    seats_min: usize,
    plies_max: u32,
    information: Information,
    moves_listed: bool,
    config: &'a RawValue,
    line_bytes_max: usize,
    sessions_max: usize,
    summary: &'a str,
    points: Points,
    #[serde(skip_serializing_if = "Option::is_none")]
    tie_break: Option<Points>,
    #[serde(skip_serializing_if = "Option::is_none")]
    measure: Option<Measure>,
    labels: Sides,
    time: TimeControl,
    lifetime: Lifetime,
    knows: Vec<&'static str>,
}

#[derive(Serialize)]
struct Sides {
    columns: Labels,
    rows: Labels,
}

pub(super) fn write_about(out: &mut Vec<u8>, rules: &dyn Rules) -> Result<(), RulesError> {
    let info = rules.info();
    let config = rules.configure("{}")?;
    let position = rules.start(&rules.draw(&config, 0)?)?;
    let broken = position.carries_out_broken_moves()?.then_some("broken");
    let knows = ["config", "spell", "read"].into_iter().chain(broken);
    let about = AboutAnswer {
        protocol: protocol::VERSION,
        game: info.slug,
        title: info.title,
        rules_version: info.rules_version,
        roles: info.roles,
        seats_min: info.seats_min,
        plies_max: info.plies_max,
        information: info.information,
        moves_listed: info.moves_listed,
        config: &config,
        line_bytes_max: LINE_BYTES_MAX,
        sessions_max: SESSIONS_MAX,
        summary: info.summary,
        points: info.points,
        tie_break: info.tie_break,
        measure: rules.measure().copied(),
        labels: Sides {
            columns: rules.notation().columns,
            rows: rules.notation().rows,
        },
        time: info.time,
        lifetime: info.lifetime,
        knows: knows.chain(ResponsePart::OPTIONAL).collect(),
    };
    write_json(out, &Answer::About(&about));
    Ok(())
}

const MEMORY: &str = "writing to memory";

fn write_list<T>(
    out: &mut Vec<u8>,
    items: impl Iterator<Item = T>,
    mut write: impl FnMut(&mut Vec<u8>, T) -> Result,
) -> Result {
    out.push(b'[');
    for (index, item) in items.enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write(out, item)?;
    }
    out.push(b']');
    Ok(())
}

fn write_field(out: &mut Vec<u8>, name: &str, value: &impl Serialize) {
    write!(out, ",\"{name}\":").expect(MEMORY);
    write_json(out, value);
}

pub(super) fn write_json(out: &mut Vec<u8>, value: &impl Serialize) {
    serde_json::to_writer(out, value).expect("writing plain data to memory");
}
