//! Time to start a bot, with and without the sandbox: from the request to its first line.
//!
//! Usage: `cargo bench -p judge --bench spawn [program…]`; the default program is `/bin/echo
//! ready`. `cargo test` runs a few starts, to show that this benchmark works.

use sandbox::{BotRights, Cage, Isolation, Launch, Limits, Namespaces, Pool, RunCgroups};
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::time::{Duration, Instant};

const STARTS: usize = 1000;
const STARTS_IN_TESTS: usize = 10;

fn main() {
    sandbox::pin_to(0).expect("a CPU");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(folder.path(), mode).expect("writable");
    // `cargo bench` gives this flag; `cargo test` does not.
    let is_measured = std::env::args().any(|word| word == "--bench");
    let starts = if is_measured { STARTS } else { STARTS_IN_TESTS };
    let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
    let program = PathBuf::from(words.next().unwrap_or_else(|| "/bin/echo".to_owned()));
    let mut args: Vec<String> = words.collect();
    if args.is_empty() {
        args.push("ready".to_owned());
    }
    let found = Isolation::find();
    let with = |landlock, seccomp, ids, namespaces| Isolation {
        landlock_version: if landlock { found.landlock_version } else { 0 },
        seccomp: seccomp && found.seccomp,
        ids: if ids { found.ids } else { None },
        groups: None,
        namespaces: if namespaces {
            found.namespaces.clone()
        } else {
            Namespaces::Missing("not asked for".to_owned())
        },
        closed: Vec::new(),
        opened: Vec::new(),
        read: Vec::new(),
        cold: false,
    };
    let cold = Isolation {
        cold: true,
        ..with(true, true, true, true)
    };
    let modes = [
        ("limits only", with(false, false, false, false)),
        ("+ own user id", with(false, false, true, false)),
        ("+ Landlock", with(true, false, false, false)),
        ("+ seccomp", with(false, true, false, false)),
        ("+ namespaces", with(false, false, false, true)),
        ("all of it", cold),
        ("in a warm cage", with(true, true, true, true)),
    ];
    let groups = found.groups.clone();
    let open = groups.map(|groups| RunCgroups::open(groups).expect("groups can be made"));
    let pool = open.as_ref().map(|open| {
        let memory = Limits::BOT.memory_bytes_max;
        Pool::new(open.run_cgroups().clone(), memory)
    });
    let cage = |isolation: &Isolation, processes| {
        let rights = BotRights {
            processes,
            ..BotRights::default()
        };
        Cage::for_bots(isolation, folder.path(), 0, rights).expect("a cage")
    };
    let modes = modes.iter();
    let modes = modes.map(|(name, isolation)| (*name, cage(isolation, false), None));
    let mut modes: Vec<(&str, Cage, Option<&Pool>)> = modes.collect();
    if let Some(pool) = &pool {
        let all = with(true, true, true, true);
        modes.push(("in a group", cage(&all, true), Some(pool)));
    }
    let mut times = vec![Vec::new(); modes.len()];
    // All modes take turns, which spreads other work on the machine evenly.
    for _ in 0..starts {
        for ((_, cage, pool), times) in modes.iter().zip(&mut times) {
            times.push(start(&Launch {
                program: &program,
                args: &args,
                directory: folder.path(),
                forks: false,
                limits: Limits::BOT,
                cage,
                group: pool.map(|pool| pool.lease().expect("a group")),
            }));
        }
    }
    let program = program.display();
    println!("{program}: from the order to the first line, of {starts} starts");
    println!("{:>16} {:>10} {:>10}", "", "best tenth", "median µs");
    for ((name, ..), times) in modes.iter().zip(&mut times) {
        times.sort_unstable();
        let [tenth, median] = [10, 2].map(|part| times[starts / part].as_micros());
        println!("{name:>16} {tenth:>10} {median:>10}");
    }
}

fn start(launch: &Launch<'_>) -> Duration {
    let began = Instant::now();
    let mut running = launch.start(&[]).expect("it starts");
    let (_stdin, stdout, _stderr) = running.take_pipes();
    let mut line = String::new();
    BufReader::new(stdout).read_line(&mut line).expect("text");
    assert!(!line.is_empty(), "the program says something");
    began.elapsed()
}
