//! Lines for people, broken between words where a terminal would break inside them.

use super::paint::wrapped;
use console::measure_text_width;

/// Number of columns by which continued lines are indented further.
const HANG: usize = 2;
/// Least number of columns for text; a narrower terminal breaks lines itself.
const COLUMNS_MIN: usize = 20;

/// Breaks the lines of a text between words. A line of a table or a picture stays whole, and a
/// command of `program` keeps a line of its own, so that it can be copied.
pub(crate) fn fitted(text: &str, columns: usize, program: &str) -> String {
    let lines = text
        .split('\n')
        .map(|line| fitted_line(line, columns, program));
    lines.collect::<Vec<_>>().join("\n")
}

fn fitted_line(line: &str, columns: usize, program: &str) -> String {
    let body = line.trim_start_matches(' ');
    let indent = line.len() - body.len();
    let is_table = body.contains("  ");
    if measure_text_width(line) <= columns || is_table || columns < indent + HANG + COLUMNS_MIN {
        return line.to_owned();
    }
    let command = body.match_indices(program).map(|(at, _)| at).find(|&at| {
        let is_word = body[..at]
            .chars()
            .next_back()
            .is_none_or(|before| before == ' ');
        is_word && body[at + program.len()..].starts_with(' ')
    });
    let (prose, command) = body.split_at(command.unwrap_or(body.len()));
    let mut lines = wrapped(prose, columns - indent - HANG);
    lines.extend((!command.is_empty()).then(|| command.to_owned()));
    let lines = lines.iter().enumerate().map(|(number, line)| {
        let blanks = if number == 0 { indent } else { indent + HANG };
        format!("{:blanks$}{line}", "")
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words_and_neither_tables_nor_commands_are() {
        let fit = |text: &str| fitted(text, 30, "judge");
        assert_eq!(fit("a short line"), "a short line");
        assert_eq!(
            fit("  one two three four five six seven"),
            "  one two three four five\n    six seven"
        );
        let table = "rank  entrant                  total";
        assert_eq!(fit(table), table);
        assert_eq!(
            fit("to see why ann has rank 1: judge explain results/a ann"),
            "to see why ann has rank 1:\n  judge explain results/a ann"
        );
        let command = "judge explain results/a-long-name ann";
        assert_eq!(fit(command), command);
    }
}
