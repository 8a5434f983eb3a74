//! Scenes of each game: `testdata/<game>/scenes.txt`. A scene is a name and lines below it, which
//! are carried out or compared in order. An empty line ends it.
//!
//! | line | what it does |
//! | --- | --- |
//! | `setup JSON`, `draw CONFIG` | starts a game, drawn with seed 0 |
//! | `picture ROW ROW … JSON` | starts a game of The Monkey and the Metal Man, see [`pictured`] |
//! | `again` | starts it again |
//! | `spelled TEXT` | the setup in the judge's spelling |
//! | `play MOVE ; MOVE …` | plays moves, typed or as JSON lists and objects |
//! | `refused RULE MOVE` | a move breaks a rule and changes nothing |
//! | `carried-out MOVE` | plays what can be carried out of a refused move |
//! | `forfeit SEAT KIND` | forfeits |
//! | `to-the-end MOVE` | plays one move until the game is over |
//! | `plays BOT` | lets a built-in bot move, with seed 0 |
//! | `bot NAME SEEDS MOVE ; MOVE …` | with each of so many seeds, a bot chooses one of these moves |
//! | `view SEAT TEXT` | the exact view |
//! | `sees SEAT JSON`, `moves`, `outcome` … | part of what [`Stage::report`] reports |

use crate::support::{legal, testdata, view};
use judge_engines::erased::{AnyGame, MoveRefused};
use judge_engines::{Entry, Forfeit, Seat};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

struct Stage {
    entry: &'static Entry,
    setup: Box<RawValue>,
    game: Box<dyn AnyGame>,
}

fn read<T: DeserializeOwned>(text: &str) -> T {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Makes the setup of a picture, followed by more fields. `.` is free, `#` a wall, `^` highground.
/// The pieces of players 0 to 3 are S and A, T and B, U and C, V and D. All look down. A piece that
/// is not in the picture is dead, at (0,0).
fn pictured(text: &str) -> String {
    let (picture, more) = text.split_at(text.find('{').unwrap_or(text.len()));
    let rows: Vec<&str> = picture.split_whitespace().collect();
    let place = |letter| {
        let row = rows.iter().position(|row| row.contains(letter))?;
        Some([row, rows[row].find(letter)?])
    };
    let players = ["SA", "TB", "UC", "VD"].iter().map(|letters| {
        let mut player = Map::new();
        let is_drawn = letters.chars().any(|letter| place(letter).is_some());
        for (letter, piece) in letters.chars().zip(["spotter", "assasin"]) {
            let at = place(letter);
            player.insert(piece.to_owned(), json!(at.unwrap_or_default()));
            player.insert(format!("{piece}_direction"), json!([1, 0]));
            player.insert(format!("{piece}_alive"), json!(at.is_some()));
        }
        is_drawn.then_some(player)
    });
    let map = rows.iter().map(|row| {
        let tile = |tile| ["W", "O", "F"]["#^".find(tile).unwrap_or(2)];
        row.chars().map(tile).collect::<String>()
    });
    let mut setup: Map<_, _> = read(if more.is_empty() { "{}" } else { more });
    setup.insert("map".to_owned(), map.collect());
    let pieces: Vec<_> = players.flatten().collect();
    setup.insert("pieces".to_owned(), json!(pieces));
    Value::Object(setup).to_string()
}

/// Checks that a value is as expected. Only the fields that are expected count.
fn holds(seen: &Value, expected: &Value) -> bool {
    match (seen, expected) {
        (Value::Object(seen), Value::Object(expected)) => {
            let mut fields = expected.iter();
            fields.all(|(key, value)| seen.get(key).is_some_and(|seen| holds(seen, value)))
        }
        (Value::Array(seen), Value::Array(expected)) => {
            let mut pairs = seen.iter().zip(expected);
            seen.len() == expected.len() && pairs.all(|(seen, expected)| holds(seen, expected))
        }
        _ => seen == expected,
    }
}

impl Stage {
    fn start(entry: &'static Entry, line: &str) -> Self {
        let (word, rest) = line.split_once(' ').expect("a setup");
        let setup = match word {
            "setup" => read(rest),
            "picture" => read(&pictured(rest)),
            _ => {
                let config = entry.configure(rest).expect("allowed");
                entry.draw(&config, 0).expect("allowed")
            }
        };
        let game = entry.start(&setup).expect(line);
        Self { entry, setup, game }
    }

    fn seat(&self) -> Seat {
        self.game.to_move().first().expect("not over")
    }

    fn read(&self, text: &str) -> String {
        if text.starts_with(['{', '[']) {
            text.to_owned()
        } else {
            self.game.read(self.seat(), text).expect(text)
        }
    }

    fn choose(&self, bot: &str, seed: u64) -> String {
        let (game, seat) = (self.game.as_ref(), self.seat());
        let (view, legal) = (view(game, seat), legal(game, seat));
        let choice = self.entry.choose(bot, seat, &view, &legal, seed);
        choice.expect("a bot that reads the view")
    }

    fn play(&mut self, mv: &str) {
        self.game.play(self.seat(), mv).expect("legal");
    }

    /// Carries out a line, or compares what it expects.
    fn step(&mut self, line: &str) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let (first, more) = rest.split_once(' ').unwrap_or((rest, ""));
        match word {
            "again" => {
                assert_eq!(rest, "");
                self.game = self.entry.start(&self.setup).expect("valid");
            }
            "play" => rest.split(" ; ").for_each(|mv| self.play(&self.read(mv))),
            "to-the-end" => {
                assert!(!self.game.to_move().is_empty(), "over already");
                while !self.game.to_move().is_empty() {
                    self.play(&self.read(rest));
                }
            }
            "plays" => self.play(&self.choose(rest, 0)),
            "bot" => {
                let (seeds, allowed) = more.split_once(' ').expect("seeds and moves");
                let allowed: Vec<String> = allowed.split(" ; ").map(|mv| self.read(mv)).collect();
                let seeds: u64 = read(seeds);
                assert!(seeds > 0);
                for seed in 0..seeds {
                    let choice = self.choose(first, seed);
                    assert!(allowed.contains(&choice), "seed {seed}: {choice}");
                }
            }
            "refused" => {
                let before = format!("{:?}", self.game);
                let refused = self.game.play(self.seat(), &self.read(more));
                let Err(MoveRefused::Broken(broken)) = refused else {
                    panic!("{refused:?}");
                };
                assert_eq!(broken.rule, first);
                assert_eq!(format!("{:?}", self.game), before);
            }
            "carried-out" => {
                let carried_out = self.game.play_broken(self.seat(), &self.read(rest));
                assert!(carried_out.is_some());
            }
            "forfeit" => {
                let why: Forfeit = read(&format!("{more:?}"));
                self.game.forfeit(read(first), why);
            }
            "view" => assert_eq!(view(self.game.as_ref(), read(first)).get(), more),
            "sees" => {
                let view = view(self.game.as_ref(), read(first));
                assert!(holds(&read(view.get()), &read(more)), "{view}");
            }
            "spelled" => {
                let spelled = self.entry.spell_setup(&self.setup).expect("valid");
                assert_eq!(spelled.get(), rest);
            }
            "perft" => assert_eq!(self.game.perft(read(first)), read::<u64>(more)),
            _ => {
                let seen = self.report(word);
                assert!(holds(&seen, &read(rest)), "{seen}");
            }
        }
    }

    fn report(&self, word: &str) -> Value {
        let game = &self.game;
        let value = match word {
            "turn" => serde_json::to_value(game.to_move().first()),
            "moves" => serde_json::from_str(legal(game.as_ref(), self.seat()).get()),
            "move-count" => Ok(game.legal_moves(self.seat()).len().into()),
            "outcome" => serde_json::to_value(game.outcome()),
            "measure" => serde_json::to_value(game.measure()),
            "notes" => serde_json::to_value(game.frame().notes),
            "obeys-in-part" => Ok(game.carries_out_broken_moves().into()),
            _ => panic!("no such line"),
        };
        value.expect("plain data")
    }
}

/// The lines that compare nothing.
const DEEDS: &str = "setup picture draw again play to-the-end plays carried-out forfeit";

fn plays_its_scenes(slug: &str, scenes_min: usize) {
    let entry = judge_engines::game(slug).expect("registered");
    let text = testdata(entry, "scenes.txt");
    assert!(text.split("\n\n").count() >= scenes_min);
    for scene in text.split("\n\n") {
        let mut lines = scene.lines().filter(|line| !line.starts_with('#'));
        let name = lines.next().expect("a name");
        println!("{name}");
        let compares = |line: &str| {
            let word = line.split(' ').next();
            DEEDS.split(' ').all(|deed| word != Some(deed))
        };
        assert!(compares(name), "no name");
        assert!(lines.clone().any(compares), "nothing is compared");
        let mut stage: Option<Stage> = None;
        for line in lines {
            println!("{line}");
            let mut starts = ["setup ", "picture ", "draw "].iter();
            if starts.any(|word| line.starts_with(word)) {
                stage = Some(Stage::start(entry, line));
            } else {
                stage.as_mut().expect("a setup comes first").step(line);
            }
        }
    }
}

#[test]
fn each_game_plays_its_scenes() {
    for (slug, scenes_min) in [
        ("catch-the-cat", 8),
        ("connect-four", 4),
        ("crazy-camel", 8),
        ("monkey-metal-man", 16),
        ("reversi", 6),
    ] {
        plays_its_scenes(slug, scenes_min);
    }
}
