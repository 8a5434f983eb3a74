//! Bots that take a shared resource of all programs of a user (threads, room for signals) or an
//! unlimited one (page tables), or that undo being stopped; and honest bots next to them.

use crate::support::bot::Bot;
use crate::support::{Has, Scene, catalogue, eventually, processes};
use model::fault::Cause;
use nix::sys::signal::Signal;
use referee::table::player::{Player, Shutdown, Spent};
use run::play::WorkerBots;
use std::fs;
use std::path::PathBuf;

const TURN: &str = "{\"turn\":{\"legal\":[[0,0]]}}\n";

struct Table {
    scene: Scene,
    bots: WorkerBots,
}

impl Table {
    fn new() -> Self {
        Self {
            scene: Scene::new(),
            bots: WorkerBots::default(),
        }
    }

    fn seat(&self, mode: &str) -> Bot {
        Bot::start(&holder(&self.scene), &[mode.to_owned()], &self.bots)
    }

    /// Seats a bot, greets it and asks it once, and expects answers.
    fn warm(&self, mode: &str) -> Bot {
        let mut bot = self.seat(mode);
        answers(&mut bot);
        answers(&mut bot);
        bot
    }
}

/// Compiles the program once for each scene.
fn holder(scene: &Scene) -> PathBuf {
    let program = scene.folder().join("holder");
    if !program.exists() {
        catalogue::compile("gcc", &catalogue::hostile("holder.c"), &program);
    }
    program
}

/// Greets a bot, or asks it for its next move.
fn ask(bot: &mut Bot) -> Spent {
    bot.ask_patiently(TURN)
}

#[track_caller]
fn answers(bot: &mut Bot) {
    ask(bot).result.expect("nobody blames this one");
}

/// Returns a number of the kernel about a bot's process; 0 if it does not say.
fn status(bot: &Bot, name: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", bot.pid()));
    let status = status.expect("not reaped");
    let mut lines = status.lines().filter_map(|line| line.split_once(':'));
    let value = lines.find(|(key, _)| *key == name);
    let digits = value.and_then(|(_, value)| value.trim().split([' ', '/']).next());
    digits.and_then(|digits| digits.parse().ok()).unwrap_or(0)
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
fn exceeding_limits_is_blamed_and_ended() {
    let table = Table::new();
    for (what, cause, words) in TAKEN {
        for when in ["starting", "thinking", "off-turn"] {
            let mut other = (when == "off-turn").then(|| table.warm("waits"));
            let mut bot = table.seat(&format!("{what}-{when}"));
            if when != "starting" {
                answers(&mut bot);
            }
            // On a busy machine it may have taken much before the judge learns of its answer.
            let offence = ask(&mut bot).result.err().unwrap_or_else(|| {
                assert_eq!(when, "off-turn", "{what}");
                let other = other.as_mut().expect("it waits");
                eventually("its end", || {
                    answers(other);
                    bot.state() == 'Z'
                });
                ask(&mut bot).result.expect_err(what)
            });
            assert_eq!(offence.cause, cause, "{offence:?}");
            offence.detail.has(&[words]);
            if what == "page-tables" && when != "off-turn" {
                let taken = offence.detail.split(' ').nth(4).expect("a number of MiB");
                let taken: u64 = taken.parse().expect("a number");
                let is_far_below = (128..1024).contains(&taken);
                assert!(is_far_below, "of the memory limit: {offence:?}");
            }
            assert_eq!(bot.state(), 'Z', "{what}: it was ended at once");
            // The kernel forgets its waiting signals only when it is reaped.
            bot.player.finish(Shutdown::Kill).expect("not ours");
        }
    }
}

#[test]
fn bot_is_not_blamed_for_another_bots_signals() {
    let table = Table::new();
    let sly = table.warm("signals-off-turn");
    // No bot is being waited for, and the judge checks nothing.
    eventually("its signals", || status(&sly, "SigQ") > 2000);
    let mut other = table.warm("waits");
    answers(&mut other);
}

/// Asks a bot that computes off turn until the judge has to stop it there.
fn ask_until_stopped(bot: &mut Bot) -> Spent {
    bot.computes_off_turn();
    let spent = ask(bot);
    assert!(spent.cost.suspended);
    spent
}

#[test]
fn stopped_bot_stays_stopped_or_is_terminated() {
    let table = Table::new();
    let mut other = table.warm("waits");
    let mut bot = table.warm("burns");
    let answer = ask_until_stopped(&mut bot).result;
    answer.expect("nobody blames this one");
    eventually("it is stopped", || bot.state() == 'T');
    // The kernel reports this a moment before it takes the bot off its CPU.
    let mut stopped = bot.cpu();
    eventually("it is off its CPU", || {
        stopped = bot.cpu();
        // The other thinks for 100 ms.
        answers(&mut other);
        bot.cpu() == stopped
    });
    answers(&mut other);
    assert_eq!(bot.cpu(), stopped);
    processes::signal(bot.pid(), Signal::SIGCONT);
    eventually("it goes on", || bot.state() != 'T');
    eventually("it is stopped again", || {
        answers(&mut other);
        bot.state() == 'T'
    });
    let mut sly = table.warm("burns and undoes-stops");
    let offence = ask_until_stopped(&mut sly).result.expect_err("it is ended");
    assert_eq!(sly.state(), 'Z');
    assert_eq!(offence.cause, Cause::Threads, "{offence:?}");
    offence.detail.has(&["has a timer"]);
}

pub(crate) fn enter(scene: &Scene, name: &str, mode: &str) {
    scene.sources(name, &[("mode", mode)]);
    let bot = scene.submissions().join(name).join("bot");
    fs::copy(holder(scene), bot).expect("a new file");
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
        let mode = match name {
            "threads-later" => "threads-thinking".to_owned(),
            _ => format!("{name}-starting"),
        };
        enter(&scene, name, &mode);
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
