//! The built-in games, served by the referee in this process, against themselves.

use crate::external::check::{self, Checked};
use crate::external::{Connect, GameProgram, Server, open};
use crate::service::Service;
use engines::{Forfeit, GameInfo, Palette, Seat};
use model::artifact::Artifact;
use rand::{Rng, RngExt};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rulebook::JudgeError;
use rulebook::rules::{Position, Rules};
use std::fmt::Debug;
use std::sync::Arc;

/// Serves a built-in game without a process.
#[derive(Debug)]
struct Served(Arc<dyn Rules>);

impl Connect for Served {
    fn connect(&self) -> Result<Box<dyn Server>, JudgeError> {
        Ok(Box::new(InProcess(Service::new(Arc::clone(&self.0), None))))
    }
}

struct InProcess(Service);

impl Server for InProcess {
    fn ask(
        &mut self,
        request: &[u8],
        answer: &mut Vec<u8>,
    ) -> Result<Result<(), String>, JudgeError> {
        self.0.answer(request, answer)?;
        assert_eq!(answer.pop(), Some(b'\n'));
        Ok(Ok(()))
    }
}

pub(crate) fn artifact() -> Artifact {
    let nothing = r#"{"hash":"","directory":"","program":"","args":[],"without_paths":false,
        "forks":false,"toolchains":[],"versions":[]}"#;
    serde_json::from_str(nothing).expect("an artifact")
}

fn opened(connect: impl Connect + 'static) -> Arc<dyn Rules> {
    let program = GameProgram {
        artifact: artifact(),
        connect: Arc::new(connect),
        place: None,
    };
    open(program).expect("it says what it must")
}

fn served(native: &Arc<dyn Rules>) -> Arc<dyn Rules> {
    opened(Served(Arc::clone(native)))
}

/// A position of a game of our own, and the same over the wire.
struct Both {
    native: Box<dyn Position>,
    external: Box<dyn Position>,
}

impl Both {
    fn same<T: Debug>(&self, what: &str, read: impl Fn(&dyn Position) -> T) -> T {
        let [native, external] = [read(&*self.native), read(&*self.external)];
        assert_eq!(format!("{native:?}"), format!("{external:?}"), "{what}");
        native
    }

    fn both<T: Debug>(&mut self, what: &str, mut act: impl FnMut(&mut dyn Position) -> T) -> T {
        let [native, external] = [act(&mut *self.native), act(&mut *self.external)];
        assert_eq!(format!("{native:?}"), format!("{external:?}"), "{what}");
        native
    }

    fn compare(&self, rng: &mut ChaCha8Rng) -> Vec<(Seat, Vec<String>)> {
        let to_move = self.same("to move", |game| game.to_move().expect("it answers"));
        self.same("outcome", |game| game.outcome().expect("it answers"));
        let seats = self.same("seats", |game| game.seats().expect("it answers"));
        for seat in (0..seats).map(Seat::new) {
            self.same("view", |game| {
                let mut view = Vec::new();
                game.write_view(seat, &mut view).expect("it answers");
                view
            });
        }
        if rng.random_ratio(1, 4) {
            self.same("frame", |game| game.frame().expect("it answers"));
            self.same("measure", |game| game.measure().expect("it answers"));
            self.same("points", |game| game.points_range().expect("it answers"));
            self.same("seen", |game| game.seen(Seat::new(0)).expect("it answers"));
        }
        let legal = |seat| self.same("legal", |game| game.legal_moves(seat).expect("it answers"));
        to_move.iter().map(|seat| (seat, legal(seat))).collect()
    }

    /// Plays a random turn: mostly a legal move.
    fn turn(&mut self, legal: &[(Seat, Vec<String>)], rng: &mut ChaCha8Rng) {
        let (seat, moves) = &legal[rng.random_range(..legal.len())];
        let mv = &moves[rng.random_range(..moves.len())];
        match rng.random_range(..40_u8) {
            0 => drop(self.both("forfeit", |game| game.forfeit(*seat, Forfeit::Illegal))),
            1 => {
                let wrong = ["\"resign\"", "-1", "[0,0]", "{\"a\":1}", "1.5", "\"pass\""];
                let wrong = wrong[rng.random_range(..wrong.len())];
                let _ = self.both(wrong, |game| game.play(*seat, wrong).expect("it answers"));
                self.both(wrong, |game| {
                    game.play_broken(*seat, wrong).expect("it answers")
                });
            }
            2 => {
                let copied = |game: &mut Box<dyn Position>| *game = game.copy().expect("a copy");
                copied(&mut self.native);
                copied(&mut self.external);
            }
            _ => {
                let typed = self.same("spelled", |game| game.spell(*seat, mv).expect("it answers"));
                let _ = self.same("read", |game| game.read(*seat, &typed).expect("it answers"));
                self.both(mv, |game| game.play(*seat, mv).expect("it answers"))
                    .expect("it is legal");
            }
        }
    }
}

#[test]
fn every_built_in_game_equals_its_wire_version() {
    for native in rulebook::rules::built_in() {
        let external = served(&native);
        let slug = native.info().slug;
        let facts = |rules: &dyn Rules| {
            let config = rules.configure("{}").expect("the defaults").to_string();
            // A program does not tell the rest.
            let known = GameInfo {
                notation: external.info().notation,
                palette: Palette::PLAIN,
                variants: &[],
                protocol: "",
                courses: &[],
                kits: &[],
                ..*rules.info()
            };
            format!("{known:?} {config}")
        };
        assert_eq!(facts(&*native), facts(&*external));
        let refused = |rules: &dyn Rules| {
            format!(
                "{:?}",
                rules.configure("{\"no_such\":1}").expect_err("unknown")
            )
        };
        assert_eq!(refused(&*native), refused(&*external));
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        for game in 0..6 {
            let config = native.configure("{}").expect("the defaults");
            let seed = rng.next_u64();
            let [setup, same] = [&native, &external].map(|rules| {
                let setup = rules.draw(&config, seed).expect("a setup");
                assert_eq!(rules.spell_setup(&setup).expect("valid").get(), setup.get());
                setup
            });
            assert_eq!(setup.get(), same.get(), "{slug} {game}");
            let mut both = Both {
                native: native.start(&setup).expect("a start"),
                external: external.start(&setup).expect("a start"),
            };
            loop {
                let legal = both.compare(&mut rng);
                if legal.is_empty() {
                    break;
                }
                both.turn(&legal, &mut rng);
            }
        }
    }
}

#[test]
fn every_built_in_game_passes_external_check() {
    for native in rulebook::rules::built_in() {
        let config = native.configure("{}").expect("the defaults");
        let others = [&native, &served(&native)].map(|rules| [Arc::clone(rules), served(&native)]);
        for [probed, plain] in &others {
            let checked = Checked {
                probed: &**probed,
                plain: &**plain,
                config: &config,
            };
            let mut reported = Vec::new();
            let report = check::check(checked, 1, 12, &|| 0, &mut |games| {
                reported.push(games);
                true
            });
            let report = report.expect("the machine works");
            assert!(report.findings.is_empty(), "{:?}", report.findings);
            assert_eq!((report.games, reported), (12, vec![10, 12]));
            assert!(report.draws && report.plies > 0);
            let stopped = check::check(checked, 1, 12, &|| 0, &mut |_| false);
            assert_eq!(stopped.expect("the machine works").games, 10);
        }
    }
}

/// A game of two seats in turn that never ends by itself, and what its `about` says of the limit.
#[derive(Clone, Debug)]
struct Endless(&'static str, u64);

impl Connect for Endless {
    fn connect(&self) -> Result<Box<dyn Server>, JudgeError> {
        Ok(Box::new(self.clone()))
    }
}

impl Server for Endless {
    fn ask(
        &mut self,
        request: &[u8],
        answer: &mut Vec<u8>,
    ) -> Result<Result<(), String>, JudgeError> {
        let is = |kind: &str| request.starts_with(format!("{{\"{kind}\"").as_bytes());
        self.1 += u64::from(is("play"));
        let (at_limit, seat) = (self.0, self.1 % 2);
        let text = if is("about") {
            format!(
                r#"{{"about":{{"protocol":1,"game":"e","title":"E","rules_version":1,"roles":["a","b"],"plies_max":3{at_limit}}}}}"#
            )
        } else {
            format!(
                r#"{{"position":{{"session":1,"to_move":[{{"seat":{seat},"view":0,"legal":[0]}}]}}}}"#
            )
        };
        answer.extend_from_slice(text.as_bytes());
        Ok(Ok(()))
    }
}

#[test]
fn a_game_ends_at_its_limit() {
    for (at_limit, fails, complains) in [
        ("", false, true),
        (r#","at_limit":"draw""#, false, false),
        (r#","at_limit":"rules""#, true, false),
    ] {
        let rules = opened(Endless(at_limit, 0));
        let setup = serde_json::value::RawValue::from_string("0".to_owned()).expect("JSON");
        let mut game = rules.start(&setup).expect("a start");
        for ply in 0..2 {
            let _ = game.play(Seat::new(ply), "0").expect("it answers");
            assert!(game.outcome().expect("known").is_none(), "{ply}");
        }
        let last = game.play(Seat::new(0), "0");
        assert_eq!(last.is_err(), fails, "{at_limit}: {last:?}");
        if !fails {
            let outcome = game.outcome().expect("known").expect("it is over");
            assert_eq!(outcome.reason, "drawn at the limit of 3 plies");
            assert!(game.to_move().expect("known").is_empty());
        }
        assert_eq!(game.complaint().is_some(), complains, "{at_limit}");
    }
}
