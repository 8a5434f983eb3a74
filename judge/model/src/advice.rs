//! Advice to authors where a rule of the judge, or a common slip, stops their program.

use core::fmt;

/// The meaning of something, and a remedy.
#[derive(Clone, Copy, Debug)]
pub struct Advice {
    /// The event.
    pub headline: &'static str,
    /// The next step for its author.
    pub remedy: &'static str,
}

#[derive(Clone, Copy)]
enum Seen {
    /// The last output has one of these; `…` stands for any text of a line, `⋮` for any lines.
    Said(&'static [&'static str]),
    BotSaid(&'static [&'static str]),
    Answer(fn(&[u8]) -> bool),
    /// A file of a submission in the place of a program: its name and its bytes.
    File(fn(&str, &[u8]) -> bool),
}

use Seen::{Answer, BotSaid, File, Said};

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.headline, self.remedy)
    }
}

/// Finds the row for the last output of a bot, or for an exception.
pub fn on_output(text: &str) -> Option<Advice> {
    find(|seen| matches!(seen, Said(any) | BotSaid(any) if any.iter().any(|one| has(text, one))))
}

/// Finds the row for the last output of a build.
pub fn on_build(text: &str) -> Option<Advice> {
    find(|seen| matches!(seen, Said(any) if any.iter().any(|one| has(text, one))))
}

/// Finds the row for an answer that is none.
pub fn on_answer(line: &[u8]) -> Option<Advice> {
    find(|seen| matches!(seen, Answer(is_it) if is_it(line.trim_ascii())))
}

/// Finds the row for a file in the place of a program.
pub fn on_file(name: &str, bytes: &[u8]) -> Option<Advice> {
    find(|seen| matches!(seen, File(is_it) if is_it(name, bytes)))
}

const REFUSED_MEMORY: &[&str] = &[
    "MemoryError",
    "std::bad_alloc",
    "memory allocation of…failed",
    "OutOfMemoryError",
    "OutOfMemoryException",
    "out of memory",
    "Out of memory",
    "Unable to allocate",
];

/// Returns whether a bot's last output says that it was refused memory.
pub fn is_refused_memory(text: &str) -> bool {
    REFUSED_MEMORY.iter().any(|one| has(text, one))
}

fn find(is_it: impl Fn(Seen) -> bool) -> Option<Advice> {
    let &(_, headline, remedy) = TABLE.iter().find(|row| is_it(row.0))?;
    Some(Advice { headline, remedy })
}

fn has(text: &str, pattern: &str) -> bool {
    let in_order = |mut text: &str, mark| {
        pattern.split(mark).all(|part| {
            text.split_once(part)
                .inspect(|(_, after)| text = after)
                .is_some()
        })
    };
    if pattern.contains('⋮') {
        in_order(text, '⋮')
    } else {
        text.lines().any(|line| in_order(line, '…'))
    }
}

/// The table. The first row that fits counts.
const TABLE: &[(Seen, &str, &str)] = &[
    (
        BotSaid(&[
            "fork…peration not permitted",
            "Cannot fork",
            "fork: retry",
            "subprocess⋮Operation not permitted",
            "multiprocessing⋮Operation not permitted",
            "multiprocessing⋮SemLock",
            "concurrent/futures/process⋮rror: ",
            "Cannot run program…error=1,",
            "spawn…EPERM",
        ]),
        "it tried to start another process, and a bot is one process",
        "in a shell script write exec before the last command, and no $(…) and no pipe (the bot begins in its own folder); or name the program itself in judge.toml, as run = \"python3 main.py\"",
    ),
    (
        BotSaid(&[
            "No usable temporary directory",
            "mktemp: ",
            "/tmp…Read-only file system",
            "/tmp…ermission denied",
            "Read-only file system: '/tmp",
            "ermission denied: '/tmp",
        ]),
        "it tried to write a temporary file, and a bot has no folder to write to",
        "keep the data in memory",
    ),
    (
        Said(&[
            "NewConnectionError",
            "No matching distribution found",
            "registry.npmjs.org",
            "EAI_AGAIN",
            "crates.io",
            "crates-io",
            "dial tcp",
            "proxy.golang.org",
            "repo.maven.apache.org",
            "Could not resolve host",
            "name resolution",
            "Name or service not known",
            "Network is unreachable",
            "ocket⋮peration not permitted",
        ]),
        "it tried to use the network, which bots and builds do not have",
        "submit what it needs: pip install --target ., node_modules, cargo vendor, go mod vendor, or the jars; or ask staff to install it",
    ),
    (
        Said(&["env: …No such file or directory", "bad interpreter"]),
        "the interpreter that its first line names is not installed here",
        "name one that is, as #!/usr/bin/env python3; judge doctor lists them",
    ),
    (
        Said(&["Exec format error", "cannot execute binary file"]),
        "that program is for another system or CPU",
        "build it on Linux for this CPU, or submit its source with a build line in judge.toml",
    ),
    (
        Said(&["version `GLIBC…not found"]),
        "it was linked with a newer C library than this machine has",
        "submit its source with a build line in judge.toml, or link it statically",
    ),
    (
        Said(&["UnsupportedClassVersionError"]),
        "it was compiled by a newer Java than this machine has",
        "compile it with --release, or in judge.toml, as build = \"javac Bot.java\"",
    ),
    (
        Said(&[
            "Non-UTF-8 code starting with '\\xff'",
            "Non-UTF-8 code starting with '\\xfe'",
            "source code cannot contain null bytes",
            "source code string cannot contain null bytes",
            "null character(s) ignored",
            "illegal character: '\\u0000'",
        ]),
        "its source is UTF-16",
        "save it as UTF-8 without a byte order mark",
    ),
    (
        Said(&[
            "ModuleNotFoundError: No module named",
            "Cannot find module",
            "ERR_MODULE_NOT_FOUND",
        ]),
        "that module is neither part of the submission nor installed for all users of this machine",
        "put it into the submission's folder",
    ),
    (
        BotSaid(&["Read-only file system", "ermission denied"]),
        "it tried to open a file that it may not",
        "bots may not write files, and may read only their own files and the system's: keep the data in memory",
    ),
    (
        BotSaid(&["Operation not permitted"]),
        "the sandbox refuses it",
        "bots may not start processes, open connections or change files",
    ),
    (
        Answer(|line| line.contains(&0) || is_utf_16(line)),
        "it is UTF-16",
        "write UTF-8 without a byte order mark, which is the default of most languages",
    ),
    (
        Answer(|line| line.starts_with(MARK)),
        "it begins with a byte order mark (BOM)",
        "write UTF-8 without a byte order mark, which is the default of most languages",
    ),
    (
        Answer(|line| line.starts_with(b"{'")),
        "it has single quotes, as Python prints a dictionary, and is no JSON",
        "write JSON, as print(json.dumps(answer), flush=True)",
    ),
    (
        Answer(|line| line.starts_with(b"{") && !line.ends_with(b"}") && opened(line) > 0),
        "it is only the first line of an answer",
        "write the whole answer on one line, without indentation",
    ),
    (
        Answer(|line| {
            let is_number = |byte: &u8| byte.is_ascii_digit() || b"-., ".contains(byte);
            let is_value = line.starts_with(b"[") && line.ends_with(b"]");
            !line.is_empty() && (is_value || line.iter().all(is_number))
        }),
        "it is a move alone",
        "write {\"move\":…} around it",
    ),
    (
        Answer(|line| !line.is_empty() && !line.starts_with(b"{")),
        "it is no answer, and standard output is for answers only",
        "print to standard error instead; the judge keeps that output for you",
    ),
    (
        File(|_, bytes| bytes.starts_with(b"MZ")),
        "is a program for Windows",
        NATIVE,
    ),
    (
        File(|_, bytes| {
            let thin = [
                b"\xfe\xed\xfa\xce",
                b"\xfe\xed\xfa\xcf",
                b"\xce\xfa\xed\xfe",
                b"\xcf\xfa\xed\xfe",
            ];
            // A class of Java begins alike, and has a version in place of a small number.
            let is_fat = bytes.starts_with(b"\xca\xfe\xba\xbe\0\0\0")
                && bytes.get(7).is_some_and(|count| *count < 20);
            is_fat || thin.iter().any(|magic| bytes.starts_with(*magic))
        }),
        "is a program for macOS",
        NATIVE,
    ),
    (
        File(|name, bytes| bytes.starts_with(ZIP) && name.rsplit('.').next() == Some("jar")),
        "is a jar, which does not run by itself",
        "put it into a folder with a judge.toml, as run = \"java -Xmx512m -jar bot.jar\"",
    ),
    (
        File(|name, bytes| bytes.starts_with(ZIP) && !is_archive(name)),
        "is a zip",
        "let its name end with .zip",
    ),
    (
        File(|name, _| is_archive(name)),
        "is an archive",
        "submit a single zip or tar.gz, or its content",
    ),
    (
        File(|_, bytes| bytes.starts_with(b"\xca\xfe\xba\xbe")),
        "is a compiled class of Java, which does not run by itself",
        "put it into a folder with a judge.toml, as run = \"java -Xmx512m Bot\"",
    ),
    (
        File(|_, bytes| is_utf_16(bytes)),
        "is UTF-16",
        "save it as UTF-8 without a byte order mark",
    ),
    (
        File(|_, bytes| bytes.starts_with(MARK)),
        "begins with a byte order mark (BOM)",
        "save it as UTF-8 without a byte order mark",
    ),
];

fn opened(line: &[u8]) -> i64 {
    let depth = |byte: &u8| i64::from(b"{[".contains(byte)) - i64::from(b"}]".contains(byte));
    line.iter().map(depth).sum()
}

const NATIVE: &str = "build it on Linux for this CPU, or submit its source";

const ZIP: &[u8] = b"PK\x03\x04";

/// Endings of archives that the judge unpacks.
pub const UNPACKED: [&str; 4] = [".zip", ".tar.gz", ".tgz", ".tar"];

const NOT_UNPACKED: [&str; 7] = [".tar.xz", ".tar.bz2", ".gz", ".xz", ".bz2", ".rar", ".7z"];

/// Returns the name of an archive without its ending, or `None` if a file has no archive's name.
pub fn archive_stem(name: &str) -> Option<&str> {
    let lower = name.to_ascii_lowercase();
    let mut endings = UNPACKED.iter().chain(&NOT_UNPACKED);
    let ending = endings.find(|ending| lower.ends_with(**ending))?;
    Some(&name[..name.len() - ending.len()])
}

/// Returns whether a file has the name of an archive.
pub fn is_archive(name: &str) -> bool {
    archive_stem(name).is_some()
}

const MARK: &[u8] = b"\xef\xbb\xbf";

/// Returns whether a text is UTF-16, which no compiler and no protocol reads.
pub fn is_utf_16(bytes: &[u8]) -> bool {
    let starts = [&b"\xff\xfe"[..], b"\xfe\xff", b"#\0!", b"\0#\0!"];
    starts.iter().any(|start| bytes.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::rows;

    #[test]
    fn output_is_answered_by_its_cause() {
        for [headline, said] in rows(include_str!("advised_output.txt")) {
            let found = on_output(&said.replace("\\n", "\n")).expect(&said);
            assert!(found.headline.contains(&headline), "{said}: {found}");
        }
        let sandbox = on_output("fork in the tree\nmkdir: Operation not permitted").expect("a row");
        assert!(sandbox.headline.contains("sandbox"), "{sandbox}");
        assert!(on_output("ZeroDivisionError: division by zero").is_none());
        assert!(on_build("cp: cannot open 'x': Permission denied").is_none());
    }

    #[test]
    fn an_answer_is_reported_what_it_is() {
        for (line, headline) in [
            (&b"3"[..], "a move alone"),
            (b"[3, 4]", "a move alone"),
            (b"{", "first line"),
            (b"{\"move\":", "first line"),
            (b"{'move': 3}", "single quotes"),
            (b"\xff\xfe{\0", "UTF-16"),
            (b"{\0\"\0", "UTF-16"),
            (b"\xef\xbb\xbf{\"move\":3}", "byte order mark"),
            (b"thinking...", "no answer"),
        ] {
            let found = on_answer(line).expect("a row");
            assert!(found.headline.contains(headline), "{line:?}: {found}");
        }
        for other in [
            &b""[..],
            b"{\"mvoe\":3}",
            b"{\"move\":3},",
            b"{\"move\":{\"x\":3}",
        ] {
            assert!(on_answer(other).is_none());
        }
    }

    #[test]
    fn a_file_is_reported_what_it_is() {
        for (name, bytes, headline) in [
            ("bot.exe", &b"MZ\x90\0"[..], "for Windows"),
            ("bot", b"\xcf\xfa\xed\xfe\x0c", "for macOS"),
            ("bot", b"\xca\xfe\xba\xbe\0\0\0\x02", "for macOS"),
            ("Bot.class", b"\xca\xfe\xba\xbe\0\0\0\x41", "class of Java"),
            ("bot.jar", b"PK\x03\x04", "a jar"),
            ("bot.py", b"\xff\xfe#\0", "UTF-16"),
            ("bot.py", b"\xef\xbb\xbf#!", "byte order mark"),
        ] {
            let found = on_file(name, bytes).expect(name);
            assert!(found.headline.contains(headline), "{name}: {found}");
        }
        assert!(on_file("bot.py", b"import json").is_none());
    }
}
