//! Programs' output in a form that its author may read. The paths of staff's folders are not shown.

#![expect(
    clippy::disallowed_methods,
    reason = "only the judge writes into a run's folder"
)]

use model::entrants_folder::EntrantsFolder;
use model::stderr::without_folders;
use rulebook::JudgeError;
use std::fs;
use std::path::Path;
use store::manifest::EntrantLine;
use system::files::if_there;

/// Number of lines shown at once of a compiler's output, and number of them before its first error.
const FIRST_LINES: usize = 10;
const LINES_BEFORE: usize = 3;
const LINE_CHARS_MAX: usize = 200;

pub(super) fn log(run: &Path, kind: &str, name: &str) -> Result<Option<String>, JudgeError> {
    let file = EntrantsFolder::Logs.file_of(name, ".txt");
    let path = run.join("logs").join(kind).join(file);
    let bytes = if_there(fs::read(&path)).map_err(|error| JudgeError::io("read", path, error))?;
    Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

pub(super) fn for_author(line: &EntrantLine, mask: impl Fn(&str) -> String) -> EntrantLine {
    let file = EntrantsFolder::Logs.file_of(&line.name, ".txt");
    let log = format!("logs/build/{file}");
    let own = |text: &String| mask(&without_folders(&text.replace(&log, "build.txt")));
    let mut line = line.clone();
    line.broken = line.broken.as_ref().map(own);
    line.replaced = line.replaced.as_ref().map(own);
    line.warnings = line.warnings.iter().map(own).collect();
    if let Some(newest) = &mut line.newest {
        newest.reason = own(&newest.reason);
    }
    line
}

/// Returns the lines around the first error in a compiler's output, or else its first lines.
pub(super) fn first_errors(text: &str) -> String {
    let is_error = |line: &str| line.to_ascii_lowercase().contains("error");
    let at = text.lines().position(is_error).unwrap_or_default();
    text.lines()
        .skip(at.saturating_sub(LINES_BEFORE))
        .take(FIRST_LINES)
        .map(|line| {
            let line = model::fault::quote(line);
            line.chars().take(LINE_CHARS_MAX).collect::<String>()
        })
        .collect::<Vec<_>>()
        .join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn author_reads_log_path_of_view() {
        let line = EntrantLine {
            name: "ann".to_owned(),
            warnings: vec!["built with compiler warnings: see logs/build/ann.txt".to_owned()],
            ..EntrantLine::default()
        };
        let reported = for_author(&line, str::to_owned).warnings;
        assert_eq!(reported, ["built with compiler warnings: see build.txt"]);
    }

    #[test]
    fn first_error_is_shown_with_its_context() {
        let mut lines: Vec<String> = (0..40).map(|n| format!("warning {n}")).collect();
        lines[20] = "bot.cpp:3: Error: no\u{202e}".to_owned();
        let shown = first_errors(&lines.join("\n"));
        assert!(shown.starts_with("warning 17\n"), "{shown}");
        assert!(shown.contains("Error: no\\u{202e}"), "{shown}");
        assert_eq!(shown.lines().count(), FIRST_LINES);
        assert_eq!(first_errors("make: no rule"), "make: no rule");
        assert_eq!(first_errors(""), "");
    }
}
