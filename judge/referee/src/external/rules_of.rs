use super::about::About;
use super::answer::{self, Answer};
use super::position::ExternalPosition;
use super::{Connect, Route, refused};
use engines::{CourseText, GameInfo, Kit, Measure, Notation, Palette, Refused, Seat, plain};
use model::artifact::Artifact;
use model::fixture::PliesLimit;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rulebook::JudgeError;
use rulebook::rules::{Position, Rules, RulesError};
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A game's program, and how it is reached.
#[derive(Debug)]
pub struct GameProgram {
    /// The program. Its hash is part of the game's identity.
    pub artifact: Artifact,
    /// Starts it.
    pub connect: Arc<dyn Connect>,
    /// The file or folder that it was read from; none for a run's copy.
    pub place: Option<PathBuf>,
}

#[derive(Debug)]
struct ExternalRules {
    about: Arc<About>,
    artifact: Artifact,
    place: Option<PathBuf>,
    route: Route,
    /// The setups drawn so far, by configuration and seed: a schedule is made more than once, and each
    /// time has the same games.
    drawn: Mutex<HashMap<(String, u64), Box<RawValue>>>,
}

/// Starts a game's program, and asks it about its game.
pub fn open(program: GameProgram) -> Result<Arc<dyn Rules>, JudgeError> {
    static OPENED: AtomicU64 = AtomicU64::new(0);
    let mut route = Route {
        game: "this game".to_owned(),
        number: OPENED.fetch_add(1, Ordering::Relaxed),
        connect: program.connect,
    };
    let connection = route.connection()?;
    let request = "{\"about\":{}}";
    let about = connection
        .ask(request, |answer| match answer {
            Answer::About(about) => About::read(about.get()),
            _ => Err("its answer is not about the game".to_owned()),
        })?
        .map_err(|refused| {
            connection.fail(&engines::quote::safe_sentence(&refused.message), request)
        })?;
    about.info.slug.clone_into(&mut route.game);
    connection.rename(about.info.slug);
    Ok(Arc::new(ExternalRules {
        about: Arc::new(about),
        artifact: program.artifact,
        place: program.place,
        route,
        drawn: Mutex::default(),
    }))
}

impl ExternalRules {
    fn setup_of(&self, opening: &str) -> Result<Box<RawValue>, RulesError> {
        let connection = self.route.connection()?;
        let request = format!("{{\"position\":{{{opening}}}}}");
        connection
            .ask(&request, |answer| {
                let setup = answer.position()?.setup.ok_or("its answer has no setup")?;
                answer::check(setup.get())
                    .map_err(|reason| format!("its setup has {reason}"))?;
                Ok(setup.to_owned())
            })?
            .map_err(|refusal| refused(&connection, &refusal, &["config", "setup"], &request))
    }
}

impl Rules for ExternalRules {
    fn info(&self) -> &GameInfo {
        &self.about.info
    }

    fn program(&self) -> Option<&Artifact> {
        Some(&self.artifact)
    }

    fn place(&self) -> Option<&Path> {
        self.place.as_deref()
    }

    fn limit(&self) -> Option<PliesLimit> {
        Some(self.about.limit)
    }

    fn notation(&self) -> &Notation {
        &self.about.notation
    }

    fn protocol(&self) -> &'static str {
        ""
    }

    fn courses(&self) -> &'static [CourseText] {
        &[]
    }

    fn kits(&self) -> &'static [Kit] {
        &[]
    }

    fn palette(&self) -> &Palette {
        &Palette::PLAIN
    }

    fn measure(&self) -> Option<&Measure> {
        self.about.measure.as_ref()
    }

    fn baselines(&self) -> Vec<(&str, &str)> {
        vec![RANDOM]
    }

    fn configure(&self, settings: &str) -> Result<Box<RawValue>, RulesError> {
        if !self.about.knows("config") {
            let plain: serde_json::Map<String, serde_json::Value> =
                serde_json::from_str(settings).map_err(|e| Refused::because(e.to_string()))?;
            return match plain.keys().next() {
                None => Ok(self.about.config.clone()),
                Some(key) => Err(Refused::because(format!("unknown setting {key}")).into()),
            };
        }
        let connection = self.route.connection()?;
        // Numbers in settings may be fractions.
        let settings: serde_json::Value = plain::read(settings).map_err(Refused)?;
        let request = format!("{{\"config\":{{\"settings\":{settings}}}}}");
        connection
            .ask(&request, |answer| match answer {
                Answer::Config(config) => Ok(config.to_owned()),
                _ => Err("its answer is no config".to_owned()),
            })?
            .map_err(|refusal| refused(&connection, &refusal, &["config"], &request))
    }

    fn draw(&self, config: &RawValue, seed: u64) -> Result<Box<RawValue>, RulesError> {
        let key = (config.get().to_owned(), seed);
        let known = || self.drawn.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(setup) = known().get(&key) {
            return Ok(setup.clone());
        }
        let opening = format!("\"seed\":{seed},\"config\":{config},\"want\":[]");
        let setup = self.setup_of(&opening)?;
        known().insert(key, setup.clone());
        Ok(setup)
    }

    fn spell_setup(&self, setup: &RawValue) -> Result<Box<RawValue>, RulesError> {
        if self.about.knows("setup") {
            return self.setup_of(&format!("\"setup\":{setup},\"want\":[\"setup\"]"));
        }
        // To reach the position is to check the setup.
        self.start(setup)?;
        Ok(setup.to_owned())
    }

    fn start(&self, setup: &RawValue) -> Result<Box<dyn Position>, RulesError> {
        let connection = self.route.connection()?;
        let started = ExternalPosition::start(&connection, &self.about, setup)?;
        Ok(Box::new(started))
    }

    fn choose(
        &self,
        baseline: &str,
        _: Seat,
        _: &RawValue,
        legal: &RawValue,
        seed: u64,
    ) -> Result<String, RulesError> {
        if self.baselines().iter().any(|(name, _)| *name == baseline) {
            return Ok(choose_any(legal, seed)?);
        }
        let slug = self.about.info.slug;
        Err(Refused(format!("{slug} has no bot named {baseline}")).into())
    }
}

const RANDOM: (&str, &str) = ("random", "plays a uniformly random legal move");

/// Chooses one of the moves in `legal`, a JSON list, by a seed. Returns it as JSON.
pub fn choose_any(legal: &RawValue, seed: u64) -> Result<String, Refused> {
    let legal: Vec<&RawValue> = plain::read(legal.get()).map_err(Refused)?;
    if legal.is_empty() {
        return Err(Refused::because("there is no legal move to choose from"));
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    Ok(legal[rng.random_range(..legal.len())].get().to_owned())
}
