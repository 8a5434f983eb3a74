//! Texts about a match, and the sink that counts it, shows it, and ends it at its verdict.

use crate::cli::run_output;
use crate::progress::{Stages, Versus, signed};
use crate::terminal::joined;
use model::numbers::{count, counted};
use model::points::Points;
use rulebook::scoring::{Comparison, Estimate, Finding, Sprt};
use run::{RunEvent, Sink, lock};
use serde::Serialize;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The state of a match, for programs. docs/scripts.md describes the fields.
#[derive(Serialize)]
pub(super) struct MatchState<'a> {
    new: &'a str,
    old: &'a str,
    decision: Option<&'static str>,
    pairs: u64,
    games: usize,
    wins: u64,
    draws: u64,
    losses: u64,
    pentanomial: Option<[u64; 5]>,
    elo: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    los: Option<f64>,
    llr: f64,
    bounds: [f64; 2],
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
}

pub(super) fn state(of: &Comparison) -> MatchState<'_> {
    let (paired, test, tally) = (&of.paired, &of.test, of.totals[0].tally);
    let estimate = test.unit.estimate(paired);
    let interval = estimate.filter(|_| !paired.has_no_variance());
    let (lower, upper) = test.bounds();
    MatchState {
        new: &of.names[0],
        old: &of.names[1],
        decision: of.finding().map(|finding| match finding {
            Finding::Better => "better",
            Finding::Worse => "worse",
            Finding::NotWorse => "not-worse",
            Finding::NoSign => "no-sign",
        }),
        pairs: paired.count(),
        games: of.games,
        wins: tally.wins,
        draws: tally.draws,
        losses: tally.losses,
        pentanomial: of.is_direct().then(|| paired.pentanomial()),
        elo: estimate.map(|estimate| estimate.value),
        low: interval.map(|estimate| estimate.low),
        high: interval.map(|estimate| estimate.high),
        los: paired.estimate().map(|_| paired.los()),
        llr: of.llr,
        bounds: [lower, upper],
        elo0: test.null,
        elo1: test.alternative,
        alpha: test.alpha,
        beta: test.beta,
    }
}

fn line(of: &Comparison) -> String {
    let [pairs, result, gain, sure, llr] = facts(of);
    format!("{pairs}: {result}; {gain}; {sure}; {llr}")
}

/// Returns the pairs, the results, the gain of the new side, its likelihood, and the test's progress.
pub(super) fn facts(of: &Comparison) -> [String; 5] {
    let pairs = format!(
        "{} ({})",
        counted(of.paired.count(), unit(of)),
        counted(of.games as u64, "game")
    );
    let (lower, upper) = of.test.bounds();
    let llr = signed(of.llr, 2);
    let Sprt {
        null, alternative, ..
    } = of.test;
    [
        pairs,
        result(of),
        gain(of),
        match of.paired.estimate() {
            Some(_) => format!("LOS {:.1} %", 100.0 * of.paired.los()),
            None => "LOS: too few games yet".to_owned(),
        },
        format!("LLR {llr} ({lower:.2} to {upper:.2}) [{null}, {alternative}]"),
    ]
}

fn unit(of: &Comparison) -> &'static str {
    if of.is_direct() {
        "pair"
    } else {
        "initial state"
    }
}

fn result(of: &Comparison) -> String {
    if of.is_direct() {
        let tally = of.totals[0].tally;
        return format!(
            "{} {} won, {} drawn, {} lost",
            of.names[0],
            count(tally.wins),
            count(tally.draws),
            count(tally.losses)
        );
    }
    let sides = of.names.iter().zip(&of.totals).map(|(name, side)| {
        let percent = side.score.times(100, side.tally.games);
        format!("{name} scored {percent:.1} %")
    });
    joined(sides, ", ")
}

fn gain(of: &Comparison) -> String {
    match of.test.unit.estimate(&of.paired) {
        None => "Elo: too few games yet".to_owned(),
        Some(Estimate { value, .. }) if value.is_infinite() => {
            let all = if value > 0.0 { "wins" } else { "losses" };
            format!("Elo {}: nothing but {all}", signed(value, 0))
        }
        Some(Estimate { value, .. }) if of.paired.has_no_variance() => format!(
            "Elo {}: no interval, because all {}s ended alike",
            signed(value, 0),
            unit(of)
        ),
        Some(Estimate { value, low, high }) => {
            let [value, low, high] = [value, low, high].map(|elo| signed(elo, 0));
            format!("Elo {value} (95 %: {low} to {high})")
        }
    }
}

pub(super) fn verdict(of: &Comparison) -> String {
    let [new, old] = &of.names;
    let estimate = of.test.unit.estimate(&of.paired);
    match of.finding() {
        Some(Finding::NotWorse) => {
            let elo = of.test.null.abs();
            format!("{new} is not worse than {old} by {elo} Elo or more")
        }
        Some(Finding::Better) => format!("{new} is better than {old}{}", by_signs(of)),
        Some(Finding::Worse) => format!("{new} is worse than {old}{}", by_signs(of)),
        Some(Finding::NoSign) => {
            let worse = if estimate.is_some_and(|estimate| estimate.high < 0.0) {
                "; it is probably worse"
            } else {
                ""
            };
            let elo = of.test.alternative.abs();
            format!("no sign that {new} is better than {old} by {elo} Elo or more{worse}")
        }
        None => {
            let pairs = counted(of.paired.count(), unit(of));
            format!("undecided after {pairs}")
        }
    }
}

fn by_signs(of: &Comparison) -> String {
    if of.accepted.is_some() {
        return String::new();
    }
    let (better, worse) = of.paired.signs();
    let (most, all, unit) = (better.max(worse), better + worse, unit(of));
    let side = &of.names[usize::from(worse > better)];
    let chance = 100.0 * of.paired.sign_test_p_value();
    format!(
        " ({most} of {all} {unit}s without a tie; luck alone gives {side} as many in {chance:.1} % of matches)"
    )
}

pub(super) fn headline(of: &Comparison) -> String {
    let old = &of.names[1];
    if of.games == 0 {
        return format!("No {} has been played yet", unit(of));
    }
    let clause = match of.finding() {
        Some(Finding::Better | Finding::Worse) => "that is more than luck".to_owned(),
        Some(Finding::NoSign) if is_clearly_worse(of) => "that is more than luck".to_owned(),
        Some(Finding::NotWorse) => {
            format!("it is not worse by {} Elo or more", of.test.null.abs())
        }
        Some(Finding::NoSign) => format!(
            "no sign that it is better by {} Elo or more",
            of.test.alternative.abs()
        ),
        None => "that may be luck".to_owned(),
    };
    if of.is_direct() {
        return format!("{} against {old}; {clause}", share(of));
    }
    format!("{}; {clause}", result(of))
}

/// Returns whether the new side did worse on more states than luck explains. The match could have
/// stopped after any number of states n, so each has the share 1/n(n+1) of the error rate.
#[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
fn is_clearly_worse(of: &Comparison) -> bool {
    let (better, worse) = of.paired.signs();
    let states = of.paired.count() as f64;
    worse > better && of.paired.sign_test_p_value() <= of.test.alpha / (states * (states + 1.0))
}

/// Returns the share of its games that the new side wins or loses, whichever is more.
fn share(of: &Comparison) -> String {
    let (new, tally) = (&of.names[0], &of.totals[0].tally);
    let percent = |games: u64| Points::whole(1).times(100 * games, tally.games);
    let (verb, games) = if tally.wins >= tally.losses {
        ("wins", tally.wins)
    } else {
        ("loses", tally.losses)
    };
    if games == tally.games {
        return format!("{new} {verb} all of its games");
    }
    let draws = match tally.draws {
        0 => String::new(),
        draws => format!(" and draws {:.0} %", percent(draws)),
    };
    format!(
        "{new} {verb} about {:.0} % of its games{draws}",
        percent(games)
    )
}

/// Returns a side that loses most games by its own faults; more games would show nothing new.
pub(super) fn hopeless(of: &Comparison) -> Option<&str> {
    let mut sides = of.names.iter().zip(&of.totals);
    let (name, _) = sides.find(|(_, side)| 2 * side.forfeits > side.tally.games)?;
    Some(name)
}

/// Notes on games that faults have ended: the result is then less about the quality of play.
pub(super) fn forfeits(of: &Comparison) -> Vec<String> {
    of.names.iter().zip(&of.totals).filter(|(_, side)| side.forfeits > 0)
        .map(|(name, side)| {
            let games = counted(side.tally.games, "game");
            let forfeits = count(side.forfeits);
            format!(
                "faults of {name} ended {forfeits} of its {games}: the result reflects these faults, and not only \
                 how well it plays"
            )
        })
        .collect()
}

/// Returns a note if fewer than half of the games are different.
pub(super) fn repeated(of: &Comparison) -> Option<String> {
    let (all, distinct) = (of.games, of.distinct());
    (distinct * 2 < all).then(|| {
        format!(
            "only {} of {} are different, but the test counts each as new evidence: the verdict is less certain \
             than it says (judge competition GAME lists the game's settings for --set, such as random openings)",
            count(distinct as u64),
            counted(all as u64, "game")
        )
    })
}

pub(super) struct MatchSink<'a> {
    stages: Stages,
    comparison: &'a Mutex<Comparison>,
    /// `None` before the first game.
    progress: Mutex<Option<Versus>>,
}

impl<'a> MatchSink<'a> {
    pub(super) fn new(comparison: &'a Mutex<Comparison>) -> Self {
        Self {
            stages: Stages::default(),
            comparison,
            progress: Mutex::default(),
        }
    }

    /// Prints the games played before. Returns whether they were enough.
    pub(super) fn begin(&self) -> bool {
        let comparison = lock(self.comparison);
        if comparison.games > 0 {
            say!("already played: {}", line(&comparison));
        }
        *self.progress() = (!comparison.is_over()).then(Versus::begin);
        comparison.is_over()
    }

    fn progress(&self) -> MutexGuard<'_, Option<Versus>> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sink for MatchSink<'_> {
    fn take(&self, event: RunEvent<'_>) {
        let mut progress = self.progress();
        let say = |line: &str| progress.iter().for_each(|progress| progress.say(line));
        let comparison = lock(self.comparison);
        match event {
            RunEvent::StageBegins { .. } | RunEvent::StageEnds => self.stages.take(event),
            RunEvent::FirstFault(folder, first) => say(&run_output::first_fault(folder, first)),
            RunEvent::Again(reason) => say(&format!("a game will be played again: {reason}")),
            RunEvent::Note(words) => say(words),
            // After the verdict the games in play no longer matter.
            RunEvent::Interrupted if !comparison.is_over() => say(run_output::INTERRUPTED),
            RunEvent::Tick => {
                if let Some(progress) = &mut *progress {
                    let (lower, upper) = comparison.test.bounds();
                    let done = (comparison.llr / upper).max(comparison.llr / lower);
                    progress.tick(comparison.counted() as usize, done, || line(&comparison));
                }
            }
            RunEvent::Ends => progress.iter().for_each(Versus::close),
            _ => {}
        }
    }
}
