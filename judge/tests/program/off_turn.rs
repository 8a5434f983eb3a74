//! Charges for a bot's process, and their enforcement, with real processes.

use crate::support::bot::Bot;
use crate::support::{Has, PATIENCE, Scene, eventually, processes, write_program};
use model::fault::Cause;
use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::sys::signal::Signal;
use nix::unistd::Pid;
use referee::table::player::{Player, Shutdown, Spent};
use run::play::WorkerBots;
use sandbox::pin_to;
use std::time::Duration;

/// `burn` uses seconds of CPU time by its own clock; `step` is that clock's mean step, in ns.
const PYTHON: &str = include_str!("../bots/burning.py");

/// A bot on the CPU of the test's thread, without bots of other tests.
struct Alone {
    bot: Bot,
    _scene: Scene,
    _pinned: Pinned,
}

impl Alone {
    fn start(program: &str) -> Self {
        let pinned = Pinned::to(0);
        let scene = Scene::new();
        let path = scene.folder().join("bot.py");
        write_program(&path, &format!("{PYTHON}{program}\n"));
        Self {
            bot: Bot::start(&path, &[], &WorkerBots::default()),
            _scene: scene,
            _pinned: pinned,
        }
    }

    fn ask(&mut self, cpu_us: u64, wall: Duration) -> Spent {
        self.bot.ask("question\n", cpu_us, wall)
    }

    fn answer(&mut self) -> Spent {
        let spent = self.ask(10_000_000, PATIENCE);
        spent.result.clone().expect("an answer");
        spent
    }

    /// Waits until the bot waits or is stopped; `state` says which.
    fn settles(&self, state: char) {
        let waits = || ['S', 'T'].contains(&self.bot.state());
        eventually("waiting for a question", waits);
        assert_eq!(self.bot.state(), state);
    }
}

/// This thread on one CPU until it is dropped, because other tests may use the thread next.
pub(crate) struct Pinned {
    before: CpuSet,
}

impl Pinned {
    pub(crate) fn to(cpu: usize) -> Self {
        let before = sched_getaffinity(Pid::from_raw(0)).expect("a thread has CPUs");
        pin_to(cpu).expect("there is a CPU");
        Self { before }
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        sched_setaffinity(Pid::from_raw(0), &self.before).expect("it had them before");
    }
}

#[test]
fn off_turn_computing_is_charged_then_suspended() {
    // Long enough to leave much of it, however late the judge learns of the answer.
    let program = "ask(); say()\nwhile True: ask(); say(); burn(0.3)";
    let mut bot = Alone::start(program);
    bot.answer();
    bot.answer();
    bot.bot.computes_off_turn();
    let second = bot.answer().cost;
    assert!(second.off_turn_us >= 20_000, "{second:?}");
    assert!(second.suspended);
    // From here on the test looks at the bot while it is stopped, when its clock does not advance.
    bot.settles('T');
    let before = bot.bot.cpu();
    let (mut gaps, mut in_turns, mut charged_us) = (Vec::new(), Vec::new(), 0);
    for _ in 0..5 {
        let later = bot.answer().cost;
        assert!(later.suspended);
        gaps.push(later.off_turn_us);
        in_turns.push(later.cpu_us - later.off_turn_us);
        charged_us += later.cpu_us;
        bot.settles('T');
    }
    let used = bot.bot.cpu().saturating_sub(before);
    let used_us = u64::try_from(used.as_micros()).expect("little");
    // Its CPU time between an answer and the stop is in the next charge.
    charged_us += bot.answer().cost.off_turn_us;
    charged_us -= gaps[0];
    let is_exact = charged_us.abs_diff(used_us) < used_us / 1000;
    assert!(is_exact, "{charged_us} µs of {used_us} are charged");
    // However late the judge learns of an answer on a loaded machine, it is a part of the turn.
    in_turns.sort_unstable();
    gaps.sort_unstable();
    assert!(gaps[2] < in_turns[2], "{gaps:?}, {in_turns:?}");
}

#[test]
fn suspended_bot_resumes_after_its_game() {
    let program = "signal.signal(signal.SIGCONT, lambda *_: os.write(2, b'resumed '))\n\
        ask(); say()\nwhile True: ask(); say(); burn(0.3)";
    let runs_again = || {
        let mut bot = Alone::start(program);
        bot.answer();
        bot.answer();
        bot.bot.computes_off_turn();
        assert!(bot.answer().cost.suspended);
        bot.settles('T');
        let mut stderr = bot.bot.player.take_stderr();
        assert_eq!(stderr.written(), 0, "nothing was stopped so far");
        let mut control = Alone::start("ask(); say()\nask(); burn(9)");
        control.answer();
        control.settles('S');
        let before = control.bot.cpu();
        bot.bot.player.send(b"bye\n");
        control.bot.player.send(b"go\n");
        let report = bot.bot.player.finish(Shutdown::Polite).expect("not ours");
        let had_time = control.bot.cpu() >= before + Duration::from_millis(5);
        stderr.append(report.stderr);
        (stderr.into_stderr(&[]).text == "resumed ", had_time)
    };
    // The wait is short, and a loaded machine may not run the bot in that time. Then the control
    // has not run either, and the attempt proves nothing.
    eventually("a try in which one of them runs", || {
        let (again, had_time) = runs_again();
        assert!(again || !had_time, "the control ran, and the bot did not");
        again
    });
}

#[test]
fn honest_work_between_turns_never_suspends() {
    let tidy = "keep = [[i] for i in range(5000)]\nwhile True: ask(); say(); gc.collect()";
    let threads = "import threading\nthreading.Thread(target=time.sleep, args=(99,), daemon=True).start()\nwhile True: ask(); say()";
    for program in ["while True: ask(); burn(0.002); say()", tidy, threads] {
        let mut bot = Alone::start(program);
        for _ in 0..20 {
            let cost = bot.answer().cost;
            assert!(!cost.suspended, "{program}: {cost:?}");
            bot.settles('S');
        }
    }
}

#[test]
fn startup_is_charged_once_after_first_answer() {
    let program = "burn(0.1)\nask(); say(); burn(0.3)\nwhile True: ask(); say()";
    let mut bot = Alone::start(program);
    eventually("starting", || bot.bot.cpu() > Duration::from_millis(50));
    let first = bot.answer().cost;
    assert_eq!((first.off_turn_us, first.suspended), (0, false));
    bot.bot.computes_off_turn();
    let second = bot.answer().cost;
    assert!(second.off_turn_us >= 20_000, "{second:?}");
    assert!(!second.suspended);
    bot.settles('S');
}

#[test]
fn bot_waiting_for_next_match_game_computes_nothing() {
    let mut bot = Alone::start("ask(); say(); burn(10**9)");
    bot.answer();
    bot.bot.player.pause().expect("valid");
    bot.settles('T');
    let used = bot.bot.cpu();
    let spent = bot.ask(100_000, PATIENCE);
    assert_eq!(spent.result.expect_err("it computes").cause, Cause::Time);
    assert!(bot.bot.cpu() > used, "it went on when it was asked");
    drop(bot);

    let mut polite = Alone::start("ask(); say(); ask()");
    polite.answer();
    polite.bot.player.pause().expect("valid");
    polite
        .bot
        .player
        .finish(Shutdown::Polite)
        .expect("not ours");
}

/// An entrant that plays the first legal move after `before`, and then runs `after`.
fn cat(before: &str, after: &str) -> String {
    format!(
        r#"{PYTHON}import json
while True:
    message = json.loads(ask())
    if "turn" in message:
        {before}
        say(json.dumps({{"move": message["turn"]["legal"][0]}}))
        {after}
    elif "end" not in message:
        say('{{"ready": {{"legal_moves": true}}}}')
"#
    )
}

#[test]
fn off_turn_computing_costs_bot_not_opponent() {
    let scene = Scene::new();
    let clock = r#"sys.stderr.write(f"{time.process_time_ns() // 1000}\n")"#;
    // While it computes, the other one has as much of their common CPU.
    scene.script("steady", &cat(&format!("burn(0.04); {clock}"), "pass"));
    scene.script("sly", &cat("pass", "burn(0.1)"));
    let flags = "--game catch-the-cat --states 1 --set side=9";
    let more = "--lifetime game --jobs 1";
    scene.run(&format!("{flags} {more}")).well();
    let said = scene.read("logs/stderr/steady.txt");
    let mut games = 0;
    for record in scene.records() {
        for (index, seat) in record.seats.iter().enumerate() {
            let sly = seat.entrant == "sly";
            assert_eq!(seat.suspended, sly, "{seat:?}");
            assert_eq!(seat.off_turn_us >= 10_000, sly, "{seat:?}");
            assert!(seat.off_turn_us <= seat.cpu_us, "{seat:?}");
            if !sly {
                let turns = record.turns.iter();
                let own = turns.filter(|turn| turn.seat.index() == index);
                let charged: Vec<u64> = own.map(|turn| turn.cpu_us).collect();
                assert_agreement(&charged, &own_clock(&said, &record.fixture.text()));
                games += 1;
            }
        }
    }
    assert_eq!(games, 2);
    for game in scene.rows("games.csv") {
        let number = |column: &str| game.get(column).parse::<u64>().expect("a number");
        assert!(number("cat_off_turn_us") <= number("cat_cpu_us"));
    }
}

/// Returns the values of a bot's own CPU clock at each answer of a game, from its output.
fn own_clock(said: &str, fixture: &str) -> Vec<u64> {
    let games = said.split("== game ").skip(1);
    let game = games.map(|game| game.split_once('\n').expect("a header"));
    let mut texts = game.filter(|(id, _)| *id == fixture);
    let (_, text) = texts.next().expect("it wrote something");
    let lines = text.lines().filter(|line| !line.starts_with("-- turn "));
    lines.map(|line| line.parse().expect("µs")).collect()
}

/// The charges after the first turn equal the progress of the bot's own clock. The first and the
/// last turn differ by its work between reading the clock and waiting.
fn assert_agreement(charged: &[u64], clock: &[u64]) {
    assert_eq!(charged.len(), clock.len());
    let charged_us: u64 = charged[1..].iter().sum();
    let own_us = clock[clock.len() - 1] - clock[0];
    assert!(own_us > 0, "{clock:?}");
    let difference = charged_us.abs_diff(own_us);
    assert!(difference < own_us / 10, "{charged:?}, {clock:?}");
}

#[test]
fn bot_has_configured_memory_and_fine_cpu_clock() {
    let scene = Scene::new();
    // The kernel's limit on CPU time makes that clock advance in steps of some milliseconds.
    let tell = "limit = resource.getrlimit(resource.RLIMIT_DATA); \
        sys.stderr.write(f'step {step()} ns, data {limit}\\n')";
    scene.script("teller", &cat(tell, "pass"));
    scene.first_legal("honest");
    let flags = "--game catch-the-cat --states 1 --set side=5 --lifetime game";
    scene.run(&format!("{flags} --memory-mib 64")).well();
    let said = scene.read("logs/stderr/teller.txt");
    said.has(&["data (67108864, 67108864)"]);
    let (_, step) = said.split_once("step ").expect("it tells");
    let (step, _) = step.split_once(' ').expect("it tells");
    let step_ns: u64 = step.parse().expect("a number");
    assert!(step_ns < 100_000, "{said}");
}

#[test]
fn second_line_after_owed_answer_answers_no_question() {
    let program = "def late(*_): say('late\\nforged'); os._exit(0)\n\
        signal.signal(signal.SIGUSR1, late)\n\
        ask(); say(); ask()\n\
        while True: signal.pause()";
    let mut bot = Alone::start(program);
    bot.answer();
    let silent = bot.ask(10_000_000, Duration::from_millis(100));
    let offence = silent.result.expect_err("it does not answer");
    assert_eq!(offence.cause, Cause::Silence);
    processes::signal(bot.bot.pid(), Signal::SIGUSR1);
    eventually("both lines are there", || bot.bot.state() == 'Z');
    let next = bot.ask(10_000_000, PATIENCE);
    let offence = next.result.expect_err("nobody has asked yet");
    assert_eq!(offence.cause, Cause::Unasked, "{offence:?}");
    assert!(bot.bot.player.line().is_empty());
}
