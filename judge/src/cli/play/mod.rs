//! `judge play`: shows one game move by move.

mod stage;

use super::exit::Done;
use super::flags::{Settings, builtin_names};
use super::one_game::{self, CommandFolder, fixture};
use super::out::{self, say_each, whole};
use super::repro::story::{ending, who};
use crate::terminal::{self, COLUMNS, PlayerInfo};
use clap::Args;
use engines::{GameResult, Seat};
use intake::{self, Submission};
use model::artifact::Artifact;
use model::builtin::PREFIX;
use model::draw::{Draw, PRACTICE_SEED};
use model::fault::quote;
use model::fixture::Participant;
use model::numbers::{plies, time};
use model::record::MatchRecord;
use model::stderr::{Stderr, with_own_paths};
use referee::table::PlayedGame;
use rulebook::nearest::did_you_mean;
use rulebook::rules::Rules;
use rulebook::{JudgeError, Loaded, Result, refuse, schedule};
use run::{builtin, open_run_cgroups, toolchains};
use sandbox::Isolation;
use stage::Stage;
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

enum SeatChoice {
    Human,
    Builtin(String),
    Submitted(PathBuf, Box<Submission>),
}

impl SeatChoice {
    fn of(word: &str, game: Option<&Arc<dyn Rules>>) -> Result<Self> {
        if word == "human" {
            return Ok(Self::Human);
        }
        if word.starts_with(PREFIX) {
            return Ok(Self::Builtin(word.to_owned()));
        }
        let path = Path::new(word);
        let meant = did_you_mean(word, ["human"]);
        if !path.exists() && !meant.is_empty() {
            return refuse(format!("there is no bot {word}{meant}"));
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
    pub(super) fn execute(&self) -> Result<Done> {
        if self.settings.states.is_some() {
            return refuse("--states is for tournaments; use --state N to choose an initial state");
        }
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
        let artifact = |(seat, player): (usize, &SeatChoice)| match player {
            SeatChoice::Human => Ok(None),
            SeatChoice::Builtin(name) => {
                let bot = builtin::entrant(&*rules, name, &folder.seat_dir(seat)?, false)?;
                bot.program
                    .map(Some)
                    .map_err(|broken| JudgeError::input(broken.to_string()))
            }
            SeatChoice::Submitted(path, _) => folder
                .build(path, seat, &rules, &competition, &isolation, &tools)
                .map(Some),
        };
        let artifacts: Result<Vec<_>, _> = players.iter().enumerate().map(artifact).collect();
        let done = artifacts.and_then(|artifacts| {
            let conditions = &competition.conditions;
            let infos: Vec<PlayerInfo> = players
                .iter()
                .zip(rules.info().roles)
                .map(|(player, role)| PlayerInfo {
                    name: player.name().to_owned(),
                    role,
                    is_program: !matches!(player, SeatChoice::Human),
                    time: conditions.time_of(player.name()),
                })
                .collect();
            let seats = artifacts
                .iter()
                .zip(&infos)
                .map(|(artifact, info)| Participant {
                    entrant: info.name.as_str().into(),
                    artifact: artifact.as_ref().map_or("human", |a| &a.hash).into(),
                })
                .collect();
            let fixture = fixture(&*rules, conditions, (&draw, self.state), seats, setup);
            let title = format!("{}, state {}", rules.info().title, self.state);
            let game = Arc::clone(&rules);
            let stage = Stage::new(game, conditions, start, infos, title, self.pace);
            let artifacts: Vec<Artifact> = artifacts.into_iter().flatten().collect();
            let run_cgroups = open_run_cgroups(&mut isolation, conditions.processes)?;
            let stage = Rc::new(RefCell::new(stage));
            stage.borrow_mut().open()?;
            let caged = (isolation, run_cgroups.as_ref());
            let game = (&fixture, conditions);
            let played = one_game::play(&*rules, game, artifacts, Some(0), caged, &stage);
            let mut stage = stage.borrow_mut();
            stage.screen = None;
            if let (Err(_), Some(ply)) = (&played, stage.left_at) {
                say!("quit after {}", plies(ply as usize));
                return Ok(Done::Success);
            }
            let played = played?;
            stage.show_end()?;
            print(&played, &stage);
            Ok(Done::Success)
        });
        folder.await_interrupt();
        done
    }

    fn competition(&self, players: &[SeatChoice]) -> Result<Loaded> {
        let (submissions, places): (Vec<_>, Vec<_>) = players
            .iter()
            .filter_map(|player| match player {
                SeatChoice::Submitted(place, one) => Some((Submission::clone(one), place.clone())),
                SeatChoice::Human | SeatChoice::Builtin(_) => None,
            })
            .unzip();
        let spec = self.settings.competition()?;
        let loaded = spec.load(&submissions, &places)?;
        say_each("", spec.note_on_rules(&loaded));
        Ok(loaded)
    }
}

/// Fills the seats without a named player with the strongest built-in bot.
fn seated(
    rules: &dyn Rules,
    seats: usize,
    mut players: Vec<SeatChoice>,
) -> Result<Vec<SeatChoice>> {
    if players.len() > seats {
        let (info, given) = (rules.info(), players.len());
        let named = info.roles[..seats].join(", ");
        return refuse(format!(
            "{} has {seats} seats here ({named}), but {given} players are given",
            info.title
        ));
    }
    players.resize_with(seats, || {
        SeatChoice::Builtin(format!("{PREFIX}{}", builtin::strongest(rules)))
    });
    Ok(players)
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
    let mut lines = Vec::new();
    for note in &stderr.notes {
        let mut add = |text: &str| lines.push(format!("turn {}: {text}", note.turn));
        if !note.text.is_empty() {
            add(&note.text);
        }
        if !note.cut.is_empty() {
            add(&format!("(cut: {})", note.cut));
        }
    }
    lines
}

fn print_lines(heading: &str, lines: &[impl AsRef<str>]) {
    if lines.is_empty() {
        return;
    }
    say!("\n{heading}");
    let hidden = lines.len().saturating_sub(STDERR_LINES_MAX);
    if hidden > 0 {
        say!("  … {hidden} more lines above");
    }
    for text in &lines[hidden..] {
        let text = format!("  | {}", quote(text.as_ref().as_bytes()));
        let line = terminal::line(text, terminal::Style::Dim);
        say!("{}", terminal::paint().line(&line));
    }
}

const STDERR_LINES_MAX: usize = 20;

/// Returns a line for each seat: the player, the result, the time.
fn results(record: &MatchRecord, stage: &Stage) -> Vec<String> {
    let seats = 0..stage.player_infos.len();
    let names: Vec<String> = seats
        .clone()
        .map(|seat| quote(who(record, stage.roles(), Seat::new(seat)).as_bytes()))
        .collect();
    let widest = names
        .iter()
        .map(|name| name.chars().count())
        .max()
        .unwrap_or(0)
        .min(COLUMNS / 2);
    let line = |seat: usize| {
        let outcome = record.outcome.seats[seat];
        let result = match outcome.result {
            GameResult::Won => "won",
            GameResult::Drawn => "drew",
            GameResult::Lost => "lost",
        };
        let (name, points) = (&names[seat], outcome.points);
        let cpu = if stage.player_infos[seat].is_program {
            format!(", CPU {}", time(record.seats[seat].cpu_us))
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
