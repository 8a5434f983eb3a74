//! The examination of one submission, step by step: builds it, plays sample games, and probes the rest.

#![expect(
    clippy::disallowed_methods,
    reason = "only the judge writes into a folder of its own"
)]

use super::findings::Findings;
use super::probe::Prober;
use super::sample::{Author, SampleGame, SampleSettings};
use super::{CheckReport, Examination, Topic, Verdict, homework, idle};
use engines::{Duel, Homework};
use intake::{BuildContext, Form, Submission, TOOLCHAINS_ELSEWHERE};
use model::artifact::Artifact;
use model::competition::Competition;
use model::draw::{Draw, PRACTICE_SEED};
use model::entrant::{Blame, Broken, Contestant, Entrant};
use model::fixture::{Fixture, Participant};
use rulebook::rules::Rules;
use rulebook::{IoContext, JudgeError, Result, schedule};
use run::builtin;
use run::play::worker::{Order, ProcessPlayers};
use sandbox::{Builder, OpenRunCgroups};
use std::cell::RefCell;
use std::fs;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime};
use system::cleanup::TemporaryFolder;

const WARNING_LINES_MAX: usize = 60;

/// Least time of an examination: enough for a game in each seat on a busy machine, and the other checks.
const EXAMINATION_MIN: Duration = Duration::from_secs(25);

const GAMES_PERCENT: u32 = 80;

fn begin(submission: &Submission, game: Option<&'static str>, seed: u64) -> CheckReport {
    CheckReport {
        submission: submission.name.clone(),
        game,
        language: submission.form.as_ref().map_or("", |form| form.name()),
        ok: true,
        seed,
        ..CheckReport::default()
    }
}
pub(super) fn unknown(submission: &Submission) -> CheckReport {
    let mut report = begin(submission, None, 0);
    files(&mut report, submission);
    finish(report, Homework::NONE)
}

/// The same seed for everybody makes findings repeatable.
fn seed(competition: &Competition) -> u64 {
    competition.seed.unwrap_or(PRACTICE_SEED)
}

/// Examines a submission in a temporary folder, on all CPUs.
pub(super) fn examine(exam: &Examination<'_>, mut submission: Submission) -> Result<CheckReport> {
    let conditions = exam.competition.conditions.clone();
    let competition = Competition {
        conditions: conditions.with_clock_of(&submission.name),
        ..exam.competition.clone()
    };
    let rules = rulebook::rules::of(&competition.conditions)?;
    submission.admit(&*rules);
    let mut report = begin(&submission, Some(rules.info().slug), seed(&competition));
    let author = Author::of(&submission, &competition.conditions);
    if files(&mut report, &submission) {
        build_and_play(exam, &competition, &*rules, author, submission, &mut report)?;
    }
    Ok(finish(report, author.homework()))
}

fn finish(mut report: CheckReport, homework: Homework) -> CheckReport {
    report.not_checked = Topic::ALWAYS
        .into_iter()
        .chain(homework.names().map(Topic::Homework))
        .filter(|topic| !report.has(*topic))
        .collect();
    report
}

fn build_and_play(
    exam: &Examination<'_>,
    competition: &Competition,
    rules: &dyn Rules,
    author: Author,
    submission: Submission,
    report: &mut CheckReport,
) -> Result {
    let folder =
        TemporaryFolder::new("check", 0o755).or_io("make a folder in", std::env::temp_dir())?;
    exam.progress.set_message("builds it");
    let context = BuildContext {
        run: folder.path(),
        game: rules,
        conditions: &competition.conditions,
        jobs: 1,
        builds: competition.builds,
        kit: &competition.kit,
        toolchains: &exam.toolchains,
        builder: Builder {
            judge: Path::new(run::THIS_PROGRAM),
            isolation: &exam.isolation,
            stop: exam.interrupted,
        },
        failed_of: exam.failed_of,
        cache: exam.cache.as_ref(),
        has_begun: false,
        received: SystemTime::now(),
        deadlines: None,
    };
    let entrant = intake::prepare(vec![submission.clone()], context, &|_| ())?
        .pop()
        .expect("one goes in, one comes out");
    let artifact = build(report, &entrant, folder.path())?;
    if let Some((comment, asked)) = entrant.comment.zip(competition.kit.comment_words) {
        let verdict = if comment.is_as_asked(asked) {
            Verdict::Ok
        } else {
            Verdict::Warning
        };
        report.add(Topic::Comment, verdict, comment.words(asked), Vec::new());
    }
    let Some(artifact) = artifact else {
        return Ok(());
    };
    Games {
        exam,
        competition,
        rules,
        context,
        author,
        sources: submission,
        opponents: opponents(rules, folder.path())?,
        me: Contestant {
            name: entrant.name,
            artifact,
        },
    }
    .examine(report)
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

/// Adds the check of the build; fails if the machine could not build it.
fn build(report: &mut CheckReport, entrant: &Entrant, folder: &Path) -> Result<Option<Artifact>> {
    let mut notes = entrant.warnings.clone();
    let Broken { blame, reason, log } = match &entrant.program {
        Err(broken) => broken,
        Ok(artifact) => {
            notes.extend(
                entrant
                    .compiler_warnings
                    .iter()
                    .flat_map(|log| compiler_warnings(&folder.join(log))),
            );
            if notes.is_empty() {
                let tokens = artifact.tokens.map(|n| format!("; {n} tokens"));
                let message = format!("builds{}", tokens.unwrap_or_default());
                report.fine(Topic::Build, message);
            } else {
                let message = format!("builds, but: {}", notes.remove(0));
                report.add(Topic::Build, Verdict::Warning, message, notes);
            }
            return Ok(Some(artifact.clone()));
        }
    };
    let lacking = match blame {
        Blame::Submission | Blame::Withdrawn | Blame::Waiting => None,
        Blame::Lacking => Some(format!("{reason}; {TOOLCHAINS_ELSEWHERE}")),
        Blame::Machine => Some(reason.clone()),
    };
    if let Some(reason) = lacking {
        let submission = entrant.name.clone();
        return Err(JudgeError::Lacking { submission, reason });
    }
    let output = log
        .as_ref()
        .map_or_else(String::new, |path| read_lossy(Path::new(path)));
    // A check of the judge's own repeats the reason in its output.
    let others = output.lines().filter(|line| line.trim() != *reason);
    notes.extend(others.map(str::to_owned));
    report.add(Topic::Build, Verdict::Wrong, reason, notes);
    Ok(None)
}
fn read_lossy(log: &Path) -> String {
    String::from_utf8_lossy(&fs::read(log).unwrap_or_default()).into_owned()
}

/// Returns a compiler's warnings themselves, because the folder with their log is temporary.
fn compiler_warnings(log: &Path) -> Vec<String> {
    let output = read_lossy(log);
    let warning = output.lines().find(|line| line.contains("warning:"));
    let first = warning
        .or_else(|| output.lines().next())
        .unwrap_or_default();
    let mut lines = vec![format!("the compiler warned: {}", first.trim())];
    lines.extend(output.lines().take(WARNING_LINES_MAX).map(str::to_owned));
    if let Some(more @ 1..) = output.lines().count().checked_sub(WARNING_LINES_MAX) {
        lines.push(format!("… {more} more lines"));
    }
    lines
}

fn opponents(rules: &dyn Rules, folder: &Path) -> Result<Vec<Contestant>> {
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

/// A submission that was built, to play and to be asked.
struct Games<'a> {
    exam: &'a Examination<'a>,
    competition: &'a Competition,
    rules: &'a dyn Rules,
    context: BuildContext<'a>,
    author: Author,
    sources: Submission,
    opponents: Vec<Contestant>,
    me: Contestant,
}

impl Games<'_> {
    fn examine(&self, report: &mut CheckReport) -> Result {
        let Self {
            exam,
            competition,
            rules,
            author,
            ref me,
            ..
        } = *self;
        let limit = exam.limit.max(EXAMINATION_MIN);
        // The other checks need time too.
        let for_games = limit * GAMES_PERCENT / 100;
        let mut sample = competition.clone();
        let time = &mut sample.conditions.time;
        let limit_us = u64::try_from((for_games / 2).as_micros()).unwrap_or(u64::MAX);
        if time.turn_us.or(time.bank_us).is_none_or(|us| us > limit_us) {
            time.turn_us = Some(limit_us);
        }
        let all: Vec<Participant> = self.opponents.iter().map(Contestant::participant).collect();
        let draw = Draw::public(seed(competition), &competition.round);
        let fixtures = schedule::sparring(&sample, &draw, &me.participant(), &all)?;
        let roles = schedule::roles(competition)?;
        let order = self.order(&sample);
        let prober = |ends| Prober {
            rules,
            fixtures: &fixtures,
            order: &order,
            program: &me.artifact.hash,
            players: RefCell::new(ProcessPlayers::new(&order)),
            ends,
        };
        let homework = author.homework();
        self.ask_functions(report, roles, &prober)?;
        let ends = Instant::now() + limit;
        let settings = SampleSettings {
            exam,
            me: &me.name,
            order: order.clone(),
            folder: self.context.run,
            ends: Instant::now() + for_games,
        };
        let seconds = limit.as_secs();
        let (samples, unplayed) = match settings.play_samples(&fixtures, roles.len()) {
            // The marks of functions stay.
            Err(JudgeError::Unplayed { reason, .. }) if !homework.functions.is_empty() => {
                (Vec::new(), reason)
            }
            samples => {
                let more = 4 * seconds;
                let unended = format!(
                    "not all sample games ended within {seconds} s, because the machine is busy or turns take long; give more time, as --seconds {more}"
                );
                (samples?, unended)
            }
        };
        if self.is_stopped() {
            return Ok(());
        }
        // A slow game or a busy machine is no fault of the bot's.
        if samples.is_empty() {
            report.cut_short(&unplayed);
        }
        let findings = Findings {
            rules,
            author,
            conditions: &competition.conditions,
            samples: &samples,
            roles,
        };
        findings.add_to(report);
        report.games = findings.games(fixtures.len());
        report.times = findings.times();
        let outlasted = settings.is_over().then_some(for_games);
        findings.add_times(report, &sample.conditions, outlasted);
        let prober = prober(ends);
        if let Some(sample) = findings.crashed().filter(|_| !prober.is_over()) {
            exam.progress.set_message("looks for the line that crashes");
            idle::add_memory_errors(report, &self.context, &self.sources, &prober, sample)?;
        }
        exam.progress.set_message("asks again, and waits");
        if author.kit.is_none() {
            idle::add_silence(report, &prober, &samples, author)?;
        }
        let memory_mib = competition.conditions.memory_mib;
        idle::add_finding(report, &prober, author, &samples, memory_mib)?;
        let settings = SampleSettings { ends, ..settings };
        match homework.duel {
            Some(duel) if report.has(Topic::Homework(duel.name)) => {}
            Some(duel) if duel.drawn_seat => {
                self.drawn_game(report, &settings, &duel, &samples, &unplayed)?;
            }
            Some(duel) => homework::duel(report, &duel, &samples, roles.len(), &unplayed),
            None => {}
        }
        if exam.graded && author.kit.is_none() {
            homework::not_asked(report, rules.kits());
        }
        findings.add_stderr(report);
        Ok(())
    }

    fn order(&self, sample: &Competition) -> Order {
        let contestants = self.opponents.iter().chain([&self.me]);
        Order {
            conditions: sample.conditions.clone(),
            artifacts: contestants
                .map(|one| one.artifact.clone())
                .chain(self.rules.program().cloned())
                .collect(),
            pin: None,
            isolation: self.exam.isolation.clone(),
            run_cgroups: self
                .exam
                .run_cgroups
                .as_ref()
                .map(OpenRunCgroups::run_cgroups)
                .cloned(),
        }
    }

    fn is_stopped(&self) -> bool {
        self.exam.interrupted.load(Ordering::Relaxed)
    }

    fn ask_functions<'a>(
        &self,
        report: &mut CheckReport,
        roles: &[&str],
        prober: &dyn Fn(Instant) -> Prober<'a>,
    ) -> Result {
        let homework = self.author.homework();
        for function in homework.functions {
            self.exam
                .progress
                .set_message(format!("asks {}", function.name));
            let startup = Duration::from_millis(self.competition.conditions.startup_ms);
            let ends = Instant::now() + startup + homework::FUNCTION_WALL;
            if self.is_stopped()
                || !homework::function(report, &prober(ends), (function, homework), roles)?
            {
                break;
            }
        }
        Ok(())
    }

    /// Reports the course's one game: a sample game that was the same or makes it hopeless, or else it.
    fn drawn_game(
        &self,
        report: &mut CheckReport,
        settings: &SampleSettings<'_>,
        duel: &Duel,
        samples: &[SampleGame],
        unplayed: &str,
    ) -> Result {
        let seed = self
            .exam
            .competition
            .seed
            .unwrap_or_else(|| homework::seed_of(&self.sources));
        let name = homework::opponent(duel);
        let opponent: Vec<Participant> = self
            .opponents
            .iter()
            .filter(|one| *one.name == *name)
            .map(Contestant::participant)
            .collect();
        let one = Competition {
            states: 1,
            conditions: settings.order.conditions.clone(),
            ..self.competition.clone()
        };
        let draw = Draw::public(seed, &one.round);
        let mut games = schedule::sparring(&one, &draw, &self.me.participant(), &opponent)?;
        let is_mine = |game: &Fixture, seat: usize| *game.seats[seat].entrant == *self.me.name;
        let seat = homework::drawn_seat(seed, games.len().max(1));
        games.retain(|game| is_mine(game, seat));
        // The sample games' own seed may have drawn it too.
        let known = samples.iter().find(|sample| {
            games.iter().any(|game| {
                game.id == sample.record.fixture
                    || is_mine(game, sample.seat.index()) && !sample.is_worth_another()
            })
        });
        let played = match known {
            Some(_) => Vec::new(),
            None => settings.play(&games, 1)?,
        };
        match known.or(played.first()) {
            Some(sample) => homework::one_game(report, duel, self.rules.info(), sample, seed),
            None => report.not_reached(duel.name, unplayed),
        }
        Ok(())
    }
}
