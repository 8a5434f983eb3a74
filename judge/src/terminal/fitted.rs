//! Lines for people, broken between words where a terminal would break inside them.

use super::paint::wrapped;
use console::measure_text_width;

/// Number of columns by which continued lines are indented further.
const HANG: usize = 2;
/// Least number of columns for text; a narrower terminal breaks lines itself.
const COLUMNS_MIN: usize = 20;

/// Breaks the lines of a text between words. A line of a picture or of numbers stays whole, and words
/// in the last column stay in it. A command of `program` that begins a line or follows a colon keeps
/// a line of its own, so that it can be copied.
pub(crate) fn fitted(text: &str, columns: usize, program: &str) -> String {
    text.split('\n')
        .map(|line| fitted_line(line, columns, program))
        .collect::<Vec<_>>()
        .join("\n")
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
        if columns < head_columns + COLUMNS_MIN || !has_words(last) {
            return line.to_owned();
        }
        let line_break = format!("\n{:head_columns$}", "");
        let lines = wrapped(last, columns - head_columns);
        return format!("{head}{}", lines.join(&line_break));
    }
    let mut lines = wrapped(prose, columns - indent - HANG);
    lines.extend((!command.is_empty()).then(|| command.to_owned()));
    lines
        .iter()
        .enumerate()
        .map(|(number, line)| {
            let blanks = if number == 0 { indent } else { indent + HANG };
            format!("{:blanks$}{line}", "")
        })
        .collect::<Vec<_>>()
        .join("\n")
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

/// Returns whether a text has a word of several letters.
fn has_words(text: &str) -> bool {
    let letters = |word: &str| word.chars().filter(|c| c.is_alphabetic()).count();
    text.split(' ').any(|word| letters(word) > 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words_and_neither_tables_nor_commands_are() {
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
