//! `judge play`: shows one game move by move.

mod human;
mod stage;

use super::command_folder::CommandFolder;
use super::entering::builtin_names;
use super::exit::Done;
use super::one_game::{fixture, order};
use super::out::{self, say_each, whole};
use super::repro::story::{ending, who};
use super::settings::Settings;
use crate::terminal::{self, COLUMNS, PlayerInfo};
use clap::Args;
use engines::{GameResult, Seat};
use human::HumanPlayers;
use intake::{self, Submission, Toolchains};
use model::artifact::Artifact;
use model::builtin::PREFIX;
use model::competition::Competition;
use model::draw::{Draw, PRACTICE_SEED};
use model::entrant::Broken;
use model::fault::quote;
use model::fixture::{Conditions, Fixture, Participant};
use model::numbers::{plies, time};
use model::record::MatchRecord;
use model::stderr::Stderr;
use model::stderr::with_own_paths;
use referee::table::PlayedGame;
use rulebook::nearest::did_you_mean;
use rulebook::rules::Rules;
use rulebook::{JudgeError, Loaded, schedule};
use run::play::worker::ProcessPlayers;
use run::{builtin, open_run_cgroups, toolchains};
use sandbox::Isolation;
use stage::{ShowOptions, Stage};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

#[derive(Args)]
#[command(after_help = "For example: judge play human builtin:random --game connect-four")]
#[command(mut_arg("states", |flag| flag.hide(true)))]
pub(super) struct PlayArgs {
    /// The players in seat order: a bot's folder or file, builtin:NAME or human
    #[arg(value_name = "PLAYER", required = true, long_help = players_help())]
    players: Vec<String>,
    /// Number of the initial state, as in games.csv
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        value_parser = whole::<u32>(0..=u64::MAX)
    )]
    state: u32,
    #[command(flatten)]
    settings: Settings,
    /// How long each turn is shown, in seconds
    ///
    /// [default: 0.3 on a terminal if no human plays]
    #[arg(long, value_name = "SECONDS", value_parser = pace)]
    pace: Option<Duration>,
}

fn players_help() -> String {
    format!(
        "The players in seat order: a bot's folder or file, builtin:NAME or human\n\n`human` is yourself at the keyboard. \
         Built-in bots take the remaining seats. {}",
        builtin_names()
    )
}

const PACE: Duration = Duration::from_millis(300);

enum SeatChoice {
    Human,
    Builtin(String),
    Submitted(PathBuf, Box<Submission>),
}

impl SeatChoice {
    fn of(word: &str, game: Option<&Arc<dyn Rules>>) -> Result<Self, JudgeError> {
        if word == "human" {
            return Ok(Self::Human);
        }
        if word.starts_with(PREFIX) {
            return Ok(Self::Builtin(word.to_owned()));
        }
        let path = Path::new(word);
        let meant = did_you_mean(word, ["human"]);
        if !path.exists() && !meant.is_empty() {
            return Err(JudgeError::input(format!("there is no bot {word}{meant}")));
        }
        let submission = intake::open_one(path, game, &AtomicBool::new(false))?;
        Ok(Self::Submitted(PathBuf::from(word), Box::new(submission)))
    }

    fn name(&self) -> &str {
        match self {
            Self::Human => "human",
            Self::Builtin(name) => name,
            Self::Submitted(_, submission) => &submission.name,
        }
    }
}

impl PlayArgs {
    pub(super) fn execute(&self) -> Result<Done, JudgeError> {
        self.settings.admit_one_game()?;
        let named = self.settings.named_game()?;
        let players: Vec<SeatChoice> = self
            .players
            .iter()
            .map(|word| SeatChoice::of(word, named.as_ref()))
            .collect::<Result<_, _>>()?;
        let Loaded {
            rules,
            competition,
            toolchains: named,
            ..
        } = self.competition(&players)?;
        let seed = competition.seed.unwrap_or(PRACTICE_SEED);
        let draw = Draw::public(seed, &competition.round);
        let setup = schedule::setup(&*rules, &competition, &draw, self.state)?;
        let start = rules
            .start(&setup)
            .map_err(|error| error.of("a setup of its own making"))?;
        let players = seated(&*rules, start.seats()?, players)?;
        let mut isolation = Isolation::find();
        out::warn(&isolation);
        for player in &players {
            if let SeatChoice::Submitted(path, _) = player {
                isolation.close(path);
            }
        }
        let tools = toolchains(&named, &mut isolation)?;
        let folder = CommandFolder::open("play")?;
        let conditions = &competition.conditions;
        let player_infos: Vec<PlayerInfo> = players
            .iter()
            .zip(rules.info().roles)
            .map(|(player, role)| PlayerInfo {
                name: player.name().to_owned(),
                role,
                is_program: !matches!(player, SeatChoice::Human),
                time: conditions.time_of(player.name()),
            })
            .collect();
        let done = artifacts(&players, &rules, &competition, &folder, &isolation, &tools).and_then(
            |artifacts| {
                let seats = artifacts.iter().zip(&player_infos);
                let seats = seats.map(|(artifact, player_info)| Participant {
                    entrant: player_info.name.as_str().into(),
                    artifact: artifact.as_ref().map_or("human", |a| &a.hash).into(),
                });
                let draw = (&draw, self.state);
                let fixture = fixture(&*rules, conditions, draw, seats.collect(), setup);
                let show = self.show(&player_infos);
                let title = format!("{}, state {}", rules.info().title, self.state);
                let game = Arc::clone(&rules);
                let stage = Stage::new(game, conditions, start, player_infos, title, show);
                let artifacts = artifacts
                    .into_iter()
                    .flatten()
                    .chain(rules.program().cloned())
                    .collect();
                play(&*rules, (&fixture, conditions), artifacts, isolation, stage)
            },
        );
        folder.await_interrupt();
        done
    }

    fn competition(&self, players: &[SeatChoice]) -> Result<Loaded, JudgeError> {
        let submissions = players.iter().filter_map(|player| match player {
            SeatChoice::Submitted(place, one) => Some((Submission::clone(one), place.clone())),
            SeatChoice::Human | SeatChoice::Builtin(_) => None,
        });
        let (submissions, places): (Vec<_>, Vec<_>) = submissions.unzip();
        let spec = self.settings.competition()?;
        let loaded = spec.load(&submissions, &places)?;
        say_each("", spec.note_on_rules(&loaded));
        Ok(loaded)
    }

    fn show(&self, player_infos: &[PlayerInfo]) -> ShowOptions {
        let has_human = player_infos
            .iter()
            .any(|player_info| !player_info.is_program);
        let on_screen = if has_human {
            terminal::is_screen_with_keys()
        } else {
            terminal::is_screen()
        };
        let usual = if on_screen && !has_human {
            PACE
        } else {
            Duration::ZERO
        };
        ShowOptions {
            on_screen,
            paint: terminal::paint(),
            pace: self.pace.unwrap_or(usual),
        }
    }
}

fn artifacts(
    players: &[SeatChoice],
    rules: &Arc<dyn Rules>,
    competition: &Competition,
    folder: &CommandFolder,
    isolation: &Isolation,
    tools: &Toolchains,
) -> Result<Vec<Option<Artifact>>, JudgeError> {
    players
        .iter()
        .enumerate()
        .map(|(seat, player)| match player {
            SeatChoice::Human => Ok(None),
            SeatChoice::Builtin(name) => {
                let bot = builtin::entrant(&**rules, name, &folder.seat_dir(seat)?, false)?;
                let refused = |broken: Broken| JudgeError::input(broken.to_string());
                bot.program.map(Some).map_err(refused)
            }
            SeatChoice::Submitted(path, _) => folder
                .build(path, seat, rules, competition, isolation, tools)
                .map(Some),
        })
        .collect()
}

/// Fills the seats without a named player with the strongest built-in bot.
fn seated(
    rules: &dyn Rules,
    seats: usize,
    mut players: Vec<SeatChoice>,
) -> Result<Vec<SeatChoice>, JudgeError> {
    if players.len() > seats {
        return Err(JudgeError::input(format!(
            "{} has {seats} seats here ({}), but {} players are given",
            rules.info().title,
            rules.info().roles[..seats].join(", "),
            players.len()
        )));
    }
    players.resize_with(seats, || {
        SeatChoice::Builtin(format!("{PREFIX}{}", builtin::strongest(rules)))
    });
    Ok(players)
}

fn play(
    rules: &dyn Rules,
    (fixture, conditions): (&Fixture, &Conditions),
    artifacts: Vec<Artifact>,
    mut isolation: Isolation,
    stage: Stage,
) -> Result<Done, JudgeError> {
    let run_cgroups = open_run_cgroups(&mut isolation, conditions.processes)?;
    let order = order(
        conditions,
        artifacts,
        Some(0),
        isolation,
        run_cgroups.as_ref(),
    )?;
    let stage = Rc::new(RefCell::new(stage));
    stage.borrow_mut().open()?;
    let mut players = HumanPlayers {
        programs: ProcessPlayers::new(&order),
        stage: Rc::clone(&stage),
    };
    let played = referee::table::play(rules, fixture, conditions, &mut players);
    let closed = players.programs.close();
    let mut stage = stage.borrow_mut();
    stage.close();
    if let (Err(_), Some(ply)) = (&played, stage.left_at()) {
        say!("quit after {}", plies(ply as usize));
        return Ok(Done::Success);
    }
    let played = played?;
    closed?;
    stage.show_end()?;
    print(&played, &stage);
    Ok(Done::Success)
}

fn print(played: &PlayedGame, stage: &Stage) {
    let record = &played.record;
    let roles = stage.roles();
    say!("{}", ending(record, roles));
    say_each("", results(record, stage));
    for (seat, stderr) in played.stderr.iter().enumerate() {
        let name = who(record, roles, Seat::new(seat));
        print_lines(&format!("{name} said with its moves:"), &notes_of(stderr));
        let text = with_own_paths(&stderr.text);
        let lines: Vec<&str> = text.lines().collect();
        print_lines(&format!("{name} wrote on standard error:"), &lines);
    }
}

fn notes_of(stderr: &Stderr) -> Vec<String> {
    stderr
        .notes
        .iter()
        .flat_map(|note| {
            let cut = (!note.cut.is_empty()).then(|| format!("(cut: {})", note.cut));
            [Some(note.text.clone()), cut]
                .into_iter()
                .flatten()
                .filter(|text| !text.is_empty())
                .map(|text| format!("turn {}: {text}", note.turn))
        })
        .collect()
}

fn print_lines(heading: &str, lines: &[impl AsRef<str>]) {
    let paint = terminal::paint();
    if !lines.is_empty() {
        say!("\n{heading}");
        let hidden = lines.len().saturating_sub(STDERR_LINES_MAX);
        if hidden > 0 {
            say!("  … {hidden} more lines above");
        }
        for line in &lines[hidden..] {
            let line = terminal::span(
                format!("  | {}", quote(line.as_ref().as_bytes())),
                terminal::Style::Dim,
            );
            say!("{}", paint.line(&vec![line]));
        }
    }
}

const STDERR_LINES_MAX: usize = 20;

/// Returns a line for each seat: the player, the result, the time.
fn results(record: &MatchRecord, stage: &Stage) -> Vec<String> {
    let (roles, player_infos) = (stage.roles(), &stage.player_infos);
    let names =
        (0..player_infos.len()).map(|seat| quote(who(record, roles, Seat::new(seat)).as_bytes()));
    let names: Vec<String> = names.collect();
    let widest = names
        .iter()
        .map(|name| name.chars().count())
        .max()
        .unwrap_or(0)
        .min(COLUMNS / 2);
    let seats = names
        .iter()
        .zip(&record.outcome.seats)
        .zip(player_infos)
        .zip(&record.seats);
    let line = |(((name, outcome), player_info), took): (
        ((&String, &engines::SeatOutcome), &PlayerInfo),
        &model::record::SeatRecord,
    )| {
        let result = match outcome.result {
            GameResult::Won => "won",
            GameResult::Drawn => "drew",
            GameResult::Lost => "lost",
        };
        let points = outcome.points;
        let cpu = if player_info.is_program {
            format!(", CPU {}", time(took.cpu_us))
        } else {
            String::new()
        };
        let noun = stage.rules.info().points.of(points);
        format!("  {name:widest$}  {result:4}  {points} {noun}{cpu}")
    };
    seats.map(line).collect()
}

fn pace(text: &str) -> Result<Duration, String> {
    let seconds = text
        .parse::<f64>()
        .ok()
        .filter(|s| (0.0..=60.0).contains(s))
        .ok_or("must be 0 to 60 seconds")?;
    Ok(Duration::from_secs_f64(seconds))
}
