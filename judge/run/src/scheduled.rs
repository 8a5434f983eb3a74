//! A run with a list of games: everything that can be played is built and checked.

use crate::built::Built;
use crate::estimate::Trial;
use crate::event::{Sink, stage};
use crate::past_run::{fixtures_of, ids_of};
use crate::play::worker::Order;
use crate::spec::RunKind;
use crate::tournament::TournamentPlan;
use crate::{builtin, shown_draw};
use model::artifact::Artifact;
use model::competition::{Competition, Schedule};
use model::entrant::{Contestant, Entrant};
use model::fixture::Fixture;
use model::game_id::GameId;
use model::text::listed;
use report::PlayedRun;
use rulebook::nearest::did_you_mean;
use rulebook::rules::Rules;
use rulebook::{JudgeError, Result, refuse, schedule};
use sandbox::OpenRunCgroups;
use std::collections::HashSet;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use store::names::guess_warning;

/// A run with a list of games.
pub struct Scheduled {
    pub(crate) built: Built,
    /// The names of the seats, in order.
    pub roles: &'static [&'static str],
    /// The ids of all games, in the order that numbers them: by the entrants' names.
    pub ids: Vec<GameId>,
    /// Every game, in the order of play and of the kept output, which reveals no name.
    pub fixtures: Vec<Fixture>,
    filler: Option<Contestant>,
    /// Why nothing can be played yet, in a watch.
    pub(crate) unplayable: Option<JudgeError>,
}

impl Deref for Scheduled {
    type Target = Built;

    fn deref(&self) -> &Built {
        &self.built
    }
}

impl DerefMut for Scheduled {
    fn deref_mut(&mut self) -> &mut Built {
        &mut self.built
    }
}

/// Bytes of a game while it is played: its fixture, its place in the queue, its number.
const GAME_BYTES: usize = size_of::<Fixture>() + size_of::<&Fixture>() + size_of::<(GameId, u32)>();

impl Scheduled {
    pub(crate) fn as_played(&self) -> PlayedRun<'_> {
        PlayedRun {
            folder: &self.folder,
            manifest: &self.manifest,
            ids: &self.ids,
            games: self.journal.games(),
            keys: &self.keys,
        }
    }

    pub(crate) fn mark_shown(&mut self) -> Result {
        let Built {
            folder,
            manifest,
            keys,
            ..
        } = &mut self.built;
        shown_draw::mark_shown_alone(folder, manifest, keys).map(|_| ())
    }

    /// Returns the competition.
    pub fn competition(&self) -> &Competition {
        &self.manifest.competition
    }

    /// Returns the bytes that its games take while they are played, besides what tables need.
    pub const fn games_bytes(&self) -> u64 {
        (self.fixtures.len() * GAME_BYTES) as u64
    }

    /// Returns whether everything in the run's folder is removed afterwards, except programs.
    pub fn keeps_only_programs(&self) -> bool {
        self.traces.is_ours
    }

    fn players(&self) -> impl Iterator<Item = (&str, &Artifact)> {
        let filler = self.filler.iter().map(|one| (&*one.name, &one.artifact));
        let entrants = self.entrants.iter();
        let ready = entrants.filter_map(|one| Some((&*one.name, one.artifact()?)));
        ready.chain(filler)
    }

    pub(crate) fn artifacts(&self) -> Vec<Artifact> {
        let rules = rulebook::rules::of(&self.competition().conditions).ok();
        let game = rules.and_then(|rules| rules.program().cloned());
        let players = self.players().map(|(_, artifact)| artifact.clone());
        players.chain(game).collect()
    }

    pub(crate) fn order(&self) -> Order {
        Order {
            conditions: self.competition().conditions.clone(),
            artifacts: self.artifacts(),
            pin: None,
            isolation: self.isolation.clone(),
            run_cgroups: (self.run_cgroups.as_ref())
                .map(OpenRunCgroups::run_cgroups)
                .cloned(),
        }
    }

    /// Plays some missing games for at most `time_max` of wall time, or until `stop`; keeps none.
    pub fn try_out(
        &self,
        missing: &[&Fixture],
        time_max: Duration,
        stop: &AtomicBool,
    ) -> Result<Trial> {
        let machine = &self.spec.machine;
        let plan = TournamentPlan {
            pin: machine.pins,
            ..TournamentPlan::new(self.order(), machine.jobs)
        };
        Trial::play(plan, missing, self.manifest.draw.resamples, time_max, stop)
    }

    /// Returns lines that describe how programs are sandboxed and started.
    pub fn machinery(&self) -> Vec<String> {
        let conditions = &self.competition().conditions;
        let starts = self.starts();
        vec![
            self.isolation.announce(conditions.processes),
            self.isolation.announce_channels(),
            match conditions.startup_words() {
                Some(words) => format!("{starts}; {words}"),
                None => starts,
            },
        ]
    }

    fn starts(&self) -> String {
        if !self.isolation.starts_warm() || self.competition().conditions.processes {
            return "starts: each in a new sandbox; the results are the same, and starts take longer"
                .to_owned();
        }
        let mut starts = Vec::new();
        for (start, forks) in [
            ("as copies of a loaded program", true),
            ("from their files", false),
        ] {
            let players = self.players().filter(|(_, it)| it.forks == forks);
            let names: Vec<&str> = players.map(|(name, _)| name).collect();
            if !names.is_empty() {
                starts.push(format!("{start}: {}", listed(&names)));
            }
        }
        format!(
            "starts: in sandboxes that stay ready (warm cages), {}",
            starts.join("; ")
        )
    }

    /// Returns a note if all initial states are the same.
    pub fn note_on_states(&self) -> Option<String> {
        let states = self.competition().states;
        let setups: HashSet<&str> = self.fixtures.iter().map(|f| f.setup.get()).collect();
        (setups.len() == 1 && states > 1).then(|| {
            format!(
                "note: all {states} initial states are the same, so deterministic bots only repeat \
                 the same games (--set changes the game's settings, which judge competition GAME lists under [config])"
            )
        })
    }
}

impl Built {
    /// Lists the games.
    pub fn schedule(mut self, sink: &dyn Sink) -> Result<Scheduled> {
        let is_watched = self.spec.kind == RunKind::Watched;
        let roles = schedule::roles(&self.manifest.competition)?;
        // In a watch, the entrant may still come.
        if !is_watched {
            check_clock_names(&self.manifest.competition, &self.entrants)?;
        }
        let (filler, unplayable) = match self.filler(roles.len(), sink) {
            Ok(filler) => (filler, None),
            // Others may come.
            Err(unplayable @ JudgeError::Input(_)) if is_watched => (None, Some(unplayable)),
            Err(error) => return Err(error),
        };
        shown_draw::mark_late(&self.keys, &mut self.manifest, self.spec.on_shown_draw)?;
        sink.detail(&self.manifest.draw.words());
        sink.notes(self.isolation.warning());
        let warning = guess_warning(&self.manifest);
        sink.notes(warning.filter(|_| self.spec.kind != RunKind::Compared));
        self.manifest.filler = filler.as_ref().map(Contestant::participant);
        let (ids, fixtures) = stage(sink, "listing the games", || match unplayable {
            None => {
                let ids = ids_of(&self.manifest, &self.keys)?;
                let fixtures = fixtures_of(&self.manifest, &self.keys, &ids)?;
                Ok((ids, fixtures))
            }
            Some(_) => Ok(Default::default()),
        })?;
        if self.spec.kind != RunKind::TriedOut {
            self.traces.keep();
        }
        Ok(Scheduled {
            built: self,
            roles,
            ids,
            fixtures,
            filler,
            unplayable,
        })
    }

    /// Returns an unranked built-in bot for the seats that nobody takes, if there are any.
    fn filler(&self, seats: usize, sink: &dyn Sink) -> Result<Option<Contestant>> {
        let competition = &self.manifest.competition;
        let rules = rulebook::rules::of(&competition.conditions)?;
        let ready = self.entrants.iter().filter(|one| one.artifact().is_some());
        let names: Vec<&str> = ready.map(|one| one.name.as_str()).collect();
        check_opponents(competition, &self.entrants, &names)?;
        check_entrant_count(&*rules, competition, &names, (self.entrants.len(), seats))?;
        if competition.schedule != Schedule::Groups || seats <= names.len() {
            return Ok(None);
        }
        let filler = builtin::filler(&*rules, &self.folder, self.has_begun())?;
        sink.note(&format!(
            "{} fills the empty seats and is not ranked",
            filler.name
        ));
        Ok(Some(filler))
    }
}

fn check_clock_names(competition: &Competition, entrants: &[Entrant]) -> Result {
    let names = || entrants.iter().map(|one| one.name.as_str());
    let mut clocks = competition.conditions.clocks.keys();
    let Some(unknown) = clocks.find(|clock| names().all(|name| name != *clock)) else {
        return Ok(());
    };
    refuse(format!(
        "[clock.entrants.{unknown}]: no entrant has this name{}; correct it, or remove the table",
        did_you_mean(unknown, names())
    ))
}

/// Entrants that a prize must be ahead of count as opponents.
fn check_opponents(competition: &Competition, entrants: &[Entrant], ready: &[&str]) -> Result {
    let ahead_of = &competition.scoring.prize_needs.ahead_of;
    let is_missing = |name: &&String| !ready.contains(&name.as_str());
    for (what, missing, key) in [
        (
            "the competition is played against",
            competition.opponents().find(is_missing),
            "against",
        ),
        (
            "a prize requires being ahead of",
            ahead_of.iter().find(is_missing),
            "ahead_of",
        ),
    ] {
        if let Some(name) = missing {
            return refuse(format!(
                "{what} {name}, which is missing or cannot play; add it to the submissions, or change `{key}`"
            ));
        }
    }
    let is_too_late = |one: &&Entrant| one.timing.is_some_and(|it| it.is_too_late());
    let mut late = entrants.iter().filter(is_too_late);
    if let Some(one) = late.find(|one| ahead_of.contains(&one.name)) {
        return refuse(format!(
            "a prize requires being ahead of {}, which was received too late and has no rank; give it an `extension` \
             in the roster, or change `ahead_of`",
            one.name
        ));
    }
    Ok(())
}

/// In games for more than two, a built-in bot takes empty seats. Opponents are not ranked.
fn check_entrant_count(
    rules: &dyn Rules,
    competition: &Competition,
    ready: &[&str],
    (entrants, seats): (usize, usize),
) -> Result {
    let scoring = &competition.scoring;
    let tests = scoring
        .prize_needs
        .ahead_of
        .iter()
        .filter(|name| scoring.is_prize_test(name));
    let opponents: Vec<&str> = competition
        .opponents()
        .chain(tests)
        .map(String::as_str)
        .collect();
    let is_ranked = |name: &&&str| !opponents.contains(*name);
    let ranked = ready.iter().filter(is_ranked).count();
    let self_play = competition.schedule.self_play();
    let one_is_enough = self_play || !opponents.is_empty() || seats > 2;
    let least = if one_is_enough { 1 } else { 2 };
    if ranked >= least {
        return Ok(());
    }
    let known: Vec<String> = builtin::names(rules)
        .into_iter()
        .map(|name| format!("{}{name}", model::builtin::PREFIX))
        .filter(|name| !opponents.contains(&name.as_str()))
        .map(|name| format!("--with {name}"))
        .collect();
    let besides = match &*opponents {
        [] => String::new(),
        opponents => format!(" against {}", opponents.join(", ")),
    };
    let known = known.join(", ");
    refuse(if (entrants, ranked) == (1, 1) {
        format!(
            "there is only 1 entrant, but a tournament needs {least}; add a submission, or a built-in bot ({known})"
        )
    } else {
        format!(
            "only {ranked} of the entrants can play{besides}, but a tournament needs {least}; fix the others, or \
             enter built-in bots ({known})"
        )
    })
}
