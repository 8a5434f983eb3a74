use super::field::{Direction, Field, Location};
use super::position::{COLLAPSE_TURN, Moment, MonkeyMetalMan, Piece, Team};
use super::{Kind, PLAYERS_MAX, ROUNDS_PER_CIRCLE};
use crate::complaint::refuse;
use crate::prelude::*;
use crate::{Refused, plain};
use alloc::sync::Arc;
use serde::{Deserialize, Serialize};

/// The settings that a competition may vary.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The source of the map.
    pub map: MapKind,
    /// The number of rows and of columns: odd, from 11 to 31. The classic map has 19.
    pub side: usize,
    /// The number of players, 2 to 4. The module's text lists their corners.
    pub players: usize,
    /// The number of time-outs that removes a player's pieces, at least 1.
    pub timeouts_max: u32,
    /// Whether `[0,0]` is a bad order, a bad order costs the turn, and faults count like time-outs.
    pub strict: bool,
    /// Whether a player's own dead pieces block, as in the course's original program.
    pub dead_pieces_block: bool,
    /// The minimum number of walls of a drawn map, as a fraction of all tiles.
    pub walls_min: f64,
    /// The maximum number of walls of a drawn map, as a fraction of all tiles; at most 0.35.
    pub walls_max: f64,
    /// The number of groups of four highground tiles on a drawn map, besides the centre; at most 5.
    pub highground_groups: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            map: MapKind::Classic,
            side: 19,
            players: PLAYERS_MAX,
            timeouts_max: timeouts_max_default(),
            strict: false,
            dead_pieces_block: false,
            walls_min: 0.15,
            walls_max: 0.25,
            highground_groups: 1,
        }
    }
}

/// The source of the map.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MapKind {
    /// The course's own map. It is not symmetric, so competitions should rotate the seats.
    Classic,
    /// A drawn map with four-fold rotational symmetry: all four corners are equal.
    Symmetric,
}

/// A complete state: the start of a game or any later point of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// The map before any collapse: rows of `W` (wall), `F` (free) and `O` (highground). It is a
    /// square of odd side, 5 to 31.
    pub map: Vec<String>,
    /// The players in seat order, 2 to 4.
    pub pieces: Vec<Player>,
    /// The number of time-outs that removes a player's pieces, at least 1.
    #[serde(default = "timeouts_max_default")]
    pub timeouts_max: u32,
    /// See [`Config::strict`].
    #[serde(default)]
    pub strict: bool,
    /// Whether a player's own dead pieces block.
    #[serde(default)]
    pub dead_pieces_block: bool,
    /// The player to move, who has a living piece.
    #[serde(default, skip_serializing_if = "plain::is_default")]
    pub to_move: usize,
    /// The rounds until the next collapse, including the present one: 5 to 1.
    #[serde(default = "timer_default", skip_serializing_if = "is_timer_default")]
    pub timer: u8,
    /// The number of rings of the map that have collapsed.
    #[serde(default, skip_serializing_if = "plain::is_default")]
    pub circles_collapsed: u8,
}

/// One player's pieces and record.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Player {
    /// The spotter's tile, or the tile where it died.
    pub spotter: Location,
    /// The assasin's tile, or the tile where it died.
    pub assasin: Location,
    /// The spotter's direction.
    pub spotter_direction: Direction,
    /// The assasin's direction.
    pub assasin_direction: Direction,
    /// Whether the spotter lives.
    #[serde(default = "yes", skip_serializing_if = "Clone::clone")]
    pub spotter_alive: bool,
    /// Whether the assasin lives.
    #[serde(default = "yes", skip_serializing_if = "Clone::clone")]
    pub assasin_alive: bool,
    /// The number of time-outs or, under strict rules, of faults of every kind.
    #[serde(default, skip_serializing_if = "plain::is_default")]
    pub timeouts: u32,
    /// The number of enemies captured.
    #[serde(default, skip_serializing_if = "plain::is_default")]
    pub captures: u8,
    /// The moment when a player without living pieces lost the last one. Absent: before the game.
    #[serde(default, skip_serializing_if = "plain::is_default")]
    pub lost: Option<Moment>,
}

fn timeouts_max_default() -> u32 {
    3
}

fn timer_default() -> u8 {
    ROUNDS_PER_CIRCLE
}

fn yes() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_timer_default(timer: &u8) -> bool {
    *timer == ROUNDS_PER_CIRCLE
}

impl Player {
    fn piece(&self, kind: Kind) -> Piece {
        match kind {
            Kind::Spotter => Piece {
                at: self.spotter,
                facing: self.spotter_direction,
                alive: self.spotter_alive,
            },
            Kind::Assasin => Piece {
                at: self.assasin,
                facing: self.assasin_direction,
                alive: self.assasin_alive,
            },
        }
    }

    fn alive(&self) -> bool {
        self.spotter_alive || self.assasin_alive
    }
}

/// The last loss of a dead player without `lost`.
const BEFORE_THE_GAME: Moment = Moment { round: 0, turn: 0 };

pub(super) fn start(setup: &Setup) -> Result<MonkeyMetalMan, Refused> {
    check_numbers(setup)?;
    let whole = Field::parse(&setup.map)?;
    let mut field = whole.clone();
    let rings = setup.circles_collapsed;
    // The last collapse but one leaves a single tile, and no game.
    if usize::from(rings) >= field.side() / 2 {
        return refuse(format!(
            "{rings} circles collapsed on a map of side {0} leave no game; at most {1}",
            field.side(),
            field.side() / 2 - 1
        ));
    }
    for ring in 0..rings {
        field.collapse(ring);
    }
    let teams: Vec<Team> = (setup.pieces.iter().enumerate())
        .map(|(seat, player)| team(seat, player, &field))
        .collect::<Result<_, _>>()?;
    let game = MonkeyMetalMan {
        map: setup.map.clone().into(),
        field: Arc::new(field),
        teams,
        to_move: setup.to_move,
        timer: setup.timer,
        circles_collapsed: setup.circles_collapsed,
        over: false,
        timeouts_max: setup.timeouts_max,
        strict: setup.strict,
        dead_pieces_block: setup.dead_pieces_block,
    };
    check_places(&game, &whole)?;
    check_record(&game)?;
    Ok(game)
}

fn check_numbers(setup: &Setup) -> Result<(), Refused> {
    let players = setup.pieces.len();
    if !(2..=PLAYERS_MAX).contains(&players) {
        return refuse(format!(
            "pieces has {players} players; a game has 2 to {PLAYERS_MAX}"
        ));
    }
    check_timeouts_max(setup.timeouts_max)?;
    if !(1..=ROUNDS_PER_CIRCLE).contains(&setup.timer) {
        return refuse(format!(
            "timer {} is not allowed: it goes from {ROUNDS_PER_CIRCLE} to 1",
            setup.timer
        ));
    }
    match setup.pieces.get(setup.to_move) {
        None => refuse(format!(
            "to_move is {}; the players are 0 to {}",
            setup.to_move,
            players - 1
        )),
        Some(player) if !player.alive() => refuse(format!(
            "player {} is to move, but its pieces are dead",
            setup.to_move
        )),
        Some(_) => Ok(()),
    }
}

pub(super) fn check_timeouts_max(timeouts_max: u32) -> Result<(), Refused> {
    if timeouts_max > 0 {
        return Ok(());
    }
    refuse("timeouts_max 0 is not allowed: it takes at least 1 time-out to be removed")
}

/// Every piece is on the board, and every living one is on a free tile.
fn team(seat: usize, player: &Player, field: &Field) -> Result<Team, Refused> {
    let piece = |kind| {
        let piece = player.piece(kind);
        let Piece { at, alive, .. } = piece;
        if field.at(at).is_none() {
            return refuse(format!(
                "player {seat}'s {kind} at {at} is off the board of side {}",
                field.side()
            ));
        }
        if alive && !field.is_free(at) {
            return refuse(format!(
                "player {seat}'s {kind} at {at} stands on a wall or a collapsed circle"
            ));
        }
        Ok(piece)
    };
    let lost = match (player.alive(), player.lost) {
        (true, Some(_)) => {
            return refuse(format!(
                "player {seat} has lost its last piece, yet one is alive"
            ));
        }
        (true, None) => None,
        (false, Some(Moment { round: 0, .. })) => {
            return refuse(format!(
                "player {seat} lost its last piece in round 0; rounds count from 1, and who was \
                 dead before the game has no \"lost\""
            ));
        }
        (false, lost) => Some(lost.unwrap_or(BEFORE_THE_GAME)),
    };
    Ok(Team {
        pieces: [piece(Kind::Spotter)?, piece(Kind::Assasin)?],
        timeouts: player.timeouts,
        captures: player.captures,
        lost,
    })
}

/// Checks that the living pieces are on different tiles, connected on the map without collapses.
fn check_places(game: &MonkeyMetalMan, whole: &Field) -> Result<(), Refused> {
    let named: Vec<(Location, String)> = game
        .living()
        .map(|(seat, kind, piece)| (piece.at, format!("player {seat}'s {kind}")))
        .collect();
    for (index, (at, name)) in named.iter().enumerate() {
        if let Some((_, other)) = named[..index].iter().find(|(other, _)| other == at) {
            return refuse(format!("{other} and {name} are both at {at}"));
        }
    }
    let (first, first_name) = &named[0];
    let reached = whole.reachable(*first);
    match named.iter().find(|(at, _)| !reached.contains(at)) {
        Some((at, name)) => refuse(format!(
            "{name} at {at} is cut off from {first_name} at {first}"
        )),
        None => Ok(()),
    }
}

fn check_record(game: &MonkeyMetalMan) -> Result<(), Refused> {
    let now = game.now();
    for (seat, team) in game.teams.iter().enumerate() {
        if team.alive() && team.timeouts >= game.timeouts_max {
            return refuse(format!(
                "player {seat} has {} {} and would have been removed at {}",
                team.timeouts,
                game.counted(),
                game.timeouts_max
            ));
        }
        let impossible = |lost: &Moment| *lost > now || lost.turn > COLLAPSE_TURN;
        if let Some(lost) = team.lost.filter(impossible) {
            return refuse(format!(
                "player {seat} lost its last piece in round {}, turn {}; it is round {}, turn \
                 {}, and turns go from 0 to {COLLAPSE_TURN} (the collapse)",
                lost.round, lost.turn, now.round, now.turn
            ));
        }
    }
    let pieces = game.teams.iter().flat_map(|team| &team.pieces);
    let dead = pieces.filter(|piece| !piece.alive).count();
    let captures: usize = game
        .teams
        .iter()
        .map(|team| usize::from(team.captures))
        .sum();
    if captures > dead {
        return refuse(format!(
            "{captures} captures are counted, but only {dead} pieces are dead"
        ));
    }
    Ok(())
}

pub(super) fn of(game: &MonkeyMetalMan) -> Setup {
    let pieces = game.teams.iter().map(|team| {
        let [spotter, assasin] = &team.pieces;
        Player {
            spotter: spotter.at,
            assasin: assasin.at,
            spotter_direction: spotter.facing,
            assasin_direction: assasin.facing,
            spotter_alive: spotter.alive,
            assasin_alive: assasin.alive,
            timeouts: team.timeouts,
            captures: team.captures,
            lost: team.lost.filter(|&moment| moment != BEFORE_THE_GAME),
        }
    });
    Setup {
        map: game.map.to_vec(),
        pieces: pieces.collect(),
        timeouts_max: game.timeouts_max,
        strict: game.strict,
        dead_pieces_block: game.dead_pieces_block,
        to_move: game.to_move,
        timer: game.timer,
        circles_collapsed: game.circles_collapsed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn position_has_the_setup_that_it_started_from() {
        let defaults = r#"{"map":["FFFFF","FFFFF","FFFFF","FFFFF","FFFFF"],"pieces":[
            {"spotter":[0,0],"assasin":[0,1],"spotter_direction":[1,0],"assasin_direction":[1,0]},
            {"spotter":[4,4],"assasin":[4,3],"spotter_direction":[-1,0],"assasin_direction":[0,1]}
        ]}"#;
        // The dead piece lies on a wall, and only the collapse cuts the others off.
        let cut_off = r#"{"map":["FFWFF","FFWFF","FFWFF","FFWFF","FFFFF"],"pieces":[
            {"spotter":[1,1],"assasin":[1,3],"spotter_direction":[1,0],"assasin_direction":[1,0]},
            {"spotter":[3,3],"assasin":[0,2],"spotter_direction":[1,0],"assasin_direction":[1,0],
            "assasin_alive":false}
        ],"circles_collapsed":1}"#;
        for (text, round) in [(defaults, 1), (cut_off, 6)] {
            let setup: Setup = serde_json::from_str(text).expect(text);
            let game = start(&setup).expect(text);
            assert_eq!((game.timer, game.to_move, game.timeouts_max), (5, 0, 3));
            assert_eq!(game.round(), round, "{text}");
            assert_eq!(of(&game), setup, "{text}");
        }
    }
}
