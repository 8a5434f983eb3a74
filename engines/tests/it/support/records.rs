//! Recorded games: `testdata/<game>/games.jsonl` and, for one of them, the pictures of all
//! its positions in `frames.txt`; one form for all games.
//!
//! With `UPDATE_GOLDEN=1` in the environment the games are played anew and both files are
//! written; look at the difference before committing it.

use judge_engines::erased::AnyGame;
use judge_engines::{Entry, Notation, Outcome, Seat};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

/// The recorded games of one game.
pub(crate) struct Golden {
    /// The game.
    pub(crate) slug: &'static str,
    /// What was played, one line each.
    pub(crate) bouts: &'static [Bout],
    /// The bout whose pictures are recorded.
    pub(crate) pictured: usize,
    /// Draws a position as lines of text.
    pub(crate) picture: fn(&dyn AnyGame, &Notation) -> String,
}

/// A game between built-in bots: the settings that differ from the defaults, the bot of each
/// seat, the seed.
pub(crate) struct Bout(
    pub(crate) &'static str,
    pub(crate) &'static [&'static str],
    pub(crate) u64,
);

/// A finished game: one line of `games.jsonl`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Record {
    /// How it began.
    pub(crate) setup: Box<RawValue>,
    /// Who played what.
    pub(crate) turns: Vec<(Seat, Box<RawValue>)>,
    /// How it ended.
    pub(crate) outcome: Outcome,
}

impl Golden {
    /// Checks that the recorded games replay to their outcomes and pictures and that the bots
    /// still play them; gives the games.
    pub(crate) fn check(&self) -> Vec<Record> {
        let played: Vec<Record> = self.bouts.iter().map(|bout| self.play(bout)).collect();
        let lines = played.iter().map(|game| json(game) + "\n").collect();
        let text = self.recorded("games.jsonl", &lines);
        let games = text.lines().map(serde_json::from_str);
        let games: Vec<Record> = games.collect::<Result<_, _>>().expect("recorded games");
        let stories: Vec<String> = games.iter().map(|game| self.replay(game)).collect();
        assert!(text == lines, "the bots play other games than recorded");
        let story = &stories[self.pictured];
        let expected = self.recorded("frames.txt", story);
        let differs = expected.lines().zip(story.lines()).find(|(a, b)| a != b);
        assert_eq!(differs, None, "a line of frames.txt");
        assert!(&expected == story, "frames.txt is longer or shorter");
        games
    }

    fn entry(&self) -> &'static Entry {
        judge_engines::game(self.slug).expect("registered")
    }

    /// Reads a file of the test data; writes it first when told to.
    fn recorded(&self, file: &str, fresh: &String) -> String {
        let folder = self.slug.replace('-', "_");
        let path = [env!("CARGO_MANIFEST_DIR"), "testdata", &folder, file];
        let path: PathBuf = path.iter().collect();
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&path, fresh).expect("test data can be written");
        }
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    fn play(&self, Bout(settings, bots, seed): &Bout) -> Record {
        let config = self.entry().configure(settings).expect("allowed");
        let setup = self.entry().draw(&config, *seed).expect("allowed");
        let mut game = self.entry().start(&setup).expect("valid");
        let mut turns = Vec::new();
        while let Some(seat) = game.to_move().first() {
            let (mut view, mut legal) = (Vec::new(), Vec::new());
            game.write_view(seat, &mut view);
            game.write_legal_moves(seat, &mut legal);
            let [view, legal] =
                [view, legal].map(|bytes| raw(String::from_utf8(bytes).expect("text")));
            let seed = seed * 1000 + turns.len() as u64;
            let bot = bots[seat.index()];
            let mv = self.entry().choose(bot, seat, &view, &legal, seed);
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

    /// Replays a game to its outcome; gives the pictures of all positions, the first and the
    /// last included, with the moves between them.
    fn replay(&self, record: &Record) -> String {
        let notation = &self.entry().notation;
        let mut game = self.entry().start(&record.setup).expect("a recorded setup");
        let mut story = (self.picture)(game.as_ref(), notation);
        for (seat, mv) in &record.turns {
            assert!(game.to_move().contains(*seat), "{seat} is to move");
            let spelling = game.play(*seat, mv.get()).expect("a recorded move");
            assert_eq!(spelling, mv.get());
            let role = self.entry().info.roles[seat.index()];
            let picture = (self.picture)(game.as_ref(), notation);
            write!(story, "\n{role}: {mv}\n\n{picture}").expect("writing to memory");
        }
        assert_eq!(game.outcome().as_ref(), Some(&record.outcome));
        story
    }
}

fn raw(text: String) -> Box<RawValue> {
    RawValue::from_string(text).expect("JSON")
}

fn json(record: &Record) -> String {
    serde_json::to_string(record).expect("plain data")
}
