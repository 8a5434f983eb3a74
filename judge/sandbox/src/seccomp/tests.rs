use super::policy::MADV_COLLAPSE;
use super::*;

/// Runs a filter as the kernel does.
fn run_on(program: &[sock_filter], arch: u32, number: u32, args: [u64; 6]) -> u32 {
    let word = |offset: u32| match offset {
        NUMBER_OFFSET => number,
        ARCH_OFFSET => arch,
        _ => {
            let place = offset - ARGS_OFFSET;
            let arg = args[place as usize / 8];
            u32::try_from((arg >> (8 * (place % 8))) & 0xffff_ffff).expect("masked")
        }
    };
    let (mut at, mut register) = (0, 0);
    loop {
        let step = program[at];
        at += 1;
        let branch = |taken: bool| usize::from(if taken { step.jt } else { step.jf });
        match step.code {
            LOAD => register = word(step.k),
            AND => register &= step.k,
            JUMP_IF_EQUAL => at += branch(register == step.k),
            JUMP_IF_AT_LEAST => at += branch(register >= step.k),
            RETURN => return step.k,
            other => panic!("no such instruction {other}"),
        }
    }
}

fn run(program: &[sock_filter], call: c_long, args: [u64; 6]) -> u32 {
    run_on(program, ARCH, u32::try_from(call).expect("small"), args)
}

const KEY_OF_TEST: u64 = 0x0123_4567_89ab_cdef;
const OTHER_KEYS: [u64; 5] = [
    0,
    KEY_OF_TEST ^ 1,
    KEY_OF_TEST ^ (1 << 63),
    KEY_OF_TEST & 0xffff_ffff,
    u64::MAX,
];

fn with_key(policy: Policy) -> Vec<sock_filter> {
    let mut program = compile(&policy.calls());
    replace(&mut program, KEY[0], 0x89ab_cdef);
    replace(&mut program, KEY[1], 0x0123_4567);
    program
}

const BOT: Policy = Policy::Bot(Paths::Guarded);
const POLICIES: [Policy; 11] = [
    BOT,
    Policy::Bot(Paths::None),
    Policy::Bot(Paths::NoneFlushed),
    Policy::WarmBot(Paths::Guarded),
    Policy::WarmBot(Paths::None),
    Policy::WarmBot(Paths::NoneFlushed),
    Policy::BotWithProcesses(Paths::Guarded),
    Policy::BotWithProcesses(Paths::None),
    Policy::Build(BuildUser::Sealed),
    Policy::Build(BuildUser::Own),
    Policy::Build(BuildUser::Judges),
];

#[test]
fn every_call_number_gets_its_verdict() {
    for policy in POLICIES {
        let calls = policy.calls();
        let program = compile(&calls);
        assert!(program.len() <= FILTER_LENGTH_MAX, "{policy:?}");
        for (number, call) in (0..).zip(0..=LAST_KNOWN + 600) {
            let got = run_on(&program, ARCH, number, [u64::MAX; 6]);
            match calls.iter().find(|(listed, _)| *listed == call) {
                None if call > LAST_KNOWN => assert_eq!(got, ABSENT.k, "{number}"),
                None => assert_eq!(got, ALLOW.k, "{number}"),
                Some((_, rule)) if rule.len() == 1 => assert_eq!(got, rule[0].k, "{number}"),
                Some(_) => assert!(got == ALLOW.k || got == REFUSE.k, "{number}"),
            }
        }
        if policy == BOT {
            for (call, errno) in [
                (libc::SYS_ptrace, libc::EPERM),
                (libc::SYS_clone3, libc::ENOSYS),
                (libc::SYS_setxattr, libc::EOPNOTSUPP),
            ] {
                let verdict = libc::SECCOMP_RET_ERRNO | errno.cast_unsigned();
                assert_eq!(run(&program, call, [0; 6]), verdict, "{call}");
            }
        }
        for number in [0x4000_0000, 0x4000_0039, u32::MAX] {
            let got = run_on(&program, ARCH, number, [0; 6]);
            assert_eq!(got, ABSENT.k, "x32 call {number:#x}");
        }
        assert_eq!(run_on(&program, 0x4000_0003, 1, [0; 6]), KILL.k, "i386");
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn only_allowed_bots_start_processes_without_new_namespaces() {
    let may = |policy: Policy, number: c_long, flags: u64| {
        let program = compile(&policy.calls());
        run(&program, number, [flags, 0, 0, 0, 0, 0]) == ALLOW.k
    };
    let with = Policy::BotWithProcesses(Paths::Guarded);
    for (number, flags) in [
        (libc::SYS_fork, 0),
        (libc::SYS_vfork, 0),
        (libc::SYS_clone, 0x0120_0011),
        (libc::SYS_setsid, 0),
        (libc::SYS_setpgid, 0),
    ] {
        assert!(may(with, number, flags), "{number}");
        let holds = may(Policy::Build(BuildUser::Sealed), number, flags);
        assert!(holds, "{number}");
        assert!(!may(BOT, number, flags), "{number}");
        let leaves = [libc::SYS_setsid, libc::SYS_setpgid].contains(&number);
        let found = may(Policy::Build(BuildUser::Own), number, flags);
        assert_eq!(found, !leaves, "{number}");
    }
    for (number, flags) in [
        (libc::SYS_clone, libc::CLONE_NEWPID as u64 | 0x11),
        (libc::SYS_clone, libc::CLONE_NEWUSER as u64 | 0x11),
        (libc::SYS_clone, libc::CLONE_PARENT as u64 | 0x11),
        (libc::SYS_clone3, 0),
        (libc::SYS_socket, 0),
        (libc::SYS_ptrace, 0),
        (libc::SYS_flock, 0),
    ] {
        assert!(!may(with, number, flags), "{number}");
        let build = Policy::Build(BuildUser::Sealed);
        let builds = number == libc::SYS_flock;
        assert_eq!(may(build, number, flags), builds, "{number}");
    }
}

#[test]
fn warm_cage_spawns_with_key_but_children_cannot() {
    let key = KEY_OF_TEST;
    for paths in [Paths::Guarded, Paths::None, Paths::NoneFlushed] {
        let program = with_key(Policy::WarmBot(paths));
        let call = |number: c_long, first: i32, last: u64| {
            let args = [first.cast_unsigned().into(), 0, 0, 0, 0, last];
            run(&program, number, args) == ALLOW.k
        };
        let child = libc::CLONE_PARENT | libc::SIGCHLD;
        let thread = libc::CLONE_THREAD | libc::CLONE_FILES | libc::CLONE_VM;
        assert!(call(libc::SYS_clone, child, key));
        assert!(call(libc::SYS_clone, thread, 0));
        assert!(call(libc::SYS_seccomp, 1, key));
        for other in OTHER_KEYS {
            assert!(!call(libc::SYS_clone, child, other), "{other:#x}");
            assert!(!call(libc::SYS_seccomp, 1, other), "{other:#x}");
        }
        assert!(!call(libc::SYS_setsid, 0, key));
        let group = |group| run(&program, libc::SYS_setpgid, [0, group, 0, 0, 0, 0]);
        assert_eq!(group(0), ALLOW.k);
        assert_ne!(group(2), ALLOW.k);
    }
}

#[test]
fn flushed_bots_ask_in_vain_for_huge_pages() {
    let answer = |paths, number: c_long, args: [i32; 3]| {
        let [first, second, third] = args.map(|arg| arg.cast_unsigned().into());
        let program = compile(&Policy::WarmBot(paths).calls());
        run(&program, number, [first, second, third, 0, 0, 0])
    };
    for (paths, advice, wanted) in [
        (Paths::NoneFlushed, libc::MADV_HUGEPAGE, fail(libc::EINVAL)),
        (Paths::NoneFlushed, libc::MADV_DONTNEED, ALLOW),
        (Paths::NoneFlushed, libc::MADV_PAGEOUT, REFUSE),
        (Paths::None, libc::MADV_HUGEPAGE, ALLOW),
        (Paths::Guarded, libc::MADV_HUGEPAGE, ALLOW),
    ] {
        let got = answer(paths, libc::SYS_madvise, [0, 0, advice]);
        assert_eq!(got, wanted.k, "{paths:?} {advice}");
    }
    let back = [libc::PR_SET_THP_DISABLE, 0, 0];
    let got = answer(Paths::NoneFlushed, libc::SYS_prctl, back);
    assert_eq!(got, REFUSE.k);
}

#[test]
fn arguments_decide_where_the_policy_looks_at_them() {
    let mut program = compile(&BOT.calls());
    replace(&mut program, OWN_PID, 0x1267);
    let call = |number, args| run(&program, number, args) == ALLOW.k;
    let thread = libc::CLONE_THREAD as u64;
    assert!(call(libc::SYS_clone, [thread | 0x003d_0f00, 0, 0, 0, 0, 0]));
    assert!(!call(libc::SYS_clone, [0x0120_0011, 0, 0, 0, 0, 0]));
    for own in [0, 0x1267, 0x0007_0000_1267] {
        assert!(call(libc::SYS_kill, [own, 9, 0, 0, 0, 0]), "{own}");
    }
    for other in [1, 0x1268, u64::MAX, (-0x1267_i64).cast_unsigned()] {
        assert!(!call(libc::SYS_kill, [other, 9, 0, 0, 0, 0]), "{other}");
    }
    assert!(call(libc::SYS_sendto, [5, 1, 1, 0, 0, 0]));
    assert!(!call(libc::SYS_sendto, [5, 1, 1, 0, 1, 0]));
    assert!(!call(libc::SYS_sendto, [5, 1, 1, 0, 1 << 32, 0]));
    assert!(call(libc::SYS_mmap, [0, 1, 3, 0x22, 0, 0]));
    assert!(!call(libc::SYS_mmap, [0, 1, 3, 0x21, 0, 0]));
    assert!(!call(libc::SYS_mmap, [0, 1, 3, 0x122, 0, 0]));
    assert!(call(libc::SYS_fcntl, [1, 4, 0, 0, 0, 0]));
    assert!(!call(libc::SYS_fcntl, [1, 1031, 0, 0, 0, 0]));
    assert!(call(libc::SYS_sched_setscheduler, [0; 6]));
    for policy in [libc::SCHED_FIFO, libc::SCHED_BATCH, libc::SCHED_IDLE] {
        let policy = u64::from(policy.cast_unsigned());
        assert!(!call(libc::SYS_sched_setscheduler, [0, policy, 0, 0, 0, 0]));
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn builds_set_every_mode_but_set_id() {
    const CREAT: u64 = libc::O_CREAT as u64;
    const TMPFILE: u64 = libc::O_TMPFILE as u64;
    // The call, and its arguments before the mode.
    let calls: [(c_long, &[u64]); 12] = [
        (libc::SYS_chmod, &[1]),
        (libc::SYS_fchmod, &[1]),
        (libc::SYS_fchmodat, &[1, 1]),
        (libc::SYS_creat, &[1]),
        (libc::SYS_open, &[1, CREAT]),
        (libc::SYS_open, &[1, TMPFILE]),
        (libc::SYS_openat, &[1, 1, CREAT]),
        (libc::SYS_openat, &[1, 1, TMPFILE]),
        (libc::SYS_mkdir, &[1]),
        (libc::SYS_mkdirat, &[1, 1]),
        (libc::SYS_mknod, &[1]),
        (libc::SYS_mknodat, &[1, 1]),
    ];
    let by_path = [libc::SYS_chmod, libc::SYS_fchmodat];
    for user in [BuildUser::Sealed, BuildUser::Own, BuildUser::Judges] {
        let program = compile(&Policy::Build(user).calls());
        let answer = |number: c_long, before: &[u64], mode: u64| {
            let mut args = [0; 6];
            args[..before.len()].copy_from_slice(before);
            args[before.len()] = mode;
            run(&program, number, args)
        };
        for (number, before) in calls {
            let may = user != BuildUser::Judges || !by_path.contains(&number);
            for mode in [0, 0o755, 0o1777, 0o100_644] {
                let found = answer(number, before, mode) == ALLOW.k;
                assert_eq!(found, may, "{number} {mode:o}");
            }
            for mode in [0o4755, 0o2755, 0o6000, 0o104_755] {
                assert_eq!(answer(number, before, mode), REFUSE.k, "{number} {mode:o}");
            }
        }
        // Without such a flag, the mode is whatever the register holds.
        let directory = libc::O_DIRECTORY as u64;
        assert_eq!(answer(libc::SYS_open, &[1, directory], 0o4755), ALLOW.k);
        assert_eq!(answer(libc::SYS_openat, &[1, 1, 0], u64::MAX), ALLOW.k);
        for number in [libc::SYS_openat2, 452 /* fchmodat2 */] {
            assert_eq!(answer(number, &[], 0), ABSENT.k, "{number}");
        }
        for number in [libc::SYS_utimensat, libc::SYS_utimes] {
            let may = answer(number, &[1], 1) == ALLOW.k;
            assert_eq!(may, user == BuildUser::Sealed, "{number}");
        }
        let found = answer(libc::SYS_utimensat, &[1], 0);
        assert_eq!(found, ALLOW.k, "by descriptor");
    }
    for bot in POLICIES
        .into_iter()
        .filter(|one| !matches!(one, Policy::Build(..)))
    {
        let program = compile(&bot.calls());
        for number in [libc::SYS_chmod, libc::SYS_fchmod, libc::SYS_fchmodat, 452] {
            assert_eq!(run(&program, number, [0; 6]), REFUSE.k, "{bot:?}");
        }
    }
}

#[test]
fn no_policy_collapses_pages_or_sets_unlisted_options() {
    for policy in POLICIES {
        let program = compile(&policy.calls());
        let may = |call: c_long, advice: i32| {
            let advice = u64::from(advice.cast_unsigned());
            run(&program, call, [0, 4096, advice, 0, 0, 0]) == ALLOW.k
        };
        assert!(may(libc::SYS_madvise, libc::MADV_DONTNEED), "{policy:?}");
        assert!(!may(libc::SYS_madvise, MADV_COLLAPSE), "{policy:?}");
        let is_build = matches!(policy, Policy::Build(..));
        assert_eq!(may(libc::SYS_setsockopt, 0), is_build, "{policy:?}");
        let may = |option| run(&program, libc::SYS_prctl, [option, 0, 0, 0, 0, 0]) == ALLOW.k;
        // PR_SET_NAME, PR_SET_TIMERSLACK, PR_SET_NO_NEW_PRIVS, and the last known option.
        for known in [15, 29, 38, 77] {
            assert!(may(known), "{policy:?} {known}");
        }
        // PR_SET_PDEATHSIG, PR_FUTEX_HASH, and PR_SET_VMA.
        for refused in [1, 78, 79, 0x5356_4d41, u64::MAX] {
            assert!(!may(refused), "{policy:?} {refused}");
        }
    }
}

#[test]
fn bot_reads_only_its_own_clocks() {
    let mut program = compile(&BOT.calls());
    replace(&mut program, OWN_CLOCK, clock_of(0x1267));
    let reads = |clock: u32| {
        let calls = [
            libc::SYS_clock_gettime,
            libc::SYS_clock_getres,
            libc::SYS_clock_nanosleep,
        ];
        calls.map(|call| run(&program, call, [clock.into(), 0, 0, 0, 0, 0]) == ALLOW.k)
    };
    for standard in 0..16 {
        assert_eq!(reads(standard), [true; 3], "{standard}");
    }
    for kind in 0..3 {
        for own in [0, 0x1267] {
            assert_eq!(reads(clock_of(own) | kind), [true; 3], "{own} {kind}");
        }
        for other in [1, 0x1266, 0x1268, 0x3f_ffff] {
            assert_eq!(reads(clock_of(other) | kind), [false; 3], "{other} {kind}");
            // The kernel itself refuses the threads of others.
            let thread = clock_of(other) | CLOCK_OF_THREAD.cast_unsigned() | kind;
            assert_eq!(reads(thread), [true; 3], "{other} {kind}");
        }
    }
}

#[test]
fn bot_without_paths_executes_only_with_key() {
    for processes in [false, true] {
        let policy = |paths| {
            if processes {
                Policy::BotWithProcesses(paths)
            } else {
                Policy::Bot(paths)
            }
        };
        let program = with_key(policy(Paths::None));
        let call = |number, last| run(&program, number, [1, 2, 3, 0, 0, last]) == ALLOW.k;
        assert!(call(libc::SYS_execve, KEY_OF_TEST));
        for other in OTHER_KEYS {
            assert!(!call(libc::SYS_execve, other), "{other:#x}");
        }
        for number in [libc::SYS_openat, libc::SYS_newfstatat, libc::SYS_execveat] {
            assert!(!call(number, KEY_OF_TEST), "{number}");
        }
        for number in [libc::SYS_read, libc::SYS_write, libc::SYS_getrandom] {
            assert!(call(number, 0), "{number}");
        }
        let guarded = compile(&policy(Paths::Guarded).calls());
        assert_eq!(run(&guarded, libc::SYS_openat, [0; 6]), ALLOW.k);
    }
}
