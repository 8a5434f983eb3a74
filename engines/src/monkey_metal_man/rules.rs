use super::position::{COLLAPSE_TURN, Moment, MonkeyMetalMan, Team};
use super::setup::{self, Config, Setup};
use super::view::{Board, Cell, Enemy, View, count, selection};
use super::{Action, KITS, Location, bots, frame, generator, sight};
use crate::prelude::*;
use crate::{
    Baseline, Better, CourseText, Forfeit, Frame, Game, GameInfo, GameResult, Information,
    Lifetime, Measure, Outcome, Palette, Points, Refused, RuleBroken, Seat, SeatOutcome,
    TimeControl, plain,
};
use core::ops::RangeInclusive;
use rand_chacha::ChaCha8Rng;

impl MonkeyMetalMan {
    /// Returns the position as a setup, which restores it unless the game is over.
    pub fn setup(&self) -> Setup {
        setup::of(self)
    }

    pub(super) fn board(&self, seat: usize) -> Board {
        let mut board = Board::hidden(self.field.side());
        for (_, kind, piece) in self.living().filter(|(player, ..)| *player == seat) {
            sight::look(&self.field, piece.at, piece.facing, kind, |at, terrain| {
                board.show(at, Cell::Seen(terrain));
            });
        }
        for (player, kind, piece) in self.living().filter(|(player, ..)| *player != seat) {
            if let Some(square) = board.terrain(piece.at) {
                let enemy = Enemy {
                    player: u8::try_from(player).expect("at most four"),
                    direction: piece.facing,
                    kind,
                    square,
                };
                board.show(piece.at, Cell::Enemy(enemy));
            }
        }
        board
    }
}

impl Game for MonkeyMetalMan {
    const INFO: GameInfo = GameInfo {
        slug: "monkey-metal-man",
        title: "The Monkey and the Metal Man",
        summary: "Two to four players with hidden pieces hunt each other on a map that collapses from the outside.",
        rules_version: 2,
        roles: &["player 0", "player 1", "player 2", "player 3"],
        seats_min: 2,
        // On 19×19 the ninth collapse, after round 45, leaves a single tile.
        plies_max: 45 * 4,
        information: Information::Hidden,
        points: Points::PLAIN,
        tie_break: Some(Points {
            one: "capture",
            many: "captures",
        }),
        moves_listed: false,
        time: TimeControl {
            turn_us: Some(1_000_000),
            bank_us: None,
            increment_us: 0,
            charge_start: false,
        },
        lifetime: Lifetime::Game,
        variants: &[
            r#"{"players":2}"#,
            r#"{"players":3,"dead_pieces_block":true}"#,
            r#"{"map":"symmetric","side":11,"timeouts_max":1}"#,
            r#"{"map":"symmetric","side":11,"timeouts_max":1,"strict":true}"#,
            r#"{"map":"symmetric","side":31,"walls_max":0.35,"highground_groups":5}"#,
        ],
        notation: frame::NOTATION,
        palette: Palette::PLAIN,
        measure: Some(Measure {
            counts: "pieces alive",
            better: Better::More,
            ahead: 1,
        }),
        protocol: include_str!("protocol.md"),
        courses: &[CourseText {
            name: "monkey-metal-man",
            text: include_str!("courses/tournament.toml"),
        }],
        kits: KITS,
    };
    const BASELINES: &'static [Baseline<Self>] = bots::BASELINES;

    type Config = Config;
    type Setup = Setup;
    type Move = Action;
    type View = View;

    fn draw(config: &Config, rng: &mut ChaCha8Rng) -> Result<Setup, Refused> {
        generator::draw(config, rng)
    }

    fn start(setup: &Setup) -> Result<Self, Refused> {
        setup::start(setup)
    }

    fn seats(&self) -> usize {
        self.teams.len()
    }

    fn mover(&self) -> Option<Seat> {
        (!self.over).then(|| Seat::new(self.to_move))
    }

    fn view(&self, seat: Seat) -> View {
        let team = &self.teams[seat.index()];
        let [spotter, assasin] = &team.pieces;
        View {
            board: self.board(seat.index()),
            timer: self.timer,
            circles_collapsed: self.circles_collapsed,
            spotter_location: spotter.at,
            assasin_location: assasin.at,
            spotter_alive: spotter.alive,
            assasin_alive: assasin.alive,
            spotter_direction: spotter.facing,
            assasin_direction: assasin.facing,
        }
    }

    fn write_view(&self, seat: Seat, out: &mut Vec<u8>) {
        self.view(seat).write(out);
    }

    /// Lists at most 59 moves, by the seat's view alone: doing nothing, and for each living piece
    /// every other direction to look in and every tile to end on, while the other piece stays.
    /// Hidden tiles and own dead pieces count as free, collapsed rings do not.
    ///
    /// Directions are in the order up, down, left, right, ways the shortest first; the piece then
    /// looks along its last step. The spotter's turns and ways come before the assasin's.
    fn legal_moves(&self, seat: Seat) -> Vec<Action> {
        selection(&self.view(seat))
    }

    fn count_moves(&self, seat: Seat) -> usize {
        count(&self.view(seat))
    }

    fn check(&self, _seat: Seat, mv: &Action) -> Result<(), RuleBroken> {
        mv.check(self.strict)
    }

    fn apply_unchecked(&mut self, _seat: Seat, action: Action) {
        self.act(&action);
    }

    fn forfeit(&mut self, seat: Seat, why: Forfeit) {
        self.charge(seat.index(), why);
    }

    fn carries_out_broken_moves(&self) -> bool {
        !self.strict
    }

    fn outcome(&self) -> Option<Outcome> {
        let teams = self.over.then_some(&self.teams)?;
        let longer = |team| {
            let lasted_longer = |other: &&Team| lasted(other) > lasted(team);
            teams.iter().filter(lasted_longer).count()
        };
        let longer: Vec<usize> = teams.iter().map(longer).collect();
        let winners: Vec<usize> = (0..teams.len()).filter(|&i| longer[i] == 0).collect();
        let share = WIN_POINTS / i64::try_from(winners.len()).expect("at most four");
        let seat = |(team, &longer): (&Team, &usize)| {
            let (result, points) = match longer {
                0 => (GameResult::Won, share),
                _ => (GameResult::Lost, 0),
            };
            SeatOutcome {
                result,
                placement: 1 + u8::try_from(longer).expect("at most three"),
                points,
                tie_break: team.captures.into(),
            }
        };
        Some(Outcome {
            seats: teams.iter().zip(&longer).map(seat).collect(),
            reason: reason(teams[winners[0]].lost, &winners).into(),
        })
    }

    fn points_range(&self) -> RangeInclusive<i64> {
        0..=WIN_POINTS
    }

    fn frame(&self) -> Frame {
        frame::draw(self)
    }

    fn cell(&self, at: &str) -> Option<(usize, usize)> {
        let Location(row, column) = plain::read(at).ok()?;
        Some((column.into(), row.into()))
    }

    fn seen(&self, seat: Seat) -> Frame {
        frame::of_view(&self.view(seat), seat)
    }

    fn measure(&self) -> Vec<Option<u32>> {
        self.teams
            .iter()
            .map(|team| u32::try_from(team.pieces.iter().filter(|piece| piece.alive).count()).ok())
            .collect()
    }

    fn spell(&self, seat: Seat, mv: &Action) -> String {
        frame::spell(self, seat.index(), mv)
    }

    fn read(&self, seat: Seat, text: &str) -> Result<Action, Refused> {
        frame::read(self, seat.index(), text)
    }
}

/// Joint winners share it: twelve twelfths.
const WIN_POINTS: i64 = 12;

/// Orders teams by how long they lasted, the living last.
fn lasted(team: &Team) -> (bool, Option<Moment>) {
    (team.alive(), team.lost)
}

/// `end` is the moment when the winners lost their last piece.
fn reason(end: Option<Moment>, winners: &[usize]) -> String {
    let names = match winners {
        [one] => format!("player {one}"),
        [first @ .., last] => {
            let first: Vec<String> = first.iter().map(ToString::to_string).collect();
            format!("players {} and {last}", first.join(", "))
        }
        [] => unreachable!("somebody has the first place"),
    };
    match end {
        None => format!("{names} is the last one standing"),
        Some(moment) if moment.turn == COLLAPSE_TURN => {
            format!("the collapse killed all who were left: {names}")
        }
        Some(_) => format!("nobody is left; removed last: {names}"),
    }
}
