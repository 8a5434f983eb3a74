//! Writing answers: a JSON object with one key.

use super::position::CountedPosition;
use super::request::{ResponsePart, ResponseParts};
use super::{LINE_BYTES_MAX, Refusal, SESSIONS_MAX};
use engines::{Information, Labels, Lifetime, Measure, Points, Seat, TimeControl};
use model::protocol;
use rulebook::JudgeError;
use rulebook::rules::{Rules, RulesError};
use serde::Serialize;
use serde_json::value::RawValue;
use std::io::Write;

/// The part of an answer before the position itself.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Head<'a> {
    pub(super) session: Option<u64>,
    /// Only if it was drawn or is wanted.
    pub(super) setup: Option<&'a RawValue>,
    /// In the game's own spelling.
    pub(super) mv: Option<&'a str>,
}

impl Head<'_> {
    pub(super) fn session(number: u64) -> Self {
        Self {
            session: Some(number),
            ..Self::default()
        }
    }
}

pub(super) fn write_position(
    out: &mut Vec<u8>,
    head: Head<'_>,
    position: &CountedPosition,
    wants: ResponseParts,
) -> Result<(), JudgeError> {
    out.extend_from_slice(b"{\"position\":{");
    if let Some(session) = head.session {
        write!(out, "\"session\":{session},").expect(MEMORY);
    }
    if let Some(setup) = head.setup {
        write!(out, "\"setup\":{setup},").expect(MEMORY);
    }
    if let Some(mv) = head.mv.filter(|_| wants.contains(ResponsePart::Move)) {
        write!(out, "\"move\":{mv},").expect(MEMORY);
    }
    let game = position.game.as_ref();
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
        out.extend_from_slice(b",\"outcome\":");
        write_json(out, &outcome);
    }
    if wants.contains(ResponsePart::Frame) {
        out.extend_from_slice(b",\"frame\":");
        write_json(out, &game.frame()?);
    }
    if wants.contains(ResponsePart::Seen) {
        out.extend_from_slice(b",\"seen\":");
        let seats = (0..game.seats()?).map(Seat::new);
        write_list(out, seats, |out, seat| {
            write_json(out, &game.seen(seat)?);
            Ok(())
        })?;
    }
    if wants.contains(ResponsePart::Points) {
        let range = game.points_range()?;
        out.extend_from_slice(b",\"points\":");
        write_json(out, &[range.start(), range.end()]);
    }
    if wants.contains(ResponsePart::Measure) {
        out.extend_from_slice(b",\"measure\":");
        write_json(out, &game.measure()?);
    }
    out.extend_from_slice(b"}}");
    Ok(())
}

/// An answer that is not about a position.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Answer<'a> {
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
struct AboutAnswer<'a> {
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

fn known(rules: &dyn Rules, config: &RawValue) -> Result<Vec<&'static str>, RulesError> {
    let broken = rules
        .start(&rules.draw(config, 0)?)?
        .carries_out_broken_moves()?
        .then_some("broken");
    Ok(["config", "spell", "read"]
        .into_iter()
        .chain(broken)
        .chain(ResponsePart::OPTIONAL)
        .collect())
}

pub(super) fn write_about(out: &mut Vec<u8>, rules: &dyn Rules) -> Result<(), RulesError> {
    let info = rules.info();
    let config = rules.configure("{}")?;
    let knows = known(rules, &config)?;
    out.extend_from_slice(b"{\"about\":");
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
        knows,
    };
    write_json(out, &about);
    out.push(b'}');
    Ok(())
}

const MEMORY: &str = "writing to memory";

fn write_list<T>(
    out: &mut Vec<u8>,
    items: impl Iterator<Item = T>,
    mut write: impl FnMut(&mut Vec<u8>, T) -> Result<(), JudgeError>,
) -> Result<(), JudgeError> {
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

pub(super) fn write_json(out: &mut Vec<u8>, value: &impl Serialize) {
    serde_json::to_writer(out, value).expect("writing plain data to memory");
}
