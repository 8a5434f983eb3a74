//! Styled lines of text, and their rendering for a terminal. This module and those below it know no
//! process and no run.

mod scene;
mod screen;

pub(crate) use scene::{HistoryEntry, PlayerInfo, Scene};
pub(crate) use screen::{Key, Keys, Screen, read_line, restore};

use console::{Term, measure_text_width, truncate_str};
use engines::Ansi;
use std::borrow::Cow;
use std::fmt::{Display, Write};
use std::io::{IsTerminal, stderr, stdin, stdout};

/// Width of a picture when no width is given, in columns.
pub(crate) const COLUMNS: usize = 80;

/// Returns the width of a terminal, 80 where it does not know its own.
pub(crate) fn columns(output: &Term) -> Option<usize> {
    let columns = output
        .size_checked()
        .map_or(COLUMNS, |(_, columns)| usize::from(columns));
    output.is_term().then_some(columns)
}

/// Returns whether standard output is a terminal on which a picture can be redrawn.
pub(crate) fn is_screen() -> bool {
    can_redraw(&stdout())
}

pub(crate) fn can_redraw(output: &impl IsTerminal) -> bool {
    output.is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

pub(crate) fn is_screen_with_keys() -> bool {
    is_screen() && stdin().is_terminal()
}

/// Colours on a terminal, unless `NO_COLOR` is set (<https://no-color.org>).
pub(crate) fn paint() -> Paint {
    painted(is_screen())
}

pub(crate) fn paint_of_stderr() -> Paint {
    painted(can_redraw(&stderr()))
}

fn painted(is_screen: bool) -> Paint {
    if is_screen && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()) {
        Paint::Colours
    } else {
        Paint::Plain
    }
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Paint {
    Colours,
    Plain,
}

/// A piece of a line in one style, without control characters.
#[derive(Clone)]
pub(crate) struct Span {
    text: String,
    style: Style,
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Style {
    Plain,
    /// Less important than its surroundings.
    Dim,
    Bold,
    /// A seat's own colour, from the game's palette.
    Seat(Ansi),
    /// A new thing of a seat.
    SeatFresh(Ansi),
    Goal,
    /// A wall; `WallFresh` is one that was just placed.
    Wall,
    WallFresh,
    Bad,
    /// Something to know, which is no fault.
    Warning,
    Good,
}

impl Style {
    fn code(self) -> Cow<'static, str> {
        match self {
            Self::Plain => "".into(),
            Self::Dim => "2".into(),
            Self::Bold => "1".into(),
            Self::Seat(colour) => format!("1;{}", colour.code()).into(),
            Self::SeatFresh(colour) => format!("1;7;{}", colour.code()).into(),
            Self::Goal => "34".into(),
            Self::Wall => "37".into(),
            Self::WallFresh | Self::Bad => "1;31".into(),
            Self::Warning => "1;33".into(),
            Self::Good => "32".into(),
        }
    }
}

pub(crate) type Line = Vec<Span>;

pub(crate) fn span(text: impl Into<String>, style: Style) -> Span {
    Span {
        text: text.into(),
        style,
    }
}

fn width(line: &Line) -> usize {
    line.iter().map(|span| measure_text_width(&span.text)).sum()
}
pub(crate) fn line(text: impl Into<String>, style: Style) -> Line {
    vec![span(text, style)]
}
pub(crate) fn joined(parts: impl IntoIterator<Item = impl Display>, between: &str) -> String {
    parts
        .into_iter()
        .map(|part| part.to_string())
        .collect::<Vec<_>>()
        .join(between)
}

pub(crate) fn cut(line: &mut Line, columns: usize) {
    let mut left = columns;
    for (index, span) in line.iter_mut().enumerate() {
        let width = measure_text_width(&span.text);
        if width > left {
            span.text = truncate_str(&span.text, left, "").into_owned();
            line.truncate(index + 1);
            return;
        }
        left -= width;
    }
}

impl Span {
    /// An empty text has no lines.
    pub(crate) fn wrapped(&self, columns: usize) -> Vec<Line> {
        wrapped(&self.text, columns)
            .into_iter()
            .map(|text| line(text, self.style))
            .collect()
    }
}

/// Breaks a text between words into lines of at most `columns` columns.
pub(crate) fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split([' ', '\n']).filter(|word| !word.is_empty()) {
        let fits =
            |line: &String| measure_text_width(line) + 1 + measure_text_width(word) <= columns;
        match lines.last_mut().filter(|line| fits(line)) {
            Some(line) => {
                line.push(' ');
                line.push_str(word);
            }
            None => lines.push(word.to_owned()),
        }
    }
    lines
}

impl Paint {
    pub(crate) fn line(self, line: &Line) -> String {
        let mut text = String::new();
        for Span { text: plain, style } in line {
            if self == Self::Plain || *style == Style::Plain || plain.trim().is_empty() {
                text.push_str(plain);
            } else {
                let code = style.code();
                write!(text, "\x1b[{code}m{plain}\x1b[0m").expect("writing to memory");
            }
        }
        text.truncate(text.trim_end().len());
        text
    }
}

const HANG: usize = 2;
/// Least number of columns for text; a narrower terminal breaks lines itself.
const COLUMNS_MIN: usize = 20;

/// Breaks the lines of a text between words. A picture or numbers stay whole, and so does a command of
/// `program` that begins a line or follows a colon, so that it can be copied.
pub(crate) fn fitted(text: &str, columns: usize, program: &str) -> String {
    let lines = text.split('\n');
    joined(lines.map(|line| fitted_line(line, columns, program)), "\n")
}

fn fitted_line(line: &str, columns: usize, program: &str) -> String {
    let body = line.trim_start_matches(' ');
    let indent = line.len() - body.len();
    if measure_text_width(line) <= columns || columns < indent + HANG + COLUMNS_MIN {
        return line.to_owned();
    }
    let (prose, command) = body.split_at(command_at(body, program).unwrap_or(body.len()));
    if let Some(gap) = prose.rfind("  ") {
        let (head, last) = line.split_at(indent + gap + 2);
        let head_columns = measure_text_width(head);
        // A picture or numbers stay whole.
        let letters = |word: &str| word.chars().filter(|c| c.is_alphabetic()).count();
        let has_words = last.split(' ').any(|word| letters(word) > 1);
        if columns < head_columns + COLUMNS_MIN || !has_words {
            return line.to_owned();
        }
        let line_break = format!("\n{:head_columns$}", "");
        let lines = wrapped(last, columns - head_columns);
        return format!("{head}{}", lines.join(&line_break));
    }
    let mut lines = wrapped(prose, columns - indent - HANG);
    lines.extend((!command.is_empty()).then(|| command.to_owned()));
    let line_break = format!("\n{:1$}", "", indent + HANG);
    format!("{:indent$}{}", "", lines.join(&line_break))
}

/// Finds a command in a line. A sentence about the program has signs that a command lacks.
fn command_at(body: &str, program: &str) -> Option<usize> {
    body.match_indices(program).map(|(at, _)| at).find(|&at| {
        let begins = at == 0 || body[..at].ends_with(": ");
        let rest = &body[at + program.len()..];
        let is_sentence = rest.contains(", ") || rest.contains(": ");
        begins && rest.starts_with(' ') && !is_sentence
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_are_escape_sequences_or_nothing() {
        let line = vec![
            span("a", Style::Plain),
            span("b", Style::Seat(Ansi::Yellow)),
            span("  ", Style::Dim),
        ];
        assert_eq!(Paint::Plain.line(&line), "ab");
        assert_eq!(Paint::Colours.line(&line), "a\x1b[1;33mb\x1b[0m");
    }

    #[test]
    fn line_is_cut_by_columns_not_characters() {
        let mut line = vec![span("日本", Style::Plain), span("abc", Style::Bold)];
        assert_eq!(width(&line), 7);
        cut(&mut line, 6);
        assert_eq!(Paint::Plain.line(&line), "日本ab");
        cut(&mut line, 3);
        assert_eq!(Paint::Plain.line(&line), "日");
        cut(&mut line, 10);
        assert_eq!(Paint::Plain.line(&line), "日");
    }

    #[test]
    fn prose_wraps_between_words_tables_and_commands_never() {
        let stays = "";
        // (text, its lines at 30 columns)
        let rows = [
            ("a short line", stays),
            (
                "  one two three four five six seven",
                "  one two three four five\n    six seven",
            ),
            ("rank  entrant                  total", stays),
            ("10  · · · · · · · · · · · · · ·", stays),
            (
                "no  python: the module numpy is not installed",
                "no  python: the module numpy\n    is not installed",
            ),
            ("judge explain results/a-long-name ann", stays),
            (
                "to see why ann has rank 1: judge explain results/a ann",
                "to see why ann has rank 1:\n  judge explain results/a ann",
            ),
            (
                "to see it: judge view 'a  b/run' 7 --terminal",
                "to see it:\n  judge view 'a  b/run' 7 --terminal",
            ),
            (
                "not known: judge checked games, but no more",
                "not known: judge checked\n  games, but no more",
            ),
        ];
        for (text, lines) in rows {
            let lines = if lines == stays { text } else { lines };
            assert_eq!(fitted(text, 30, "judge"), lines);
        }
    }
}
