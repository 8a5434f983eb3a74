//! Bots that take a shared resource of all programs of a user (threads, room for signals) or an
//! unlimited one (page tables), or that undo being stopped; and honest bots next to them.

use crate::support::{Has, PATIENCE, Scene, catalogue, eventually, launch, processes};
use model::fault::{Cause, Phase};
use nix::sys::signal::Signal;
use referee::table::player::{Allowance, Player, Shutdown, Spent};
use run::play::{ProcessPlayer, WorkerBots};
use sandbox::{BotRights, Cage, Isolation};
use std::fs;
use std::path::Path;
use std::time::Duration;

const TURN: &[u8] = b"{\"turn\":{\"legal\":[[0,0]]}}\n";

struct Table {
    scene: Scene,
    bots: WorkerBots,
}

impl Table {
    fn new() -> Self {
        let scene = Scene::new();
        compile(scene.folder());
        Self {
            scene,
            bots: WorkerBots::default(),
        }
    }

    fn seat(&self, mode: &str) -> Bot {
        let folder = self.scene.folder();
        let rights = BotRights::default();
        let cage = Cage::for_bots(&Isolation::find(), folder, 0, rights).expect("a cage");
        let (program, args) = (folder.join("holder"), [mode.to_owned()]);
        let launch = launch(&program, &args, folder, &cage);
        let player = ProcessPlayer::start(&launch, 1, &self.bots, &[]);
        Bot(Box::new(player.expect("it starts")))
    }

    /// Seats a bot that waits, and one that computed off turn and is stopped.
    fn other_and_stopped(&self) -> [Bot; 2] {
        let other = self.seat("waits").warm();
        let mut bot = self.seat("burns").warm();
        let answer = ask_until_stopped(&mut bot).result;
        answer.expect("nobody blames this one");
        eventually("it is stopped", || bot.state() == 'T');
        [other, bot]
    }
}

fn compile(folder: &Path) {
    let program = folder.join("holder");
    catalogue::compile("gcc", &catalogue::hostile("holder.c"), &program);
}

struct Bot(Box<ProcessPlayer>);

impl Bot {
    fn ask(&mut self, phase: Phase) -> Spent {
        let (hello, turn) = (&b"hello\n"[..], TURN);
        let message = if phase == Phase::Turn { turn } else { hello };
        let allowance = Allowance {
            cpu_us: Some(60_000_000),
            wall: PATIENCE,
            idle: None,
        };
        let spent = self.0.ask(phase, message, allowance);
        spent.expect("not ours")
    }

    /// Greets the bot and asks it once, and expects answers.
    fn warm(mut self) -> Self {
        for phase in [Phase::Hello, Phase::Turn] {
            self.ask(phase).result.expect("an answer");
        }
        self
    }

    fn pid(&self) -> i32 {
        self.0.process().expect("it is one")
    }

    fn state(&self) -> char {
        processes::state(self.pid()).expect("not reaped")
    }

    fn status(&self, name: &str) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.pid()));
        let status = status.expect("not reaped");
        let mut lines = status.lines().filter_map(|line| line.split_once(':'));
        let value = lines.find(|(key, _)| *key == name);
        let digits = value.and_then(|(_, value)| value.trim().split([' ', '/']).next());
        digits.and_then(|digits| digits.parse().ok()).unwrap_or(0)
    }

    fn cpu(&self) -> Duration {
        processes::cpu_of(self.pid())
    }
}

const FULL: &str = "MiB of memory in use, and it may have 1152 MiB";
const SIGNALS: &str = "keeps signals waiting: ";

/// The resource taken, the cause blamed for it, and words of the fault.
const TAKEN: [(&str, Cause, &str); 6] = [
    ("threads", Cause::Threads, "a bot may have 256"),
    ("page-tables", Cause::Memory, "they may take 128 MiB"),
    ("timers", Cause::Threads, "timers, and a bot may have 256"),
    ("read-only", Cause::Memory, FULL),
    ("signals", Cause::Threads, SIGNALS),
    ("signals-of-a-thread", Cause::Threads, SIGNALS),
];

#[test]
fn exceeding_limits_at_start_or_turn_is_blamed() {
    let table = Table::new();
    for (what, cause, words) in TAKEN {
        for (when, phase) in [("starting", Phase::Hello), ("thinking", Phase::Turn)] {
            let mut bot = table.seat(&format!("{what}-{when}"));
            if phase == Phase::Turn {
                bot.ask(Phase::Hello).result.expect("an answer");
            }
            let offence = bot.ask(phase).result.expect_err(what);
            assert_eq!(offence.cause, cause, "{offence:?}");
            offence.detail.has(&[words]);
            if what == "page-tables" {
                let taken = offence.detail.split(' ').nth(4).expect("a number of MiB");
                let taken: u64 = taken.parse().expect("a number");
                let is_far_below = (128..1024).contains(&taken);
                assert!(is_far_below, "of the memory limit: {offence:?}");
            }
            assert_eq!(bot.state(), 'Z', "{what}: it was ended at once");
            // The kernel forgets its waiting signals only when it is reaped.
            bot.0.finish(Shutdown::Kill).expect("not ours");
        }
    }
}

#[test]
fn bot_exceeding_limits_off_turn_is_terminated() {
    let table = Table::new();
    for (what, cause, words) in TAKEN {
        let mut other = table.seat("waits").warm();
        let mut sly = table.seat(&format!("{what}-off-turn"));
        sly.ask(Phase::Hello).result.expect("an answer");
        // On a busy machine it may have taken much before the judge learns of its answer.
        let offence = sly.ask(Phase::Turn).result.err().unwrap_or_else(|| {
            eventually("its end", || {
                let answer = other.ask(Phase::Turn).result;
                answer.expect("nobody blames this one");
                sly.state() == 'Z'
            });
            sly.ask(Phase::Turn).result.expect_err(what)
        });
        assert_eq!(offence.cause, cause, "{offence:?}");
        offence.detail.has(&[words]);
    }
}

#[test]
fn bot_is_not_blamed_for_another_bots_signals() {
    let table = Table::new();
    let sly = table.seat("signals-off-turn").warm();
    // No bot is being waited for, and the judge checks nothing.
    eventually("its signals", || sly.status("SigQ") > 2000);
    let mut other = table.seat("waits").warm();
    let answer = other.ask(Phase::Turn).result;
    answer.expect("nobody blames this one");
}

/// Asks a bot that computes off turn until the judge has to stop it there.
fn ask_until_stopped(bot: &mut Bot) -> Spent {
    let before = bot.cpu();
    eventually("computing off turn", || {
        bot.cpu() >= before + Duration::from_millis(20)
    });
    let spent = bot.ask(Phase::Turn);
    assert!(spent.cost.suspended);
    spent
}

#[test]
fn stopped_bot_with_continue_timer_is_terminated() {
    let table = Table::new();
    let [mut other, bot] = table.other_and_stopped();
    // The kernel reports this a moment before it takes the bot off its CPU.
    let mut stopped = bot.cpu();
    eventually("it is off its CPU", || {
        stopped = bot.cpu();
        // The other thinks for 100 ms.
        other.ask(Phase::Turn).result.expect("an answer");
        bot.cpu() == stopped
    });
    other.ask(Phase::Turn).result.expect("an answer");
    assert_eq!(bot.cpu(), stopped);
    let mut sly = table.seat("burns and undoes-stops").warm();
    let offence = ask_until_stopped(&mut sly).result.expect_err("it is ended");
    assert_eq!(sly.state(), 'Z');
    assert_eq!(offence.cause, Cause::Threads, "{offence:?}");
    offence.detail.has(&["has a timer"]);
}

#[test]
fn stopped_bot_that_continues_is_stopped_again() {
    let table = Table::new();
    let [mut other, bot] = table.other_and_stopped();
    processes::signal(bot.pid(), Signal::SIGCONT);
    eventually("it goes on", || bot.state() != 'T');
    eventually("it is stopped again", || {
        other.ask(Phase::Turn).result.expect("an answer");
        bot.state() == 'T'
    });
}

pub(crate) fn enter(scene: &Scene, name: &str, mode: &str) {
    scene.sources(name, &[("mode", mode)]);
    let program = scene.folder().join("holder");
    if !program.exists() {
        compile(scene.folder());
    }
    let bot = scene.submissions().join(name).join("bot");
    fs::copy(program, bot).expect("a new file");
}

#[test]
fn honest_bots_next_to_excessive_ones_play_on() {
    let scene = Scene::new();
    let honest = ["ann", "bob"];
    for name in honest {
        enter(&scene, name, "needs-threads");
    }
    let sly = [
        ("threads", "threads"),
        ("threads-later", "threads"),
        ("page-tables", "memory"),
        ("signals", "threads"),
        ("timers", "threads"),
    ];
    for (name, _) in sly {
        let mode = name.replace("later", "thinking");
        let is_later = name == "threads-later";
        let when = if is_later { "" } else { "-starting" };
        enter(&scene, name, &format!("{mode}{when}"));
    }
    let flags = "--game catch-the-cat --states 1 --set side=5";
    scene.run(&format!("{flags} --jobs 2")).well();
    let games = scene.rows("games.csv");
    for game in &games {
        let seats = [game.get("cat"), game.get("catcher")];
        let blamed = sly.iter().find(|(name, _)| *name == game.get("charged"));
        if seats.iter().all(|name| honest.contains(name)) {
            assert_eq!(game.get("end"), "rules", "{game:?}");
        } else {
            let (_, end) = blamed.expect("one of those that take too much");
            assert_eq!(game.get("end"), *end, "{game:?}");
        }
    }
}
