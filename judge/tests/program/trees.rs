//! Process trees in control groups, under the launcher and without a game.

use crate::support::groups::has_groups;
use crate::support::skip::skipped;
use crate::support::{Scene, eventually, processes};
use sandbox::{
    BotRights, Cage, Isolation, Launch, Limits, OpenRunCgroups, Paths, Pool, RunCgroups, Running,
};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;

/// Programs under the launcher, in control groups with little memory.
struct Bench {
    scene: Scene,
    isolation: Isolation,
    pool: Pool,
    _open: OpenRunCgroups,
}

const MEMORY_BYTES_MAX: u64 = 64 << 20;

const WITH_PROCESSES: BotRights = BotRights {
    processes: true,
    paths: Paths::Guarded,
    forked: false,
};

impl Bench {
    fn new() -> Self {
        let scene = Scene::new();
        let isolation = Isolation::find();
        let groups = isolation.groups.clone().expect("it has groups");
        let open = RunCgroups::open(groups).expect("groups can be made");
        Self {
            scene,
            isolation,
            pool: Pool::new(open.run_cgroups().clone(), MEMORY_BYTES_MAX),
            _open: open,
        }
    }

    fn start(&self, program: &str) -> Running {
        let folder = self.scene.submissions();
        let args = ["-c", program].map(str::to_owned);
        let launch = Launch {
            program: Path::new("/usr/bin/python3"),
            args: &args,
            directory: &folder,
            forks: false,
            limits: Limits::BOT,
            cage: &Cage::for_bots(&self.isolation, &folder, 0, WITH_PROCESSES).expect("a cage"),
            group: Some(self.pool.lease().expect("a group")),
        };
        launch.start(&[]).expect("it starts")
    }
}

#[test]
fn process_tree_shares_suspension_and_memory_limit() {
    if !has_groups() {
        return;
    }
    let bench = Bench::new();
    let mut running = bench.start(
        "import os\nif os.fork() == 0:\n  os.setsid()\n  if os.fork() == 0:\n    print(flush=True)\n    while True: pass\nos.wait()\nimport time; time.sleep(1000)",
    );
    let (_stdin, stdout, _stderr) = running.take_pipes();
    let mut line = String::new();
    let read = BufReader::new(stdout).read_line(&mut line);
    read.expect("it starts");
    let group = std::rc::Rc::clone(running.group().expect("it is in one"));
    running.suspend();
    // Suspending takes a moment. A computing process is always running or about to run, however
    // many others want the CPU; the freezer or a stop signal puts it into another state.
    eventually("it stands", || {
        let members = group.members().expect("read");
        assert!(!members.is_empty(), "it is there");
        members.iter().all(|pid| {
            let state = processes::state(pid.as_raw());
            state.expect("not reaped") != 'R'
        })
    });
    let stood = group.cpu().expect("read");
    running.resume();
    eventually("it goes on", || group.cpu().expect("read") > stood);
    running.suspend();
    running.end().expect("a suspended tree ends too");
    assert_eq!(group.members().expect("read"), []);
    assert!(!running.oom_killed());
    drop((running, group));

    let groups = bench.isolation.groups.as_ref();
    if !groups.is_some_and(|groups| groups.memory) {
        let what = "groups have no control of memory here";
        return skipped("memory-control-group", what);
    }
    let greedy = "import os, sys\nsys.stdin.readline()\nfor _ in range(3):\n  if os.fork() == 0:\n    kept = bytearray(os.urandom(1) * (40 << 20))\n    import time; time.sleep(1000)\nprint(os.wait()[1], flush=True)";
    let mut running = bench.start(greedy);
    assert!(!running.oom_killed());
    let (mut stdin, stdout, _stderr) = running.take_pipes();
    stdin.write_all(b"\n").expect("it reads");
    let mut line = String::new();
    BufReader::new(stdout).read_line(&mut line).expect("text");
    // One or all of them were killed.
    assert!(["9\n", ""].contains(&&*line), "{line}");
    assert!(running.oom_killed());
    running.end().expect("it ends");
    // A group's past is not the next program's.
    assert!(!bench.start("pass").oom_killed());
}
