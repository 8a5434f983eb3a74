use super::Kind;
use super::action::{Action, Orders, Step};
use super::field::{Direction, Field, Location};
use crate::Forfeit;
use crate::prelude::*;
use alloc::sync::Arc;
use serde::{Deserialize, Serialize};

/// A position of The Monkey and the Metal Man.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MonkeyMetalMan {
    /// The map before any collapse.
    pub(super) map: Arc<[String]>,
    pub(super) field: Arc<Field>,
    pub(super) teams: Vec<Team>,
    /// The player to move, who is alive unless the game is over.
    pub(super) to_move: usize,
    pub(super) timer: u8,
    pub(super) circles_collapsed: u8,
    pub(super) over: bool,
    pub(super) timeouts_max: u32,
    pub(super) strict: bool,
    pub(super) dead_pieces_block: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Team {
    /// The spotter, then the assasin.
    pub(super) pieces: [Piece; 2],
    /// Under strict rules, faults of every kind.
    pub(super) timeouts: u32,
    pub(super) captures: u8,
    pub(super) lost: Option<Moment>,
}

/// A dead piece stays on its last tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) at: Location,
    pub(super) facing: Direction,
    pub(super) alive: bool,
}

/// A moment in the course of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Moment {
    /// The round, from 1.
    pub round: u8,
    /// The number of the seat to move, or [`COLLAPSE_TURN`].
    pub turn: u8,
}

/// The turn of the collapse, which follows a round's last turn.
pub const COLLAPSE_TURN: u8 = 4;
/// The number of rounds between two collapses.
pub const ROUNDS_PER_CIRCLE: u8 = 5;

impl Team {
    pub(super) fn piece(&self, kind: Kind) -> &Piece {
        &self.pieces[kind as usize]
    }

    pub(super) fn alive(&self) -> bool {
        self.pieces.iter().any(|piece| piece.alive)
    }
}

impl MonkeyMetalMan {
    fn alive_count(&self) -> usize {
        self.teams.iter().filter(|team| team.alive()).count()
    }

    /// Iterates over the living pieces, each behind its player and kind.
    pub(super) fn living(&self) -> impl Iterator<Item = (usize, Kind, Piece)> {
        let pieces = |(player, team): (usize, &Team)| {
            let piece = |kind: Kind| (player, kind, team.pieces[kind as usize]);
            Kind::ALL.map(piece)
        };
        let all = self.teams.iter().enumerate().flat_map(pieces);
        all.filter(|(_, _, piece)| piece.alive)
    }

    /// Names what [`Team::timeouts`] counts.
    pub(super) fn counted(&self) -> &'static str {
        if self.strict { "faults" } else { "time-outs" }
    }

    pub(super) fn round(&self) -> u8 {
        (self.circles_collapsed + 1) * ROUNDS_PER_CIRCLE - self.timer + 1
    }

    pub(super) fn now(&self) -> Moment {
        let turn = u8::try_from(self.to_move).expect("below four");
        let round = self.round();
        Moment { round, turn }
    }

    pub(super) fn act(&mut self, action: &Action) {
        let Action { spotter, assasin } = action;
        let facings = [
            self.obey(Kind::Spotter, spotter),
            self.obey(Kind::Assasin, assasin),
        ];
        let pieces = &mut self.teams[self.to_move].pieces;
        for (piece, facing) in pieces.iter_mut().zip(facings) {
            piece.facing = facing.unwrap_or(piece.facing);
        }
        self.pass_turn();
    }

    /// Carries out good orders. Returns the piece's direction, or none for bad orders.
    fn obey<const STEPS_MAX: usize>(
        &mut self,
        kind: Kind,
        orders: &Orders<STEPS_MAX>,
    ) -> Option<Direction> {
        if !orders.are_good(self.strict) {
            return None;
        }
        self.walk(kind, orders.moves.iter());
        orders.direction.direction()
    }

    fn walk(&mut self, kind: Kind, steps: impl Iterator<Item = Step>) {
        let team = &self.teams[self.to_move];
        let Piece { mut at, alive, .. } = *team.piece(kind);
        if !alive {
            return;
        }
        let other = team.piece(kind.other());
        let in_the_way = (other.alive || self.dead_pieces_block).then_some(other.at);
        // A step that stays is used up.
        for direction in steps.filter_map(Step::direction) {
            let next = at.towards(direction);
            if self.field.is_free(next) && in_the_way != Some(next) {
                at = next;
            }
        }
        self.teams[self.to_move].pieces[kind as usize].at = at;
        self.capture(at);
    }

    fn capture(&mut self, at: Location) {
        let now = self.now();
        for seat in (0..self.teams.len()).filter(|&seat| seat != self.to_move) {
            let team = &mut self.teams[seat];
            for piece in &mut team.pieces {
                if piece.alive && piece.at == at {
                    piece.alive = false;
                    team.lost = (!team.alive()).then_some(now);
                    self.teams[self.to_move].captures += 1;
                    return;
                }
            }
        }
    }

    /// Charges a seat, to move or not, with a turn in which the game carries out nothing.
    pub(super) fn charge(&mut self, seat: usize, why: Forfeit) {
        if self.over || seat >= self.teams.len() || !self.teams[seat].alive() {
            return;
        }
        let now = self.now();
        let team = &mut self.teams[seat];
        let removed = match why {
            Forfeit::Gone => true,
            Forfeit::Illegal | Forfeit::Malformed if !self.strict => false,
            Forfeit::Illegal | Forfeit::Malformed | Forfeit::Time => {
                team.timeouts += 1;
                team.timeouts >= self.timeouts_max
            }
        };
        if removed {
            for piece in &mut team.pieces {
                piece.alive = false;
            }
            team.lost = Some(now);
        }
        if seat == self.to_move {
            self.pass_turn();
        }
    }

    fn pass_turn(&mut self) {
        let following = self.to_move + 1..self.teams.len();
        match self.first_alive(following) {
            Some(seat) => self.to_move = seat,
            None => self.end_round(),
        }
    }

    fn first_alive(&self, mut seats: core::ops::Range<usize>) -> Option<usize> {
        seats.find(|&seat| self.teams[seat].alive())
    }

    fn end_round(&mut self) {
        if self.alive_count() > 1 {
            if self.timer > 1 {
                self.timer -= 1;
            } else {
                self.collapse();
            }
        }
        // A second test, because a collapse kills. If none is left, several may have won jointly.
        match self.first_alive(0..self.teams.len()) {
            Some(seat) if self.alive_count() > 1 => self.to_move = seat,
            Some(_) | None => self.over = true,
        }
    }

    fn collapse(&mut self) {
        let moment = Moment {
            round: self.round(),
            turn: COLLAPSE_TURN,
        };
        Arc::make_mut(&mut self.field).collapse(self.circles_collapsed);
        self.circles_collapsed += 1;
        self.timer = ROUNDS_PER_CIRCLE;
        for team in &mut self.teams {
            let was_alive = team.alive();
            for piece in &mut team.pieces {
                piece.alive &= self.field.is_free(piece.at);
            }
            if was_alive && !team.alive() {
                team.lost = Some(moment);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{play, position, scene};
    use super::*;
    use crate::{Game, GameResult, Seat};

    /// Returns the tile and the life of a piece.
    fn piece(game: &MonkeyMetalMan, seat: usize, kind: Kind) -> (u8, u8, bool) {
        let piece = game.teams[seat].piece(kind);
        (piece.at.0, piece.at.1, piece.alive)
    }

    fn forfeit(game: &mut MonkeyMetalMan, seat: usize, why: Forfeit) {
        game.forfeit(Seat::new(seat), why);
    }

    const DUEL: [&str; 5] = ["S...T", ".....", ".....", ".....", "A...B"];

    #[test]
    fn walls_edges_and_own_piece_consume_steps() {
        let mut game = position(&["SA..T", "#....", ".....", ".....", "....B"]);
        play(&mut game, "UD", "LRRU");
        assert_eq!(piece(&game, 0, Kind::Spotter), (0, 0, true));
        assert_eq!(piece(&game, 0, Kind::Assasin), (0, 3, true));
    }

    #[test]
    fn the_spotter_goes_first_and_clears_the_way() {
        let mut game = position(&["SA..T", ".....", ".....", ".....", "....B"]);
        play(&mut game, "D", "LLLL");
        assert_eq!(piece(&game, 0, Kind::Spotter), (1, 0, true));
        assert_eq!(piece(&game, 0, Kind::Assasin), (0, 0, true));
    }

    #[test]
    fn passing_enemy_is_harmless_and_ending_captures_it() {
        let mut game = position(&["S.T..", ".....", ".....", ".....", "A...B"]);
        play(&mut game, "R", "RRRR");
        assert_eq!(piece(&game, 1, Kind::Assasin), (4, 4, false));
        assert_eq!(game.teams[0].captures, 1);
        let mut game = position(&["ST...", ".....", ".....", ".....", "A.B.."]);
        play(&mut game, "RR", "RRRR");
        assert_eq!(piece(&game, 0, Kind::Spotter), (0, 2, true));
        assert!(game.teams[1].pieces.iter().all(|piece| piece.alive));
        assert_eq!(game.teams[0].captures, 0);
    }

    #[test]
    fn own_dead_pieces_block_only_when_switched_on() {
        for blocks in [false, true] {
            let mut setup = scene(&["A...T", ".....", ".....", ".....", "....B"]);
            setup.pieces[0].spotter = Location(0, 1);
            setup.dead_pieces_block = blocks;
            let mut game = MonkeyMetalMan::start(&setup).expect("valid");
            play(&mut game, "D", "RR");
            let column = if blocks { 0 } else { 2 };
            assert_eq!(piece(&game, 0, Kind::Assasin), (0, column, true));
            assert_eq!(piece(&game, 0, Kind::Spotter), (0, 1, false), "it stays");
        }
    }

    #[test]
    fn player_killed_earlier_in_round_is_skipped() {
        let mut game = position(&["AB..U", ".....", ".....", ".....", "S...C"]);
        play(&mut game, "", "R");
        assert_eq!(game.to_move, 2);
        play(&mut game, "", "");
        assert_eq!(game.to_move, 0);
        assert_eq!(game.timer, 4);
    }

    #[test]
    fn timer_counts_5_to_1_before_ring_collapses() {
        let mut game = position(&DUEL);
        let mut timers = Vec::new();
        while game.circles_collapsed == 0 && !game.over {
            timers.push(game.timer);
            // Player 0 leaves the border, player 1's assasin stays on it.
            let first = game.timer == 5 && game.to_move == 0;
            let leaves = (game.timer == 5).then_some(if first { "RD" } else { "LD" });
            play(
                &mut game,
                leaves.unwrap_or(""),
                if first { "RU" } else { "" },
            );
        }
        assert_eq!(timers, [5, 5, 4, 4, 3, 3, 2, 2, 1, 1]);
        assert_eq!(game.timer, 5);
        assert_eq!(piece(&game, 1, Kind::Spotter), (1, 3, true));
        assert_eq!(piece(&game, 1, Kind::Assasin), (4, 4, false));
        assert_eq!(game.round(), 6);
        assert!(!game.over);
        // The ring is wall now.
        play(&mut game, "U", "");
        assert_eq!(piece(&game, 0, Kind::Spotter), (1, 1, true));
    }

    #[test]
    fn players_killed_by_last_collapse_win_jointly() {
        let mut game = position(&["S..BT", ".....", "..C..", ".....", "A...."]);
        // The only piece of player 2 is captured in round 1.
        play(&mut game, "", "UURR");
        while !game.over {
            play(&mut game, "", "LLLL");
        }
        let outcome = game.outcome().expect("over");
        let places: Vec<u8> = outcome.seats.iter().map(|s| s.placement).collect();
        assert_eq!(places, [1, 1, 3]);
        let points: Vec<i64> = outcome.seats.iter().map(|s| s.points).collect();
        assert_eq!(points, [6, 6, 0]);
        assert_eq!(outcome.seats[0].tie_break, 1);
        assert_eq!(outcome.seats[1].result, GameResult::Won);
        assert_eq!(
            outcome.reason,
            "the collapse killed all who were left: players 0 and 1"
        );
    }

    #[test]
    fn collapse_leaving_one_player_ends_game() {
        let mut setup = scene(&["A...T", ".....", "..S..", ".....", "....B"]);
        setup.timer = 1;
        let mut game = MonkeyMetalMan::start(&setup).expect("valid");
        play(&mut game, "", "");
        play(&mut game, "", "");
        let outcome = game.outcome().expect("over");
        assert_eq!(outcome.reason, "player 0 is the last one standing");
        assert_eq!(outcome.seats[0].points, 12);
        assert_eq!(outcome.seats[1].placement, 2);
    }

    fn answer(text: &str) -> Action {
        serde_json::from_str(text).expect("readable")
    }

    #[test]
    fn step_0_0_stays_and_consumes_step() {
        let mut game = position(&DUEL);
        let stay = answer(
            r#"{"Spotter":{"direction":[0,1],"moves":[[0,0],[1,0]]},
                "Assasin":{"direction":[1,0],"moves":[[0,0],[-1,0],[0,0],[0,1],[0,1]]}}"#,
        );
        game.play(Seat::new(0), stay).expect("legal");
        assert_eq!(piece(&game, 0, Kind::Spotter), (1, 0, true));
        assert_eq!(piece(&game, 0, Kind::Assasin), (3, 1, true), "four steps");
        assert_eq!(game.teams[0].pieces[0].facing, Direction::Right);
        assert_eq!((game.teams[0].timeouts, game.to_move), (0, 1));
    }

    /// Tests a bad order to the spotter and then to the assasin. The other piece takes a step down
    /// or up and turns right.
    #[test]
    fn bad_order_costs_turn_of_its_piece_only() {
        let good = |step: &str| format!(r#"{{"direction":[0,1],"moves":[{step}]}}"#);
        for bad in [
            r#"{"direction":[1,1],"moves":[[1,0]]}"#,
            r#"{"direction":[0,0],"moves":[[1,0]]}"#,
            r#"{"direction":null,"moves":[]}"#,
            r#"{"direction":[0,1],"moves":[[0,1],[2,0]]}"#,
            r#"{"direction":[0,1],"moves":[[0,1],"up"]}"#,
        ] {
            let (down, up) = (good("[1,0]"), good("[-1,0]"));
            for (text, obeys, at) in [
                (
                    format!(r#"{{"Spotter":{down},"Assasin":{bad}}}"#),
                    0,
                    (1, 0),
                ),
                (format!(r#"{{"Spotter":{bad},"Assasin":{up}}}"#), 1, (3, 0)),
            ] {
                let mut game = position(&DUEL);
                let before = game.clone();
                let action = answer(&text);
                game.play(Seat::new(0), action).expect_err("a bad order");
                assert_eq!(game, before, "the check leaves it to the caller");
                assert!(game.carries_out_broken_moves());
                game.apply_unchecked(Seat::new(0), action);
                let [own, other] = [obeys, 1 - obeys].map(|kind| game.teams[0].pieces[kind]);
                assert_eq!(
                    (own.at, own.facing),
                    (Location(at.0, at.1), Direction::Right)
                );
                assert_eq!(other, before.teams[0].pieces[1 - obeys], "{text}");
                assert_eq!((game.teams[0].timeouts, game.to_move), (0, 1));
            }
        }
    }

    #[test]
    fn timeouts_remove_but_bad_or_malformed_answers_never() {
        let mut game = position(&DUEL);
        let bad = answer(r#"{"Spotter":{"direction":[5,5]},"Assasin":{"direction":"up"}}"#);
        let before = game.teams.clone();
        for _ in 0..4 {
            game.apply_unchecked(Seat::new(0), bad);
            forfeit(&mut game, 1, Forfeit::Malformed);
        }
        assert_eq!((game.to_move, game.round()), (0, 5));
        assert_eq!(game.teams, before);
        for left in [true, true, false] {
            forfeit(&mut game, 1, Forfeit::Time);
            assert_eq!(game.teams[1].alive(), left);
        }
        play(&mut game, "", "");
        let outcome = game.outcome().expect("over");
        assert_eq!(outcome.reason, "player 0 is the last one standing");
    }

    #[test]
    fn strict_rules_refuse_0_0_and_bad_orders() {
        let mut setup = scene(&DUEL);
        setup.strict = true;
        let game = MonkeyMetalMan::start(&setup).expect("valid");
        assert!(!game.carries_out_broken_moves());
        for step in ["[0,0]", "[2,0]"] {
            let bad = answer(&format!(
                r#"{{"Spotter":{{"direction":[0,1],"moves":[[1,0]]}},
                    "Assasin":{{"direction":[0,1],"moves":[{step}]}}}}"#
            ));
            let broken = game.check(Seat::new(0), &bad).expect_err("a bad order");
            assert!(!broken.message.contains("stay"), "{}", broken.message);
        }
    }
}
