//! The examination, step by step.

#![expect(
    clippy::disallowed_methods,
    reason = "only the judge writes into a folder of its own"
)]

use super::findings::{Findings, topic_of};
use super::hints::Author;
use super::probe::Prober;
use super::report::{CheckReport, SampleGames, Topic, TurnTimes, Verdict};
use super::sparring::{SampleGame, SampleSettings};
use super::{homework, idle, time};
use engines::{Duel, Homework};
use intake::{BuildContext, Form, ProgramCache, Submission, TOOLCHAINS_ELSEWHERE, Toolchains};
use model::artifact::Artifact;
use model::competition::Competition;
use model::draw::{Draw, PRACTICE_SEED};
use model::entrant::{Blame, Broken, Contestant, Entrant};
use model::fault::Fault;
use model::fixture::{Conditions, Fixture};
use rulebook::rules::Rules;
use rulebook::{JudgeError, schedule};
use run::builtin;
use run::play::worker::Order;
use sandbox::{Builder, Isolation, OpenRunCgroups};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};
use system::cleanup::TemporaryFolder;

const WARNING_LINES_MAX: usize = 60;

/// Least time of an examination: enough for a game in each seat on a busy machine, and the other checks.
const EXAMINATION_MIN: Duration = Duration::from_secs(25);

const GAMES_PERCENT: u32 = 80;

pub(crate) struct Examination<'a> {
    /// The competition; its `states` are the number of initial states.
    pub(crate) competition: Competition,
    pub(crate) isolation: &'a Isolation,
    pub(crate) toolchains: &'a Toolchains,
    pub(crate) run_cgroups: Option<&'a OpenRunCgroups>,
    /// The examination ends this long after the build and the questions about functions, or after
    /// `EXAMINATION_MIN`. A turn is stopped after half of the part for games.
    pub(crate) limit: Duration,
    pub(crate) failed_of: Option<&'a Path>,
    pub(crate) cache: Option<ProgramCache>,
    /// Whether a grader scores it; a program that the course's test cannot ask is then wrong.
    pub(crate) graded: bool,
    pub(crate) received: SystemTime,
    pub(crate) interrupted: &'a Arc<AtomicBool>,
    pub(crate) progress: &'a dyn Fn(&str),
}

pub(super) fn begin(submission: &Submission, game: Option<&'static str>, seed: u64) -> CheckReport {
    CheckReport {
        submission: submission.name.clone(),
        game,
        language: submission.form.as_ref().map_or("", |form| form.name()),
        ok: true,
        checks: Vec::new(),
        not_checked: Vec::new(),
        unreached: None,
        failed: None,
        seed,
        games: SampleGames::default(),
        times: TurnTimes::default(),
    }
}

pub(crate) fn unknown(submission: &Submission) -> CheckReport {
    let mut report = begin(submission, None, 0);
    files(&mut report, submission);
    finish(report, Homework::NONE)
}

/// The same seed for everybody makes findings repeatable.
fn seed(competition: &Competition) -> u64 {
    competition.seed.unwrap_or(PRACTICE_SEED)
}

/// Examines a submission in a temporary folder, on all CPUs.
pub(crate) fn examine(
    mut exam: Examination<'_>,
    mut submission: Submission,
) -> Result<CheckReport, JudgeError> {
    let folder = TemporaryFolder::new("check", Permissions::from_mode(0o755))
        .map_err(|e| JudgeError::io("make a folder in", std::env::temp_dir(), e))?;
    let conditions = exam.competition.conditions;
    exam.competition.conditions = conditions.with_clock_of(&submission.name);
    let rules = rulebook::rules::of(&exam.competition.conditions)?;
    submission.admit(&*rules);
    let seed = seed(&exam.competition);
    let mut report = begin(&submission, Some(rules.info().slug), seed);
    let author = Author::of(&submission, &exam.competition.conditions);
    let homework = author.kit.map_or(Homework::NONE, |kit| kit.homework);
    if !files(&mut report, &submission) {
        return Ok(finish(report, homework));
    }
    let sources = submission.clone();
    (exam.progress)("builds it");
    let context = BuildContext {
        run: folder.path(),
        game: &*rules,
        conditions: &exam.competition.conditions,
        jobs: 1,
        builds: exam.competition.builds,
        kit: &exam.competition.kit,
        toolchains: exam.toolchains,
        builder: Builder {
            judge: Path::new(run::THIS_PROGRAM),
            isolation: exam.isolation,
            stop: exam.interrupted,
        },
        failed_of: exam.failed_of,
        cache: exam.cache.as_ref(),
        has_begun: false,
        received: exam.received,
        deadlines: None,
    };
    let mut entrants = intake::prepare(vec![submission], context, &|_| ())?;
    let entrant = entrants.pop().expect("one goes in, one comes out");
    if let Err(Broken { blame, reason, .. }) = &entrant.program {
        let reason = match blame {
            Blame::Submission | Blame::Withdrawn | Blame::Waiting => None,
            Blame::Lacking => Some(format!("{reason}; {TOOLCHAINS_ELSEWHERE}")),
            Blame::Machine => Some(reason.clone()),
        };
        if let Some(reason) = reason {
            return Err(JudgeError::Lacking {
                submission: entrant.name.clone(),
                reason,
            });
        }
    }
    let built = build(&mut report, &entrant, folder.path());
    let comment = entrant.comment.as_ref();
    if let Some((comment, asked)) = comment.zip(exam.competition.kit.comment_words) {
        let verdict = if comment.is_as_asked(asked) {
            Verdict::Ok
        } else {
            Verdict::Warning
        };
        report.add(Topic::Comment, verdict, comment.words(asked), Vec::new());
    }
    let Some(artifact) = built else {
        return Ok(finish(report, homework));
    };
    let me = Contestant {
        name: entrant.name,
        artifact,
    };
    games(
        &exam,
        &context,
        &*rules,
        &me,
        (author, &sources),
        &mut report,
    )?;
    Ok(finish(report, homework))
}

fn finish(mut report: CheckReport, homework: Homework) -> CheckReport {
    let asked = homework.names().map(Topic::Homework);
    let all = Topic::ALWAYS.into_iter().chain(asked);
    let is_left = |topic: &Topic| !report.checks.iter().any(|check| check.topic == *topic);
    report.not_checked = all.filter(is_left).collect();
    report
}

fn with_short_turns(competition: &Competition, limit: Duration) -> Competition {
    let mut competition = competition.clone();
    let time = &mut competition.conditions.time;
    let limit = limit / 2;
    let limit_us = u64::try_from(limit.as_micros()).unwrap_or(u64::MAX);
    if time.turn_us.or(time.bank_us).is_none_or(|us| us > limit_us) {
        time.turn_us = Some(limit_us);
    }
    competition
}

fn files(report: &mut CheckReport, submission: &Submission) -> bool {
    let message = match &submission.form {
        Err(reason) => {
            report.add(Topic::Files, Verdict::Wrong, reason, Vec::new());
            return false;
        }
        Ok(Form::Executable(program)) => {
            let path = &submission.files[*program].path;
            format!("{path} is a program that the judge can start")
        }
        Ok(Form::Described) => {
            let run = submission.about.run.as_deref().unwrap_or_default();
            format!("it is run as {}", run.join(" "))
        }
        Ok(Form::Sources(game, kit)) => {
            let title = rulebook::rules::find(game).map_or(*game, |rules| rules.info().title);
            format!("{title} in {}, recognised by {}", kit.language, kit.sign)
        }
    };
    let left_out = submission.left_out.clone();
    report.add(Topic::Files, Verdict::Ok, message, left_out);
    true
}

fn build(report: &mut CheckReport, entrant: &Entrant, folder: &Path) -> Option<Artifact> {
    match &entrant.program {
        Ok(artifact) => {
            let compiler = entrant
                .compiler_warnings
                .iter()
                .flat_map(|log| compiler_warnings(&folder.join(log)));
            let mut notes = entrant.warnings.iter().cloned().chain(compiler);
            if let Some(first) = notes.next() {
                let message = format!("builds, but: {first}");
                report.add(Topic::Build, Verdict::Warning, message, notes.collect());
            } else {
                let tokens = artifact.tokens.map(|n| format!("; {n} tokens"));
                report.fine(
                    Topic::Build,
                    format!("builds{}", tokens.unwrap_or_default()),
                );
            }
            Some(artifact.clone())
        }
        Err(Broken { reason, log, .. }) => {
            let output = log
                .as_ref()
                .and_then(|path| std::fs::read(path).ok())
                .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
                .unwrap_or_default();
            let mut detail = entrant.warnings.clone();
            // A check of the judge's own repeats the reason in its output.
            detail.extend(
                output
                    .lines()
                    .filter(|line: &&str| line.trim() != reason.as_str())
                    .map(str::to_owned),
            );
            report.add(Topic::Build, Verdict::Wrong, reason, detail);
            None
        }
    }
}

/// Returns a compiler's warnings themselves, because the folder with their log is temporary.
fn compiler_warnings(log: &Path) -> Vec<String> {
    let output = std::fs::read(log).unwrap_or_default();
    let output = String::from_utf8_lossy(&output);
    let first = output
        .lines()
        .find(|line| line.contains("warning:"))
        .or_else(|| output.lines().next())
        .unwrap_or_default();
    let mut lines = vec![format!("the compiler warned: {}", first.trim())];
    lines.extend(output.lines().take(WARNING_LINES_MAX).map(str::to_owned));
    if let Some(more @ 1..) = output.lines().count().checked_sub(WARNING_LINES_MAX) {
        lines.push(format!("… {more} more lines"));
    }
    lines
}

fn games(
    exam: &Examination<'_>,
    context: &BuildContext<'_>,
    game: &dyn Rules,
    me: &Contestant,
    (author, sources): (Author, &Submission),
    report: &mut CheckReport,
) -> Result<(), JudgeError> {
    let limit = exam.limit.max(EXAMINATION_MIN);
    let opponents = opponents(game, context.run)?;
    // The other checks need time too.
    let for_games = limit * GAMES_PERCENT / 100;
    let sample = with_short_turns(&exam.competition, for_games);
    let fixtures = schedule::sparring(
        &sample,
        &Draw::public(seed(&exam.competition), &exam.competition.round),
        &me.participant(),
        &opponents
            .iter()
            .map(Contestant::participant)
            .collect::<Vec<_>>(),
    )?;
    let roles = schedule::roles(&exam.competition)?;
    let artifacts = opponents
        .iter()
        .chain([me])
        .map(|c| c.artifact.clone())
        .chain(game.program().cloned());
    let order = Order {
        conditions: sample.conditions.clone(),
        artifacts: artifacts.collect(),
        pin: None,
        isolation: exam.isolation.clone(),
        run_cgroups: exam.run_cgroups.map(OpenRunCgroups::run_cgroups).cloned(),
    };
    let homework = author.kit.map_or(Homework::NONE, |kit| kit.homework);
    if let Some(fixture) = fixtures.first() {
        let prober = |ends| Prober::new(game, &order, &me.artifact.hash, ends);
        ask_functions(exam, homework, &prober, roles, fixture, report)?;
    }
    let ends = Instant::now() + limit;
    let settings = SampleSettings {
        me: &me.name,
        order,
        folder: context.run,
        ends: Instant::now() + for_games,
        interrupted: exam.interrupted,
        progress: exam.progress,
    };
    let (samples, unplayed) = match play_samples(&settings, &fixtures, roles.len()) {
        // The marks of functions stay.
        Err(JudgeError::Unplayed { reason, .. }) if !homework.functions.is_empty() => {
            (Vec::new(), reason)
        }
        samples => (samples?, time::no_game_ended(limit)),
    };
    if exam.interrupted.load(Ordering::Relaxed) {
        return Ok(());
    }
    // A slow game or a busy machine is no fault of the bot's.
    if samples.is_empty() {
        report.unreached.get_or_insert_with(|| unplayed.clone());
    }
    let findings = Findings {
        rules: game,
        author,
        conditions: &exam.competition.conditions,
        samples: &samples,
        roles,
    };
    findings.add_to(report);
    report.games = findings.games(fixtures.len());
    let conditions = &exam.competition.conditions;
    report.times = time::figures(conditions, &samples);
    let outlasted = settings.is_over().then_some(for_games);
    times(report, &findings, &sample.conditions, outlasted);
    let prober = Prober::new(game, &settings.order, &me.artifact.hash, ends);
    if let Some(sample) = findings.crashed().filter(|_| !prober.is_over()) {
        (exam.progress)("looks for the line that crashes");
        let folder = context.run.join("sanitizers");
        let said = idle::find_memory_errors(context, sources, &prober, sample, &fixtures, &folder)?;
        idle::add_memory_errors(report, said);
    }
    (exam.progress)("asks again, and waits");
    if author.kit.is_none() {
        idle::add_silence(report, &prober, &fixtures, &samples, author)?;
    }
    idle::add_finding(report, &prober, author, &fixtures, &samples, conditions)?;
    let settings = SampleSettings { ends, ..settings };
    let duel = homework.duel.as_ref();
    if let Some(duel) = duel.filter(|duel| !report.has_homework(duel.name)) {
        if duel.drawn_seat {
            let own = exam.competition.seed;
            let seed = own.unwrap_or_else(|| homework::seed_of(sources));
            let drawn = drawn_game(&settings, &exam.competition, duel, &opponents, me, seed)?;
            report_drawn_game(&settings, &drawn, &samples, |sample| match sample {
                Some(sample) => homework::one_game(report, duel, game.info(), sample, seed),
                None => report.not_reached(duel.name, &unplayed),
            })?;
        } else {
            homework::duel(report, duel, &samples, roles.len(), &unplayed);
        }
    }
    if exam.graded && author.kit.is_none() {
        homework::not_asked(report, game.kits());
    }
    findings.add_stderr(report);
    Ok(())
}

fn ask_functions<'a>(
    exam: &Examination<'_>,
    homework: Homework,
    prober: &dyn Fn(Instant) -> Prober<'a>,
    roles: &[&str],
    fixture: &Fixture,
    report: &mut CheckReport,
) -> Result<(), JudgeError> {
    for function in homework.functions {
        (exam.progress)(&format!("asks {}", function.name));
        let ends = Instant::now() + homework::function_time(&exam.competition.conditions);
        let is_stopped = exam.interrupted.load(Ordering::Relaxed);
        if is_stopped
            || !homework::function(report, &prober(ends), (function, homework), roles, fixture)?
        {
            break;
        }
    }
    Ok(())
}

/// Reports the times of the turns. `outlasted` is the time of the examination, if the games
/// outlasted it.
fn times(
    report: &mut CheckReport,
    findings: &Findings<'_>,
    sample: &Conditions,
    outlasted: Option<Duration>,
) {
    let (conditions, samples) = (findings.conditions, findings.samples);
    let late = |fault: &Fault| topic_of(fault) == Topic::Time;
    let unplayed = findings.unplayed();
    if samples.iter().any(SampleGame::is_late) {
        findings.check(report, Topic::Time, late, Ok(""));
        time::add_own_limit(report, conditions, sample);
    } else if let Some(limit) = outlasted.filter(|_| !unplayed.is_empty()) {
        time::add_unended(report, &unplayed, limit);
    } else if report.times.turns > 0 {
        time::add_finding(report, conditions, samples);
    } else {
        report.not_looked_at(Topic::Time, "it never answered in a turn");
    }
}

fn play_samples(
    settings: &SampleSettings<'_>,
    fixtures: &[Fixture],
    seats: usize,
) -> Result<Vec<SampleGame>, JudgeError> {
    let (first, more) = fixtures.split_at(seats.min(fixtures.len()));
    let mut samples = Vec::new();
    for games in [first, more] {
        let mut left = games.to_vec();
        loop {
            left.retain(|fixture| is_worth_playing(fixture, settings.me, &samples));
            if left.is_empty() || settings.is_over() {
                break;
            }
            samples.extend(settings.play(&left, fixtures.len())?);
        }
    }
    // The report must not depend on the order in which they ended.
    samples.sort_by_key(|sample| fixtures.iter().position(|f| f.id == sample.record.fixture));
    Ok(samples)
}

fn is_worth_playing(fixture: &Fixture, me: &str, samples: &[SampleGame]) -> bool {
    let seat = fixture.seats.iter().position(|s| *s.entrant == *me);
    samples
        .iter()
        .filter(|sample| Some(sample.seat.index()) == seat)
        .all(|sample| sample.is_worth_another() && sample.record.fixture != fixture.id)
}

fn drawn_game(
    settings: &SampleSettings<'_>,
    competition: &Competition,
    duel: &Duel,
    opponents: &[Contestant],
    me: &Contestant,
    seed: u64,
) -> Result<Vec<Fixture>, JudgeError> {
    let name = homework::opponent(duel);
    let opponent: Vec<_> = opponents
        .iter()
        .filter(|one| *one.name == *name)
        .map(Contestant::participant)
        .collect();
    let one = Competition {
        states: 1,
        conditions: settings.order.conditions.clone(),
        ..competition.clone()
    };
    let draw = Draw::public(seed, &competition.round);
    let mut games = schedule::sparring(&one, &draw, &me.participant(), &opponent)?;
    let seat = homework::drawn_seat(seed, games.len().max(1));
    games.retain(|game| *game.seats[seat].entrant == *me.name);
    Ok(games)
}

/// Passes on the course's one game: a sample game that was the same or makes it hopeless, or else it.
fn report_drawn_game(
    settings: &SampleSettings<'_>,
    drawn: &[Fixture],
    samples: &[SampleGame],
    take: impl FnOnce(Option<&SampleGame>),
) -> Result<(), JudgeError> {
    let is_reported = |sample: &&SampleGame| {
        let is_same_seat =
            |game: &Fixture| *game.seats[sample.seat.index()].entrant == *settings.me;
        drawn.iter().any(|game| {
            game.id == sample.record.fixture || is_same_seat(game) && !sample.is_worth_another()
        })
    };
    // The sample games' own seed may have drawn it too.
    if let Some(sample) = samples.iter().find(is_reported) {
        take(Some(sample));
        return Ok(());
    }
    take(settings.play(drawn, 1)?.first());
    Ok(())
}

fn opponents(rules: &dyn Rules, folder: &Path) -> Result<Vec<Contestant>, JudgeError> {
    let mut opponents = Vec::new();
    for (name, _) in rules.baselines() {
        let entrant = builtin::entrant(rules, name, folder, false)?;
        if let Ok(artifact) = entrant.program {
            opponents.push(Contestant {
                name: entrant.name,
                artifact,
            });
        }
    }
    Ok(opponents)
}
