//! The filter of system calls: a balanced tree over the call numbers. The kernel runs an installed
//! filter once for every call number: a chain of comparisons, as usual builders write it, would
//! cost half a millisecond for each process. It also translates the filter each time.

mod policy;
#[cfg(test)]
mod tests;

pub use policy::Paths;
pub(super) use policy::{BuildUser, Policy};

use libc::{c_long, sock_filter};
use nix::errno::Errno;
use policy::LAST_KNOWN;
use rulebook::Result;
use std::collections::BTreeMap;

/// Maximum length of a filter, in instructions. The kernel's own limit is 4096.
const FILTER_LENGTH_MAX: usize = 384;

#[derive(Debug)]
pub(super) struct Filter {
    program: Vec<sock_filter>,
    /// Sixth argument of the judge's own calls, if only calls with this key may pass.
    pub(super) key: Option<u64>,
    /// As the filtered process sees itself; none = the one that applies the filter.
    pid: Option<u32>,
}

impl Filter {
    pub(super) fn new(policy: Policy, pid: Option<u32>) -> Result<Self> {
        let program = compile(&policy.calls());
        assert!(program.len() <= FILTER_LENGTH_MAX, "the policy is fixed");
        let is_keyed = program.iter().any(|step| step.k == KEY[0].cast_unsigned());
        let key = is_keyed.then(system::files::random).transpose()?;
        Ok(Self {
            program,
            key: key.map(u64::from_ne_bytes),
            pid,
        })
    }

    /// Puts the calling process and its descendants under the filter for good. Makes system calls
    /// only and allocates nothing. Needs `no_new_privs`.
    pub(super) fn apply(&self) -> nix::Result<()> {
        let mut program = [ALLOW; FILTER_LENGTH_MAX];
        let program = &mut program[..self.program.len()];
        program.copy_from_slice(&self.program);
        let pid = self.pid.unwrap_or_else(std::process::id);
        replace(program, OWN_PID, pid);
        replace(program, OWN_CLOCK, clock_of(pid));
        // Last, so that no part of the key is mistaken for another placeholder.
        if let Some(key) = self.key {
            let low = u32::try_from(key & u64::from(u32::MAX)).expect("masked");
            let high = u32::try_from(key >> u32::BITS).expect("shifted");
            replace(program, KEY[0], low);
            replace(program, KEY[1], high);
        }
        let filter = libc::sock_fprog {
            len: u16::try_from(program.len()).expect("below FILTER_LENGTH_MAX"),
            filter: program.as_mut_ptr(),
        };
        #[expect(unsafe_code, reason = "no safe wrapper exists")]
        // SAFETY: `filter` points to as many instructions as it says, and the kernel copies them.
        let result = unsafe {
            libc::syscall(
                libc::SYS_seccomp,
                libc::SECCOMP_SET_MODE_FILTER,
                0,
                &raw const filter,
            )
        };
        Errno::result(result).map(drop)
    }
}

pub(super) fn is_available() -> bool {
    let action: u32 = libc::SECCOMP_RET_ERRNO;
    #[expect(unsafe_code, reason = "no safe wrapper exists")]
    // SAFETY: the call reads one integer, which lives.
    unsafe {
        libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_GET_ACTION_AVAIL,
            0,
            &raw const action,
        ) == 0
    }
}

/// Placeholder for the process's own id, which no process has: the kernel's highest is 2^22.
const OWN_PID: i32 = 0x7fff_fff7;
/// Placeholder for the number of the process's own CPU clock.
const OWN_CLOCK: i32 = 0x7fff_fff6;
/// Placeholders for the halves of the key of [`key_or`], the lower one first.
const KEY: [i32; 2] = [0x7fff_fff4, 0x7fff_fff5];

/// The kernel ignores this argument. No program sees the key: the kernel empties the registers when
/// it executes a program, and kits do so when they fork.
const KEY_ARG: u32 = 5;

/// First clock number that, as a signed number, is negative: the clocks of processes and threads.
const CLOCK_DYNAMIC: u32 = 1 << 31;
/// The bit of clocks of single threads. The kernel shows them only to the thread's own process.
const CLOCK_OF_THREAD: i32 = 4;
const CLOCK_KIND: i32 = 3;

/// Returns the number of a process's CPU clock, without the bits that select what it counts.
const fn clock_of(pid: u32) -> u32 {
    !pid << 3
}

const LOAD: u16 = 0x20; // BPF_LD | BPF_W | BPF_ABS
const AND: u16 = 0x54; // BPF_ALU | BPF_AND | BPF_K
const JUMP_IF_EQUAL: u16 = 0x15; // BPF_JMP | BPF_JEQ | BPF_K
const JUMP_IF_AT_LEAST: u16 = 0x35; // BPF_JMP | BPF_JGE | BPF_K
const RETURN: u16 = 0x06; // BPF_RET | BPF_K

const NUMBER_OFFSET: u32 = 0;
const ARCH_OFFSET: u32 = 4;
const ARGS_OFFSET: u32 = 16;

#[cfg(target_arch = "x86_64")]
const ARCH: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const ARCH: u32 = 0xc000_00b7;

const ALLOW: sock_filter = instruction(RETURN, libc::SECCOMP_RET_ALLOW);
const REFUSE: sock_filter = fail(libc::EPERM);
const ABSENT: sock_filter = fail(libc::ENOSYS);
const KILL: sock_filter = instruction(RETURN, libc::SECCOMP_RET_KILL_PROCESS);

const fn instruction(code: u16, k: u32) -> sock_filter {
    branch(code, k, 0, 0)
}

const fn branch(code: u16, k: u32, jt: u8, jf: u8) -> sock_filter {
    sock_filter { code, jt, jf, k }
}

const fn fail(errno: i32) -> sock_filter {
    instruction(RETURN, libc::SECCOMP_RET_ERRNO | errno.cast_unsigned())
}

/// Skips `jt` instructions if the loaded word has this value, else `jf`.
const fn equal(value: i32, jt: u8, jf: u8) -> sock_filter {
    branch(JUMP_IF_EQUAL, value.cast_unsigned(), jt, jf)
}

const fn at_least(value: u32, jt: u8, jf: u8) -> sock_filter {
    branch(JUMP_IF_AT_LEAST, value, jt, jf)
}

const EVERY_BIT: i32 = -1;

/// The treatment of a call. Arguments count from 0 and are compared in their lower 32 bits, all that
/// the kernel uses.
type Rule = Vec<sock_filter>;
type Call = (c_long, Rule);

/// Loads one half of an argument, the lower one first.
const fn half(arg: u32, half: u32) -> sock_filter {
    instruction(LOAD, ARGS_OFFSET + 8 * arg + 4 * half)
}

/// Loads the bits of an argument that are in the mask.
fn masked(arg: u32, mask: i32) -> Rule {
    vec![half(arg, 0), instruction(AND, mask.cast_unsigned())]
}

/// It is not permitted where an argument, masked, has one of these values.
fn refuse_where(arg: u32, patterns: &[(i32, i32)]) -> Rule {
    let mut rule = Vec::new();
    // False again once a mask has been applied.
    let mut loaded = false;
    for &(mask, value) in patterns {
        if mask != EVERY_BIT {
            rule.extend(masked(arg, mask));
        } else if !loaded {
            rule.push(half(arg, 0));
        }
        loaded = mask == EVERY_BIT;
        rule.extend([equal(value, 0, 1), REFUSE]);
    }
    rule.push(ALLOW);
    rule
}

/// It is permitted only where an argument has one of these values.
fn allow_only(arg: u32, values: &[i32]) -> Rule {
    let mut rule = vec![half(arg, 0)];
    for (&value, left) in values.iter().zip((1..=values.len()).rev()) {
        let left = u8::try_from(left).expect("the policies are short");
        rule.push(equal(value, left, 0));
    }
    rule.extend([REFUSE, ALLOW]);
    rule
}

/// It is permitted only on the process itself: its own id, or 0.
fn allow_self(arg: u32) -> Rule {
    allow_only(arg, &[0, OWN_PID])
}

/// It is permitted only where an argument is a null pointer.
fn allow_null(arg: u32) -> Rule {
    let is_null = |word| [half(arg, word), equal(0, 1, 0), REFUSE];
    [&is_null(0)[..], &is_null(1), &[ALLOW]].concat()
}

/// On every clock but the CPU clocks of other processes; the first argument is the clock's number.
fn allow_own_clock() -> Rule {
    let mut rule = vec![half(0, 0), at_least(CLOCK_DYNAMIC, 1, 0), ALLOW];
    rule.push(instruction(AND, CLOCK_OF_THREAD.cast_unsigned()));
    rule.extend([equal(CLOCK_OF_THREAD, 0, 1), ALLOW]);
    rule.extend(masked(0, !CLOCK_KIND));
    let own = allow_only(0, &[clock_of(0).cast_signed(), OWN_CLOCK]);
    rule.extend(&own[1..]);
    rule
}

/// If all 64 bits of argument [`KEY_ARG`] are the filter's key, else by another rule.
fn key_or(other: &[sock_filter]) -> Rule {
    let low = [half(KEY_ARG, 0), equal(KEY[0], 0, 3)];
    let high = [half(KEY_ARG, 1), equal(KEY[1], 0, 1), ALLOW];
    [&low[..], &high, other].concat()
}

/// Compiles rules. A call that is not listed is allowed, and one beyond the last known does not
/// exist. To keep the filter short, each distinct rule is written once, after the search tree.
fn compile(calls: &[Call]) -> Vec<sock_filter> {
    let mut program = vec![
        instruction(LOAD, ARCH_OFFSET),
        branch(JUMP_IF_EQUAL, ARCH, 1, 0),
        // Another architecture has other call numbers.
        KILL,
        instruction(LOAD, NUMBER_OFFSET),
    ];
    let segments = segments(calls);
    let tree_end = program.len() + segments.len() - 1;
    let mut ends = Vec::new();
    let mut goal = |rule: &[sock_filter]| {
        let known = ends.windows(rule.len()).position(|known| same(known, rule));
        let place = known.unwrap_or_else(|| {
            ends.extend_from_slice(rule);
            ends.len() - rule.len()
        });
        tree_end + place
    };
    let segments: Vec<_> = (segments.iter())
        .map(|(from, rule)| (*from, goal(rule)))
        .collect();
    tree(&segments, &mut program);
    program.extend(ends);
    program
}

fn replace(program: &mut [sock_filter], old: i32, new: u32) {
    for step in program {
        if step.code == JUMP_IF_EQUAL && step.k == old.cast_unsigned() {
            step.k = new;
        }
    }
}

/// Divides the call numbers into ranges with the same rule; each entry holds the first number.
fn segments(calls: &[Call]) -> Vec<(u32, Rule)> {
    let mut rules: BTreeMap<c_long, Rule> = calls.iter().cloned().collect();
    assert_eq!(rules.len(), calls.len(), "a call is named twice");
    let mut segments: Vec<(u32, Rule)> = Vec::new();
    for (number, call) in (0..).zip(0..=LAST_KNOWN + 1) {
        let usual = if call > LAST_KNOWN { ABSENT } else { ALLOW };
        let rule = rules.remove(&call).unwrap_or(vec![usual]);
        if segments.last().is_none_or(|(_, last)| !same(last, &rule)) {
            segments.push((number, rule));
        }
    }
    segments
}

fn same(a: &[sock_filter], b: &[sock_filter]) -> bool {
    let key = |s: &sock_filter| (s.code, s.jt, s.jf, s.k);
    a.iter().map(key).eq(b.iter().map(key))
}

/// Writes a search tree, with one jump fewer than segments (their first numbers and goals), and
/// returns its position. The call's number is in the register.
fn tree(segments: &[(u32, usize)], program: &mut Vec<sock_filter>) -> usize {
    if let [(_, goal)] = segments {
        return *goal;
    }
    let (lower, upper) = segments.split_at(segments.len() / 2);
    let here = program.len();
    // Replaced once its targets are known.
    program.push(ALLOW);
    let below = tree(lower, program);
    let above = tree(upper, program);
    let distance = |to: usize| u8::try_from(to - here - 1).expect("the policies are short");
    program[here] = at_least(upper[0].0, distance(above), distance(below));
    here
}
