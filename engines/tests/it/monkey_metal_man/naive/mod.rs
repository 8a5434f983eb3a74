//! A second implementation of the rules, slow and obvious, straight from the rules page. It shares
//! nothing with the crate but the JSON of the protocol.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "small boards, and obvious is worth more than careful here"
)]

mod answers;
mod sight;

use answers::first_bad;
pub(crate) use answers::{Verdict, judge};

use crate::support::compare::Met;
use serde_json::Value;
use std::collections::BTreeSet;

/// (row, column)
type Point = (i64, i64);

const UP: Point = (-1, 0);
const DOWN: Point = (1, 0);
const LEFT: Point = (0, -1);
const RIGHT: Point = (0, 1);
const DIRECTIONS: [Point; 4] = [UP, DOWN, LEFT, RIGHT];

const SPOTTER: usize = 0;
const ASSASIN: usize = 1;
const NAMES: [&str; 2] = ["spotter", "assasin"];
const WITH_ARTICLE: [&str; 2] = ["a spotter", "an assasin"];

#[derive(Clone)]
pub(crate) struct Naive {
    pub(crate) side: i64,
    /// The terrain, row by row: 0 wall, 1 empty, 2 highground.
    pub(crate) terrain: Vec<i64>,
    pub(crate) players: Vec<Player>,
    pub(crate) turn: usize,
    pub(crate) timer: i64,
    pub(crate) circles: i64,
    /// The number of rounds before the present one.
    rounds: i64,
    pub(crate) over: bool,
    timeouts_max: i64,
    pub(crate) strict: bool,
    dead_pieces_block: bool,
    killed_this_round: BTreeSet<usize>,
}

#[derive(Clone)]
pub(crate) struct Player {
    pub(crate) pieces: [Piece; 2],
    /// The number of time-outs or, under strict rules, of all faults.
    pub(crate) timeouts: i64,
    pub(crate) captures: i64,
    /// The (round, turn) in which the last piece was lost. The collapse is turn 4.
    lost: Option<(i64, i64)>,
}

#[derive(Clone)]
pub(crate) struct Piece {
    pub(crate) at: Point,
    pub(crate) direction: Point,
    pub(crate) alive: bool,
}

impl Player {
    pub(crate) fn alive(&self) -> bool {
        self.pieces[SPOTTER].alive || self.pieces[ASSASIN].alive
    }
}

fn pair(value: &Value) -> Option<Point> {
    match value.as_array()?.as_slice() {
        [a, b] => Some((a.as_i64()?, b.as_i64()?)),
        _ => None,
    }
}

fn list((a, b): Point) -> String {
    format!("[{a},{b}]")
}

impl Naive {
    pub(crate) fn new(setup: &Value) -> Self {
        let rows: Vec<&str> = (setup["map"].as_array().unwrap().iter())
            .map(|row| row.as_str().unwrap())
            .collect();
        let side = rows.len() as i64;
        let letters = rows.concat();
        let terrain = letters.chars().map(|letter| match letter {
            'W' => 0,
            'F' => 1,
            _ => 2,
        });
        let terrain = terrain.collect();
        let players = setup["pieces"].as_array().unwrap().iter().map(|player| {
            let pieces = NAMES.map(|name| Piece {
                at: pair(&player[name]).unwrap(),
                direction: pair(&player[format!("{name}_direction")]).unwrap(),
                alive: player[format!("{name}_alive")].as_bool().unwrap_or(true),
            });
            let dead = pieces.iter().all(|piece| !piece.alive);
            let moment = |value: &Value| {
                let number = |key: &str| value[key].as_i64().unwrap_or(0);
                (number("round"), number("turn"))
            };
            Player {
                pieces,
                timeouts: player["timeouts"].as_i64().unwrap_or(0),
                captures: player["captures"].as_i64().unwrap_or(0),
                lost: dead.then(|| moment(&player["lost"])),
            }
        });
        let timer = setup["timer"].as_i64().unwrap_or(5);
        let circles = setup["circles_collapsed"].as_i64().unwrap_or(0);
        let mut naive = Self {
            side,
            terrain,
            players: players.collect(),
            turn: setup["to_move"].as_u64().unwrap_or(0) as usize,
            timer,
            circles,
            rounds: circles * 5 + 5 - timer,
            over: false,
            timeouts_max: setup["timeouts_max"].as_i64().unwrap_or(3),
            strict: setup["strict"].as_bool().unwrap_or(false),
            dead_pieces_block: setup["dead_pieces_block"].as_bool().unwrap_or(false),
            killed_this_round: BTreeSet::new(),
        };
        for ring in 0..circles {
            naive.wall_up(ring);
        }
        naive
    }

    fn ring(&self, (r, c): Point) -> i64 {
        [r, c, self.side - 1 - r, self.side - 1 - c]
            .into_iter()
            .min()
            .unwrap()
    }

    fn wall_up(&mut self, ring: i64) {
        for (i, point) in self.points().into_iter().enumerate() {
            if self.ring(point) == ring {
                self.terrain[i] = 0;
            }
        }
    }

    pub(crate) fn points(&self) -> Vec<Point> {
        let row = |r| (0..self.side).map(move |c| (r, c));
        (0..self.side).flat_map(row).collect()
    }

    fn index(&self, (r, c): Point) -> usize {
        (r * self.side + c) as usize
    }

    /// Returns the terrain of a tile, or `None` off the board.
    fn tile_at(&self, (r, c): Point) -> Option<i64> {
        let on_board = (0..self.side).contains(&r) && (0..self.side).contains(&c);
        on_board.then(|| self.terrain[self.index((r, c))])
    }

    fn is_wall(&self, point: Point) -> bool {
        self.tile_at(point) == Some(0)
    }

    pub(crate) fn to_move(&self) -> Option<usize> {
        (!self.over).then_some(self.turn)
    }

    /// Plays a readable answer of the player to move. A piece with a bad order does nothing and
    /// keeps its direction.
    pub(crate) fn play(&mut self, answer: &str, cover: &mut Met) {
        let mut answer: Value = serde_json::from_str(answer).unwrap();
        for (kind, name) in [(SPOTTER, "Spotter"), (ASSASIN, "Assasin")] {
            if first_bad(&answer, kind, self.strict).is_some() {
                cover.note(&format!("{}'s order is bad", WITH_ARTICLE[kind]));
                let (r, c) = self.players[self.turn].pieces[kind].direction;
                answer[name] = serde_json::json!({"direction": [r, c]});
            }
        }
        for (kind, name, most) in [(SPOTTER, "Spotter", 2), (ASSASIN, "Assasin", 4)] {
            let steps: Vec<Point> = match answer[name]["moves"].as_array() {
                Some(moves) => moves.iter().take(most).map(|m| pair(m).unwrap()).collect(),
                None => Vec::new(),
            };
            let given = answer[name]["moves"].as_array().map_or(0, Vec::len);
            if given > most {
                cover.note(&format!("{}'s moves are cut off", WITH_ARTICLE[kind]));
            }
            if self.players[self.turn].pieces[kind].alive {
                self.walk(kind, &steps, cover);
            }
        }
        for (kind, name) in [(SPOTTER, "Spotter"), (ASSASIN, "Assasin")] {
            let piece = &mut self.players[self.turn].pieces[kind];
            let direction = pair(&answer[name]["direction"]).unwrap();
            if !piece.alive && piece.direction != direction {
                cover.note("a dead piece turns");
            }
            piece.direction = direction;
        }
        self.next_turn(cover);
    }

    fn walk(&mut self, kind: usize, steps: &[Point], cover: &mut Met) {
        let me = self.turn;
        for (i, step) in steps.iter().enumerate() {
            let (r, c) = self.players[me].pieces[kind].at;
            let next = (r + step.0, c + step.1);
            if next == (r, c) {
                cover.note("a step that stays is used up");
                continue;
            }
            let other = &self.players[me].pieces[1 - kind];
            if self.tile_at(next).is_none() {
                cover.note("a step over the edge is used up");
            } else if self.is_wall(next) {
                cover.note("a step into a wall is used up");
            } else if other.at == next && other.alive {
                cover.note("the own other piece is in the way");
            } else if other.at == next && self.dead_pieces_block {
                cover.note("the own dead piece is in the way");
            } else {
                if other.at == next {
                    cover.note("the own dead piece is walked over");
                }
                let enemy_there = self.enemy_at(next).is_some();
                if enemy_there && i + 1 < steps.len() {
                    cover.note("a step onto an enemy that is not the last");
                }
                self.players[me].pieces[kind].at = next;
            }
        }
        let at = self.players[me].pieces[kind].at;
        if let Some((player, captured)) = self.enemy_at(at) {
            cover.note(&format!("{} captures", WITH_ARTICLE[kind]));
            self.players[player].pieces[captured].alive = false;
            self.players[me].captures += 1;
            if !self.players[player].alive() {
                cover.note(if player > me {
                    "killed before its turn of the round"
                } else {
                    "killed after its turn of the round"
                });
                self.players[player].lost = Some((self.rounds + 1, me as i64));
                self.killed_this_round.insert(player);
            }
        }
    }

    fn enemy_at(&self, point: Point) -> Option<(usize, usize)> {
        for (player, other) in self.players.iter().enumerate() {
            for kind in [SPOTTER, ASSASIN] {
                let piece = &other.pieces[kind];
                if player != self.turn && piece.alive && piece.at == point {
                    return Some((player, kind));
                }
            }
        }
        None
    }

    /// Plays a turn without an answer that can be carried out. `gone` means that the seat will
    /// never answer again, `late` that it was not in time.
    pub(crate) fn forfeit(&mut self, seat: usize, gone: bool, late: bool, cover: &mut Met) {
        if self.over || !self.players[seat].alive() {
            cover.note("a forfeit of a dead player changes nothing");
            return;
        }
        let its_turn = seat == self.turn;
        cover.note(match (its_turn, gone) {
            (true, true) => "gone in its turn",
            (true, false) => "a fault in its turn",
            (false, true) => "gone out of turn",
            (false, false) => "a fault out of turn",
        });
        let player = &mut self.players[seat];
        let counts = !gone && (late || self.strict);
        if counts {
            player.timeouts += 1;
        }
        let enough = player.timeouts >= self.timeouts_max;
        if !gone && !counts {
            cover.note("a fault that does not count");
        }
        if gone || (counts && enough) {
            if !gone && self.strict {
                cover.note("removed for its faults");
            } else if !gone {
                cover.note("removed for its time-outs");
            }
            for piece in &mut player.pieces {
                piece.alive = false;
            }
            player.lost = Some((self.rounds + 1, self.turn as i64));
            self.killed_this_round.insert(seat);
        }
        if its_turn {
            self.next_turn(cover);
        }
    }

    fn living(&self) -> Vec<usize> {
        (0..self.players.len())
            .filter(|&p| self.players[p].alive())
            .collect()
    }

    fn next_turn(&mut self, cover: &mut Met) {
        for player in self.turn + 1..self.players.len() {
            if self.players[player].alive() {
                self.turn = player;
                if self.living().len() == 1 {
                    cover.note("the round is played to its end by one player");
                }
                return;
            }
            if self.killed_this_round.contains(&player) {
                cover.note("a player killed earlier in the round is skipped");
            } else {
                cover.note("a player killed in an earlier round is skipped");
            }
        }
        self.end_round(cover);
    }

    fn end_round(&mut self, cover: &mut Met) {
        self.killed_this_round.clear();
        if self.living().len() <= 1 {
            cover.note(if self.living().is_empty() {
                "everybody was removed"
            } else {
                "one player is left after a round"
            });
            self.over = true;
            return;
        }
        cover.note(&format!("timer {} runs down", self.timer));
        self.timer -= 1;
        if self.timer == 0 {
            self.timer = 5;
            self.collapse(cover);
        }
        self.rounds += 1;
        let living = self.living();
        if living.len() <= 1 {
            cover.note(if living.is_empty() {
                "a collapse kills all who were left"
            } else {
                "a collapse leaves one player"
            });
            self.over = true;
        } else {
            self.turn = living[0];
        }
    }

    fn collapse(&mut self, cover: &mut Met) {
        self.wall_up(self.circles);
        self.circles += 1;
        if self.circles == self.side / 2 {
            cover.note(&format!("the last collapse of side {}", self.side));
        }
        let mut killed = 0;
        for seat in 0..self.players.len() {
            let was_alive = self.players[seat].alive();
            for kind in [SPOTTER, ASSASIN] {
                let at = self.players[seat].pieces[kind].at;
                if self.players[seat].pieces[kind].alive && self.is_wall(at) {
                    self.players[seat].pieces[kind].alive = false;
                    killed += 1;
                }
            }
            if was_alive && !self.players[seat].alive() {
                self.players[seat].lost = Some((self.rounds + 1, 4));
            }
        }
        cover.note(match killed {
            0 => "a collapse kills nobody",
            1 => "a collapse kills one piece",
            _ => "a collapse kills several pieces",
        });
    }

    /// Returns (won, placement, points, captures) of each player.
    pub(crate) fn result(&self, cover: &mut Met) -> Option<Vec<(bool, i64, i64, i64)>> {
        if !self.over {
            return None;
        }
        let survived = |player: &Player| player.alive().then_some((i64::MAX, 0));
        let lasted = |player: &Player| survived(player).or(player.lost).unwrap();
        let all: Vec<_> = self.players.iter().map(lasted).collect();
        let best = *all.iter().max().unwrap();
        let winners = all.iter().filter(|&&other| other == best).count() as i64;
        cover.note(&format!("{winners} winners"));
        let row = |player: &Player| {
            let own = lasted(player);
            let better = all.iter().filter(|&&other| other > own).count() as i64;
            let level = all.iter().filter(|&&other| other == own).count();
            if better > 0 && level > 1 {
                cover.note("losers share a place");
            }
            let points = if better == 0 { 12 / winners } else { 0 };
            (better == 0, better + 1, points, player.captures)
        };
        Some(self.players.iter().map(row).collect())
    }
}
