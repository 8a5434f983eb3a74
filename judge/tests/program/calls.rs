//! The system calls that the filter names, against the kernel's headers of both machines.

use crate::support::root;
use crate::support::skip::skipped;
use std::collections::BTreeSet;
use std::fs;

/// The calls of x86-64, and those of arm64, which has the generic ones.
const HEADERS: [&str; 2] = [
    "/usr/include/x86_64-linux-gnu/asm/unistd_64.h",
    "/usr/include/asm-generic/unistd.h",
];

/// Returns the calls that a header defines, by a number or by another name.
fn calls(header: &str) -> BTreeSet<String> {
    let defined = |line: &str| {
        let mut words = line.strip_prefix("#define ")?.split_whitespace();
        Some((words.next()?.to_owned(), words.next()?.to_owned()))
    };
    let defined: Vec<(String, String)> = header.lines().filter_map(defined).collect();
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let numbered: BTreeSet<&String> = defined
        .iter()
        .filter_map(|(name, value)| is_number(value).then_some(name))
        .collect();
    let names = defined.iter().filter_map(|(name, value)| {
        let call = name.strip_prefix("__NR_")?;
        (is_number(value) || numbered.contains(value)).then(|| call.to_owned())
    });
    names.collect()
}

/// Returns the names of calls in the policy, and whether only x86-64 has them.
fn named(policy: &str) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    let mut before = "";
    for line in policy.lines() {
        for rest in line.split("libc::SYS_").skip(1) {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            let name = rest.get(..end.unwrap_or(rest.len())).expect("ASCII");
            found.push((name.to_owned(), before.contains("target_arch = \"x86_64\"")));
        }
        before = line;
    }
    found
}

#[test]
fn every_call_that_the_filter_names_exists_on_both_machines_or_is_missing_on_arm64() {
    let texts = HEADERS.map(fs::read_to_string);
    let [Ok(x86), Ok(arm)] = &texts else {
        skipped("x86-64", "the headers of both machines are on x86-64 only");
        return;
    };
    let [x86, arm] = [x86, arm].map(|header| calls(header));
    let policy = root().join("judge/sandbox/src/seccomp/policy.rs");
    let named = named(&fs::read_to_string(policy).expect("it is there"));
    assert!(named.len() > 150, "{}", named.len());
    for (call, only_x86) in named {
        // A call that both headers lack is newer than they are, and has one number everywhere.
        let there = [x86.contains(&call), arm.contains(&call)];
        let expected = if only_x86 {
            vec![[true, false]]
        } else {
            vec![[true; 2], [false; 2]]
        };
        assert!(
            expected.contains(&there),
            "{call}: x86-64, arm64: {there:?}"
        );
    }
}
