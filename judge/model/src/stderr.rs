//! The standard error of a bot in one game, turn by turn.

use crate::fault::Fault;
use crate::note::Note;
use alloc::borrow::ToOwned as _;
use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// Bytes kept of the beginning, and of the end: a crash gives its reason last.
pub const KEPT_BYTES_MAX: usize = 8 << 10;

const LAST_BYTES: usize = 2 << 10;

/// Standard error as it comes in: its beginning and its end.
#[derive(Clone, Debug, Default)]
pub struct KeptStderr {
    begin: Vec<u8>,
    end: VecDeque<u8>,
    written: usize,
}

impl KeptStderr {
    /// Returns the number of bytes written, kept or not.
    pub fn written(&self) -> usize {
        self.written
    }

    /// Adds what was written next.
    pub fn push(&mut self, bytes: &[u8]) {
        self.written += bytes.len();
        let room = KEPT_BYTES_MAX - self.begin.len();
        let (begin, end) = bytes.split_at(room.min(bytes.len()));
        self.begin.extend_from_slice(begin);
        self.end
            .extend(&end[end.len().saturating_sub(KEPT_BYTES_MAX)..]);
        let surplus = self.end.len().saturating_sub(KEPT_BYTES_MAX);
        self.end.drain(..surplus);
    }

    /// Adds what another process wrote next.
    pub fn append(&mut self, mut next: Self) {
        self.push(&next.begin);
        let left_out = next.left_out();
        if left_out > 0 {
            self.written += left_out;
            self.end.clear();
        }
        self.push(next.end.make_contiguous());
    }

    /// Returns the last of it as text, where programs say why they end.
    pub fn last_words(&self) -> String {
        let kept: Vec<u8> = self.begin.iter().chain(&self.end).copied().collect();
        let last = kept.len().saturating_sub(LAST_BYTES);
        String::from_utf8_lossy(&kept[last..]).into_owned()
    }

    fn left_out(&self) -> usize {
        self.written - self.begin.len() - self.end.len()
    }

    /// Converts it to text. The marks count all bytes that were written.
    pub fn into_stderr(mut self, marks: &[TurnMark]) -> Stderr {
        let left_out = self.left_out();
        let notice = match left_out {
            0 => String::new(),
            _ => format!("\n-- {left_out} bytes left out --\n"),
        };
        let end_at = self.written - self.end.len();
        let moved = |byte: usize| match byte {
            _ if byte <= self.begin.len() => byte,
            _ if byte < end_at => self.begin.len(),
            _ => byte - left_out + notice.len(),
        };
        let marks: Vec<TurnMark> = marks
            .iter()
            .map(|&TurnMark(turn, byte)| TurnMark(turn, moved(byte)))
            .collect();
        let bytes = [&self.begin, notice.as_bytes(), self.end.make_contiguous()].concat();
        let mut wrote = Stderr::of(&bytes, &marks);
        // Of turns that begin at one place, all but the last wrote nothing that was kept.
        let mut later = wrote.turns.iter().skip(1).map(|mark| mark.1);
        let length = wrote.text.len();
        wrote.turns = wrote
            .turns
            .iter()
            .filter(|mark| mark.1 < length && later.next() != Some(mark.1))
            .copied()
            .collect();
        wrote
    }
}

/// The standard error of one seat's bot in a game.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stderr {
    /// The whole text.
    pub text: String,
    /// The beginning of each turn's output, in rising order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<TurnMark>,
    /// The bot's notes, in the order of its turns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
}

/// `[turn, byte]`: the turn from 1 over all seats, the byte in the text. It lasts until the next question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnMark(pub u32, pub usize);

impl Stderr {
    /// Converts the bytes that were read to text. The marks count bytes of `bytes`.
    pub fn of(bytes: &[u8], marks: &[TurnMark]) -> Self {
        let mut wrote = Self::default();
        let mut from = 0;
        for &TurnMark(turn, byte) in marks {
            let to = byte.clamp(from, bytes.len());
            wrote.push(&bytes[from..to]);
            wrote.turns.push(TurnMark(turn, wrote.text.len()));
            from = to;
        }
        wrote.push(&bytes[from..]);
        wrote
    }

    fn push(&mut self, bytes: &[u8]) {
        self.text.push_str(&String::from_utf8_lossy(bytes));
    }

    /// Returns the text by turn, from 0 for that before. Marks of a foreign file may not fit.
    pub fn by_turn(&self) -> Vec<(u32, &str)> {
        let mut pieces = Vec::new();
        let (mut turn, mut from) = (0, 0);
        for &TurnMark(next, byte) in &self.turns {
            if let Some(piece) = self.text.get(from..byte) {
                pieces.push((turn, piece));
                (turn, from) = (next, byte);
            }
        }
        pieces.push((turn, &self.text[from..]));
        pieces.retain(|(_, piece)| !piece.trim().is_empty());
        pieces
    }
}

const LINES_MAX: usize = 12;

const HEAD: &str = "Traceback (most recent call last):";
/// Starts of the lines between tracebacks of errors that caused one another.
const CHAINED: [&str; 2] = ["During handling of the above", "The above exception was"];

/// Quotes the traceback of an exception, or else the end of the output.
pub fn quoted(stderr: &str, exception: Option<&str>) -> Vec<String> {
    if stderr.trim().is_empty() {
        return vec!["it wrote nothing on standard error".to_owned()];
    }
    let lines: Vec<&str> = stderr.trim_end().lines().collect();
    let shown = one_traceback(&lines, exception).unwrap_or(&lines);
    let tail = &shown[shown.len().saturating_sub(LINES_MAX)..];
    let head = "its last words on standard error:".to_owned();
    let quoted = tail.iter().map(|line| format!("  {line}"));
    [head].into_iter().chain(quoted).collect()
}

/// Finds the first traceback that ends with an exception, or else the last traceback.
fn one_traceback<'l, 'a>(lines: &'l [&'a str], exception: Option<&str>) -> Option<&'l [&'a str]> {
    let ends_it = |line: &&str| exception.is_some_and(|words| !line.is_empty() && words == *line);
    let end = lines.iter().position(ends_it);
    let lines = &lines[..end.map_or(lines.len(), |at| at + 1)];
    let heads = lines.iter().enumerate().filter(|(_, line)| **line == HEAD);
    let is_first = |&(at, _): &(usize, &&str)| {
        let words = lines[..at]
            .iter()
            .rev()
            .find(|line| !line.trim().is_empty());
        !words.is_some_and(|line| CHAINED.iter().any(|start| line.starts_with(start)))
    };
    let (begin, _) = heads.rev().find(is_first)?;
    Some(&lines[begin..])
}

/// Starts of last messages without a traceback, also of Python about a program's text.
const ENDS: [&str; 6] = [
    "Fatal error: exception ",
    "terminate called ",
    "Error: ",
    "SyntaxError: ",
    "IndentationError: ",
    "TabError: ",
];

fn error(stderr: &str) -> Option<&str> {
    let lines: Vec<&str> = stderr.trim_end().lines().collect();
    if lines.contains(&HEAD) {
        return one_traceback(&lines, None)?
            .last()
            .copied()
            .filter(|line| !line.starts_with(' ') && **line != *HEAD);
    }
    let says = |line: &&&str| ENDS.iter().any(|start| line.starts_with(start));
    lines.iter().find(says).copied()
}

/// Returns the line with the error of a bot that died.
pub fn said<'a>(fault: &Fault, stderr: &'a str) -> Option<&'a str> {
    error(stderr)
        .filter(|_| fault.cause.is_death())
        .map(str::trim)
}

/// Names the function of the first error: one of several, or the import of their file, or all.
pub fn called(stderr: &str, names: &[&str]) -> String {
    let outermost = stderr
        .lines()
        .skip_while(|line| *line != HEAD)
        .nth(1)
        .and_then(|line| line.rsplit_once(", in "));
    match outermost {
        Some((_, "<module>")) => "import".to_owned(),
        Some((_, name)) if names.contains(&name) => name.to_owned(),
        _ => names.join(" or "),
    }
}

const SYSTEM: [&str; 7] = ["usr", "lib", "lib64", "bin", "opt", "etc", "nix"];
const BEFORE_PATHS: &str = "\"'`([=:,\u{2018}\u{201c}";
/// Options of compilers that a path follows directly.
const OPTIONS: [&str; 4] = ["-I", "-L", "-i", "-B"];
const AFTER_PATHS: &str = "\"'`()[],;:<>\u{2019}\u{201d}";

/// Shortens the paths of a program's own files to those that its author knows.
pub fn with_own_paths(text: &str) -> String {
    shortened(text, |path| in_program(path).unwrap_or(path))
}

/// A program's own files keep their path inside the program, files of the system their whole path, and
/// others only the name.
pub fn without_folders(text: &str) -> String {
    shortened(text, |path| match path[1..].split_once('/') {
        Some((first, rest)) if !SYSTEM.contains(&first) => in_program(path)
            .or(rest.trim_end_matches('/').rsplit('/').next())
            .filter(|name| !name.is_empty())
            .unwrap_or(path),
        _ => path,
    })
}

/// Returns the path in a program. Programs are in folders named by their hashes.
fn in_program(path: &str) -> Option<&str> {
    let (_, inside) = path.split_once("/artifacts/")?;
    Some(inside.split_once('/')?.1)
}

fn shortened(text: &str, shorten: impl Fn(&str) -> &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('/') {
        let (before, from) = rest.split_at(at);
        shown.push_str(before);
        let last = shown.chars().next_back();
        let is_behind = last.is_none_or(|last| last.is_whitespace() || BEFORE_PATHS.contains(last));
        let is_option = shown
            .split_whitespace()
            .next_back()
            .is_some_and(|word| OPTIONS.contains(&word) && shown.ends_with(word));
        // Excludes `https://`.
        let is_url = from.starts_with("//") && !from.starts_with("///");
        let is_path = (is_behind || is_option) && !is_url;
        // Blanks are part of a quoted path.
        let line = from.split('\n').next().unwrap_or_default();
        let quoted = last
            .filter(|quote| ['"', '\''].contains(quote))
            .and_then(|quote| line.find(quote));
        let end = quoted.or(from.find(|c: char| c.is_whitespace() || AFTER_PATHS.contains(c)));
        let (path, after) = from.split_at(end.unwrap_or(from.len()));
        shown.push_str(if is_path { shorten(path) } else { path });
        rest = after;
    }
    shown + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::rows;
    use std::vec;

    #[test]
    fn flood_keeps_beginning_and_end_with_turns() {
        let mut kept = KeptStderr::default();
        kept.push(b"first ");
        let mut next = KeptStderr::default();
        for _ in 0..4 {
            next.push(&[b'x'; KEPT_BYTES_MAX]);
        }
        next.push(b" last words");
        kept.append(next);
        assert_eq!(kept.written(), 4 * KEPT_BYTES_MAX + 17);
        let end = kept.written() - 11;
        let marks = [(1, 0), (2, 6), (3, 9_000), (4, 9_500), (5, end)];
        let wrote = kept.into_stderr(&marks.map(|(turn, byte)| TurnMark(turn, byte)));
        assert!(wrote.text.len() < 2 * KEPT_BYTES_MAX + 40);
        assert!(wrote.text.contains("x\n-- 16401 bytes left out --\nx"));
        let by_turn = wrote.by_turn();
        let turns: Vec<u32> = by_turn.iter().map(|(turn, _)| *turn).collect();
        assert_eq!(turns, [1, 2, 4, 5]);
        assert_eq!(by_turn[0].1, "first ");
        assert_eq!(by_turn[3].1, " last words");
    }

    #[test]
    fn little_output_is_kept_whole() {
        let mut kept = KeptStderr::default();
        kept.push(&[b'a'; KEPT_BYTES_MAX]);
        kept.push(&[b'b'; KEPT_BYTES_MAX]);
        let marks = [TurnMark(1, KEPT_BYTES_MAX), TurnMark(3, 2 * KEPT_BYTES_MAX)];
        let wrote = kept.into_stderr(&marks);
        assert_eq!(wrote.text.len(), 2 * KEPT_BYTES_MAX);
        assert_eq!(wrote.turns, [TurnMark(1, KEPT_BYTES_MAX)]);
    }

    #[test]
    fn output_is_reported_turn_by_turn() {
        let wrote = Stderr::of(
            b"up\none\xFFthree\n",
            &[TurnMark(1, 3), TurnMark(3, 7), TurnMark(5, 13)],
        );
        let found = wrote.by_turn();
        assert_eq!(found, [(0, "up\n"), (1, "one\u{FFFD}"), (3, "three\n")]);
        // Marks outside the text are dropped.
        let mut wrote = Stderr {
            text: "äb".into(),
            turns: vec![
                TurnMark(1, 1),
                TurnMark(2, 2),
                TurnMark(3, 1),
                TurnMark(4, 99),
            ],
            notes: Vec::new(),
        };
        assert_eq!(wrote.by_turn(), [(0, "ä"), (2, "b")]);
        wrote.turns.clear();
        assert_eq!(wrote.by_turn(), [(0, "äb")]);
        assert_eq!(Stderr::of(b"ab", &[TurnMark(1, 99)]).by_turn(), [(0, "ab")]);
    }

    #[test]
    fn traceback_paths_show_authors_file_names() {
        // A program's folder is written for short as `HASH`.
        let with_hash = |text: &str| text.replace("HASH", &"5f".repeat(16));
        for [text, expected] in rows(include_str!("own_paths.txt")) {
            assert_eq!(with_own_paths(&with_hash(&text)), expected);
        }
        let lines = with_own_paths(&with_hash("x\n  in \"/srv/run/artifacts/HASH/bot/ann.py\""));
        assert_eq!(lines, "x\n  in \"bot/ann.py\"");
        let indented = with_own_paths(&with_hash("    at think (/tmp/artifacts/HASH/bot.js:5:9)"));
        assert_eq!(indented, "    at think (bot.js:5:9)");
        for [text, expected] in rows(include_str!("bare_paths.txt")) {
            assert_eq!(without_folders(&with_hash(&text)), expected);
        }
    }

    const TWO: &str = "hello\nTraceback (most recent call last):\n  File \"bot.py\", line 3, in step\n    a()\n\
        ValueError: one\nmore\nTraceback (most recent call last):\n  File \"bot.py\", line 9, in step\n    \
        b()\nKeyError: 2\n\nDuring handling of the above exception, another exception occurred:\n\n\
        Traceback (most recent call last):\n  File \"bot.py\", line 8, in step\nTypeError: three\n";

    #[test]
    fn of_several_tracebacks_one_is_quoted_whole() {
        let first = quoted(TWO, Some("ValueError: one"));
        assert_eq!(first.len(), 5, "{first:?}");
        assert_eq!(first[2], "    File \"bot.py\", line 3, in step");
        let last = quoted(TWO, None);
        assert!(last.contains(&"  KeyError: 2".to_owned()), "{last:?}");
        assert!(!last.contains(&"  ValueError: one".to_owned()), "{last:?}");
        assert_eq!(last.last().expect("lines"), "  TypeError: three");
        // Without a traceback, the end is quoted.
        let words = quoted(&"x\n".repeat(99), None);
        assert_eq!(words.len(), LINES_MAX + 1);
        assert_eq!(quoted(" \n", None), ["it wrote nothing on standard error"]);
    }

    #[test]
    fn the_error_itself_is_found() {
        assert_eq!(error(TWO), Some("TypeError: three"));
        let ocaml = "depth 3\nFatal error: exception Not_found\n";
        assert_eq!(error(ocaml), Some("Fatal error: exception Not_found"));
        let unread =
            "  File \"bot.py\", line 4\n    def f(:\n          ^\nSyntaxError: invalid syntax\n";
        assert_eq!(error(unread), Some("SyntaxError: invalid syntax"));
        assert_eq!(error("depth 3\n"), None);
    }

    #[test]
    fn the_outermost_call_is_the_one_that_failed() {
        let names = ["__init__", "step"];
        assert_eq!(called(TWO, &names), "step");
        let at_import = TWO.replace("in step", "in <module>");
        assert_eq!(called(&at_import, &names), "import");
        let inside = TWO.replace("in step", "in helper");
        assert_eq!(called(&inside, &names), "__init__ or step");
        assert_eq!(called("", &names), "__init__ or step");
    }
}
