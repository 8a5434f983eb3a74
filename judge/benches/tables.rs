//! Cost of the tables of a big run: time and peak memory.
//!
//! Usage: `cargo bench -p judge --bench tables [-- [states] [--against PROGRAM]]`.
//!
//! It writes a journal of 60 entrants of Catch the Cat into a temporary folder, game by game: each
//! cat against each catcher, 102 states each (361,080 games). A process of its own makes the
//! tables; then `judge verify` checks it.
//!
//! `--against` names an earlier build of this benchmark, by the path that `cargo bench --no-run`
//! prints. Then both builds make the tables in turn, five times each. The benchmark prints the
//! medians and their ratios; the tables must be the same.
//!
//! `-- --keep FOLDER [states]` only writes such a journal into a new folder. Its games follow the
//! rules, which lets its page show whole games (`scripts/bench-page`).
//!
//! `cargo test` takes few entrants and one state, to show that this benchmark works.

#![expect(
    clippy::disallowed_methods,
    reason = "a benchmark reads what it has made"
)]

use engines::catch_the_cat::Point;
use engines::{GameResult, Outcome, Seat, SeatOutcome};
use model::artifact::Artifact;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::{TimeVal, TimeValLike};
use nix::time::{ClockId, clock_gettime};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use report::{PlayedRun, write_tables};
use rulebook::schedule;
use sandbox::Isolation;
use serde_json::value::RawValue;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use store::manifest::{Machine, Manifest};
use store::{Games, Journal, Keys};

use model::FORMAT;
use model::entrant::Entrant;
use model::fault::{Cause, Fault, Phase};
use model::fixture::{Fixture, Participant};
use model::record::{End, MatchRecord, SeatRecord, TurnRecord};

const ENTRANTS: usize = 60;
const ENTRANTS_IN_TESTS: usize = 6;
const STATES: u32 = 102;
const STATES_IN_TESTS: u32 = 1;
/// Number of plies of a game, the end exclusive, as on the course's board.
const PLIES: std::ops::Range<usize> = 8..40;
/// Number of cells that the catcher tries when it has to block one.
const CATCHER_TRIES: usize = 20;
/// Number of games for each one that ends by a fault, on average.
const GAMES_PER_FAULT: u32 = 50;

/// Returns whether `cargo bench` runs this, rather than `cargo test`.
fn is_measured() -> bool {
    std::env::args().any(|word| word == "--bench")
}

fn sized<T>(measured: T, in_tests: T) -> T {
    if is_measured() { measured } else { in_tests }
}

fn entrants() -> usize {
    sized(ENTRANTS, ENTRANTS_IN_TESTS)
}

fn main() {
    let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
    let first = words.next();
    if let Some(act) = ACTS.into_iter().find(|act| first.as_deref() == Some(act.0)) {
        act.1(Path::new(&words.next().expect("a folder")));
        return;
    }
    if first.as_deref() == Some("--keep") {
        let folder = words.next().expect("a folder");
        let states = words.next().map(|n| n.parse().expect("a number of states"));
        fs::create_dir_all(&folder).expect("a folder");
        let games = synthesise(Path::new(&folder), states.unwrap_or(STATES), by_the_rules);
        println!("{games} games of {} entrants in {folder}", entrants());
        return;
    }
    let (states, against) = match first.as_deref() {
        Some("--against") => (None, words.next()),
        states => (states.map(str::to_owned), words.nth(1)),
    };
    let all = sized(STATES, STATES_IN_TESTS);
    let states = states.map_or(all, |n| n.parse().expect("a number of states"));
    let folder = tempfile::tempdir().expect("a temporary folder");
    let began = Instant::now();
    let games = synthesise(folder.path(), states, any_turns);
    let journal = fs::metadata(folder.path().join("journal.jsonl")).expect("written");
    let (entrants, mb) = (entrants(), journal.len() / 1_000_000);
    let seconds = began.elapsed().as_secs_f64();
    println!("{games} games of {entrants} entrants, {mb} MB, written in {seconds:.1} s");
    let own = std::env::current_exe().expect("this program");
    if let Some(against) = against {
        compare(folder.path(), [Path::new(&against), &own]);
        return;
    }
    for (act, _) in ACTS {
        let ended = acting(&own, act, folder.path()).status();
        assert!(ended.expect("started").success());
    }
}

/// The acts that are measured, each in a process that has not made the journal: its memory would
/// count.
const ACTS: [(&str, Act); 2] = [("--tables", tables), ("--verify", verify)];

/// Function that is measured on a run's folder.
type Act = fn(&Path);

fn acting(program: &Path, act: &str, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.args(is_measured().then_some("--bench"));
    command.arg(act).arg(folder);
    command
}

/// Number of times that each of two programs makes the tables.
const ROUNDS: usize = 5;

/// Runs two programs in turn to make the tables, and prints their times and memory.
fn compare(folder: &Path, programs: [&Path; 2]) {
    let mut taken = [const { Vec::new() }; 2];
    let mut tables = [const { Vec::new() }; 2];
    for _ in 0..ROUNDS {
        for (number, program) in programs.iter().enumerate() {
            let (began, cpu) = (Instant::now(), children_cpu());
            let mut command = acting(program, "--tables", folder);
            let ended = command.stdout(Stdio::null()).status();
            assert!(ended.expect("started").success());
            let cpu = children_cpu().saturating_sub(cpu).as_secs_f64();
            taken[number].push([began.elapsed().as_secs_f64(), cpu]);
            tables[number] = ["games.csv", "faults.csv", "standings.csv"]
                .map(|name| fs::read(folder.join(name)).expect("written"))
                .to_vec();
        }
    }
    assert!(tables[0] == tables[1], "the tables differ");
    let median = |number: usize, what: usize| {
        let mut all: Vec<f64> = taken[number].iter().map(|one| one[what]).collect();
        all.sort_by(f64::total_cmp);
        all[ROUNDS / 2]
    };
    for (what, name) in ["wall time", "CPU time"].iter().enumerate() {
        let (before, now) = (median(0, what), median(1, what));
        let ratio = now / before;
        println!("{name}: {before:.2} s before, {now:.2} s now, ratio {ratio:.2}");
    }
}

/// Runs `judge verify`, which referees all games and makes all tables again. It finds differences,
/// because the games are made up.
fn verify(folder: &Path) {
    let (began, cpu) = (Instant::now(), children_cpu());
    let mut judge = Command::new(env!("CARGO_BIN_EXE_judge"));
    let ended = judge
        .arg("verify")
        .arg(folder)
        .stdout(Stdio::null())
        .status();
    assert!(ended.expect("started").code().is_some());
    println!(
        "{:6.2} s, CPU {:6.2} s, {:4} MB at most: judge verify",
        began.elapsed().as_secs_f64(),
        children_cpu().saturating_sub(cpu).as_secs_f64(),
        children_peak_mb()
    );
}

/// Returns the CPU time of all ended child processes.
fn children_cpu() -> Duration {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).expect("Linux");
    let us = |time: TimeVal| {
        Duration::from_micros(u64::try_from(time.num_microseconds()).expect("positive"))
    };
    us(usage.user_time()) + us(usage.system_time())
}

/// Returns the peak memory of the largest ended child process, in MB.
fn children_peak_mb() -> i64 {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).expect("Linux");
    usage.max_rss() * 1024 / 1_000_000
}

fn contestants() -> Vec<Participant> {
    let contestant = |number: usize| Participant {
        entrant: format!("student-{number:02}").into(),
        artifact: format!("{number:032x}").into(),
    };
    (0..entrants()).map(contestant).collect()
}

/// Function that makes up the moves of a game.
type Moves = fn(&Fixture, &mut ChaCha8Rng) -> Vec<(usize, String)>;

fn synthesise(folder: &Path, states: u32, moves: Moves) -> usize {
    let rules = rulebook::rules::find("catch-the-cat").expect("registered");
    let mut competition = rulebook::standard(&*rules);
    competition.states = states;
    let contestants = contestants();
    let entrant = |one: &Participant| {
        let artifact = Artifact {
            hash: one.artifact.to_string(),
            directory: String::new(),
            program: String::new(),
            args: Vec::new(),
            tokens: None,
            forks: false,
            toolchains: Vec::new(),
            versions: Vec::new(),
            without_paths: false,
            startup_free_ms: None,
        };
        Entrant::new(one.entrant.to_string(), "executable", Ok(artifact))
    };
    let entrants: Vec<Entrant> = contestants.iter().map(entrant).collect();
    let machine = Machine::detect(false, Isolation::find().confinement());
    let mut journal = Journal::open(folder, &competition.conditions).expect("a new journal");
    let keys = Keys::of_run(folder).expect("made with the journal");
    let manifest = Manifest::new(judge::BUILD, competition.clone(), &keys, &entrants, machine);
    manifest.write(folder).expect("written");
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let draw = keys.draw(&competition);
    let fixtures = schedule::fixtures(&competition, &draw, &contestants, None).expect("allowed");
    let games = fixtures.len();
    for fixture in &fixtures {
        let moves = moves(fixture, &mut rng);
        let record = record(fixture, moves, &mut rng);
        journal.append(&record).expect("written");
    }
    games
}

fn any_cell(rng: &mut ChaCha8Rng) -> String {
    let (x, y) = (rng.random_range(-10..11), rng.random_range(-10..11));
    format!("[{x},{y}]")
}

/// Returns as many moves as a real game has; they need not be legal.
fn any_turns(_: &Fixture, rng: &mut ChaCha8Rng) -> Vec<(usize, String)> {
    let plies = rng.random_range(PLIES);
    (0..plies).map(|ply| (ply % 2, any_cell(rng))).collect()
}

/// Plays a game by the rules: the cat walks to the right as well as it can, and the catcher blocks
/// any cell.
fn by_the_rules(fixture: &Fixture, rng: &mut ChaCha8Rng) -> Vec<(usize, String)> {
    let entry = engines::game("catch-the-cat").expect("registered");
    let mut game = entry.start(&fixture.setup).expect("drawn by the rules");
    let mut cat = Point::CENTRE;
    let mut moves = Vec::new();
    while let Some(seat) = game.to_move().first() {
        let mut ways = cat.neighbours();
        ways.sort_by_key(|to| -to.0);
        let steps = ways.map(|to| (format!("[{},{}]", to.0, to.1), to));
        let blocks = std::iter::repeat_with(|| (any_cell(rng), cat)).take(CATCHER_TRIES);
        let is_cat = seat.index() == 0;
        let tries: Vec<(String, Point)> = if is_cat {
            steps.to_vec()
        } else {
            blocks.collect()
        };
        let mut tries = tries.into_iter();
        let played = tries.find(|(mv, _)| game.play_recorded(seat, mv).is_ok());
        let Some((mv, now)) = played else { break };
        cat = now;
        moves.push((seat.index(), mv));
    }
    moves
}

/// Makes up a game with the shape of a real one; the entrant with the higher number wins more
/// often.
fn record(fixture: &Fixture, moves: Vec<(usize, String)>, rng: &mut ChaCha8Rng) -> MatchRecord {
    let strength = |seat: usize| -> f64 {
        let name = fixture.seats[seat].entrant.trim_start_matches("student-");
        name.parse().expect("a number")
    };
    let own = strength(0) + 10.0;
    let cat_wins = rng.random::<f64>() < own / (own + strength(1) + 10.0);
    let plies = moves.len();
    let seats = fixture.seats.iter().map(|one| SeatRecord::of(one, 0));
    let mut seats: Vec<SeatRecord> = seats.collect();
    let mut turns = Vec::new();
    for (seat, mv) in moves {
        let cpu_us = rng.random_range(400..900);
        let mv = RawValue::from_string(mv).expect("JSON");
        turns.push(TurnRecord {
            seat: Seat::new(seat),
            mv: Some(mv),
            cpu_us,
            wall_us: cpu_us + 300,
        });
        seats[seat].cpu_us += cpu_us;
        seats[seat].wall_us += cpu_us + 300;
        seats[seat].startup_wall_us += 900;
    }
    let fault = rng.random_range(0..GAMES_PER_FAULT) == 0;
    let (cause, seat) = (Cause::Crash, Seat::new(usize::from(cat_wins)));
    let faults = fault.then(|| Fault {
        seat,
        cause,
        detail: "ended by signal 11 (SIGSEGV)".to_owned(),
        ply: u32::try_from(plies).expect("few"),
        phase: Phase::Turn,
        raised: None,
        line: None,
        exit: None,
        went_short: false,
        cpu_us: 300,
        wall_us: 500,
    });
    let end = fault.then_some(End::Fault { cause, seat });
    let outcome = |won: bool| {
        let of_winner = (GameResult::Won, 1, 441 - plies.min(441));
        let of_loser = (GameResult::Lost, 2, plies);
        let (result, placement, points) = if won { of_winner } else { of_loser };
        SeatOutcome {
            result,
            placement,
            points: i64::try_from(points).expect("few"),
            tie_break: 0,
        }
    };
    MatchRecord {
        v: FORMAT,
        fixture: fixture.id,
        game: "catch-the-cat".to_owned(),
        state: fixture.state,
        setup: RawValue::to_owned(&fixture.setup),
        draw: fixture.luck.draw.clone(),
        seats,
        turns,
        faults: faults.into_iter().collect(),
        end: end.unwrap_or(End::Rules),
        outcome: Outcome {
            seats: vec![outcome(cat_wins), outcome(!cat_wins)],
            reason: "the cat reached the border".into(),
        },
        overloaded: false,
        machine: None,
    }
}

fn tables(folder: &Path) {
    let began = Instant::now();
    let reported = |what: &str| {
        let cpu = clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).expect("a clock");
        println!(
            "{:6.2} s, CPU {:6.2} s, {:4} MB at most: {what}",
            began.elapsed().as_secs_f64(),
            Duration::from(cpu).as_secs_f64(),
            peak_mb()
        );
    };
    let manifest = Manifest::read(folder).expect("readable").expect("there");
    let keys = Keys::of_run(folder).expect("made with the run");
    let draw = keys.draw(&manifest.competition);
    let ids =
        schedule::ids(&manifest.competition, &draw, &contestants(), None, None).expect("allowed");
    reported("the games are listed");
    let journal = Games::open(folder, &manifest.competition.conditions, ids);
    let journal = journal.expect("a journal");
    reported("the journal is indexed");
    let run = PlayedRun {
        folder,
        manifest: &manifest,
        ids: journal.listed(),
        games: &journal,
        keys: &keys,
    };
    let written = write_tables(&run, folder).expect("written");
    reported("the tables are written");
    assert_eq!(written.table.rows.len(), entrants());
}

/// Returns the peak memory of this process, in MB.
fn peak_mb() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB"));
    let kib: Option<u64> = kib.and_then(|kib| kib.trim().parse().ok());
    kib.expect("a number") * 1024 / 1_000_000
}
