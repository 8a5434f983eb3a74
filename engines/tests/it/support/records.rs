//! Recorded games, in one form for all games. `testdata/<game>/bouts.jsonl` lists the games to
//! play, and `games.jsonl` the games as played. `frames.txt` has the pictures of all positions of
//! one of the games.
//!
//! With `UPDATE_GOLDEN=1` in the environment, the games are played anew and the last two files are
//! written. Look at the difference before you commit it:
//!
//! ```sh
//! UPDATE_GOLDEN=1 cargo test -p judge-engines --test it recorded_games
//! ```

use judge_engines::erased::AnyGame;
use judge_engines::{Entry, Outcome, Seat};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

pub(crate) struct Golden {
    entry: &'static Entry,
    bouts: Vec<Bout>,
}

/// A game between built-in bots: one line of `bouts.jsonl`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Bout {
    /// The settings that differ from the defaults.
    config: Box<RawValue>,
    bots: Vec<String>,
    seed: u64,
    #[serde(default)]
    pictured: bool,
}

/// A finished game: one line of `games.jsonl`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Record {
    /// The initial state.
    pub(crate) setup: Box<RawValue>,
    pub(crate) turns: Vec<(Seat, Box<RawValue>)>,
    pub(crate) outcome: Outcome,
}

impl Golden {
    pub(crate) fn of(entry: &'static Entry) -> Self {
        let path = path(entry, "bouts.jsonl");
        let text = fs::read_to_string(&path);
        let text = text.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let bouts = text.lines().map(serde_json::from_str);
        let bouts: Vec<Bout> = bouts.collect::<Result<_, _>>().expect("bouts");
        assert!(bouts.len() > 5, "{entry:?}: several games are recorded");
        Self { entry, bouts }
    }

    pub(crate) fn games(slug: &str) -> Vec<Record> {
        let entry = judge_engines::game(slug).expect("registered");
        let text = fs::read_to_string(path(entry, "games.jsonl")).expect("recorded games");
        let games = text.lines().map(serde_json::from_str);
        games.collect::<Result<_, _>>().expect("recorded games")
    }

    /// Checks that the recorded games replay to their outcomes and pictures, and that the bots
    /// still play them.
    pub(crate) fn check(&self) {
        let played: Vec<Record> = self.bouts.iter().map(|bout| self.play(bout)).collect();
        let lines = played.iter().map(|game| json(game) + "\n").collect();
        let text = self.recorded("games.jsonl", &lines);
        let games = text.lines().map(serde_json::from_str);
        let games: Vec<Record> = games.collect::<Result<_, _>>().expect("recorded games");
        let stories: Vec<String> = games.iter().map(|game| self.replay(game)).collect();
        assert!(text == lines, "{:?}: the bots play other games", self.entry);
        let pictured = self.bouts.iter().position(|bout| bout.pictured);
        let story = &stories[pictured.expect("one is pictured")];
        let expected = self.recorded("frames.txt", story);
        let differs = expected.lines().zip(story.lines()).find(|(a, b)| a != b);
        assert_eq!(differs, None, "{:?}: a line of frames.txt", self.entry);
        assert!(&expected == story, "frames.txt is longer or shorter");
    }

    /// Reads a file of the test data. Writes it first if the environment asks for it.
    fn recorded(&self, file: &str, fresh: &String) -> String {
        let path = path(self.entry, file);
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&path, fresh).expect("test data can be written");
        }
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    fn play(&self, bout: &Bout) -> Record {
        let Bout {
            config, bots, seed, ..
        } = bout;
        let config = self.entry.configure(config.get()).expect("allowed");
        let setup = self.entry.draw(&config, *seed).expect("allowed");
        let mut game = self.entry.start(&setup).expect("valid");
        let mut turns = Vec::new();
        while let Some(seat) = game.to_move().first() {
            let (mut view, mut legal) = (Vec::new(), Vec::new());
            game.write_view(seat, &mut view);
            game.write_legal_moves(seat, &mut legal);
            let [view, legal] =
                [view, legal].map(|bytes| raw(String::from_utf8(bytes).expect("text")));
            let seed = seed * 1000 + turns.len() as u64;
            let name = &bots[seat.index()];
            let mv = self.entry.choose(name, seat, &view, &legal, seed);
            let mv = mv.expect("a bot that reads the view");
            game.play(seat, &mv).expect("a legal move");
            turns.push((seat, raw(mv)));
        }
        Record {
            setup,
            turns,
            outcome: game.outcome().expect("over"),
        }
    }

    /// Replays a game to its outcome. Returns the pictures of all positions, including the first
    /// and the last, with the moves between them.
    fn replay(&self, record: &Record) -> String {
        let mut game = self.entry.start(&record.setup).expect("a recorded setup");
        let mut story = self.picture(game.as_ref());
        for (seat, mv) in &record.turns {
            assert!(game.to_move().contains(*seat), "{seat} is to move");
            let spelling = game.play(*seat, mv.get()).expect("a recorded move");
            assert_eq!(spelling, mv.get());
            let role = self.entry.info.roles[seat.index()];
            let picture = self.picture(game.as_ref());
            write!(story, "\n{role}: {mv}\n\n{picture}").expect("writing to memory");
        }
        assert_eq!(game.outcome().as_ref(), Some(&record.outcome));
        story
    }

    /// Draws a position. If not everybody sees everything, also draws the view of the seat to move.
    fn picture(&self, game: &dyn AnyGame) -> String {
        let notation = &self.entry.notation;
        let frame = game.frame();
        assert_eq!(frame.cells.chars().count(), frame.width * frame.height);
        let mut text = judge_engines::picture(&frame, notation);
        let hidden = !frame.visible.is_empty();
        if let Some(seat) = game.to_move().first().filter(|_| hidden) {
            let seen = judge_engines::picture(&game.seen(seat), notation);
            write!(text, "{seat} sees:\n{seen}").expect("writing to memory");
        }
        text
    }
}

fn path(entry: &Entry, file: &str) -> PathBuf {
    let folder = entry.info.slug.replace('-', "_");
    let path = [env!("CARGO_MANIFEST_DIR"), "testdata", &folder, file];
    path.iter().collect()
}

fn raw(text: String) -> Box<RawValue> {
    RawValue::from_string(text).expect("JSON")
}

fn json(record: &Record) -> String {
    serde_json::to_string(record).expect("plain data")
}
