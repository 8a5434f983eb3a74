//! The comment that describes a submission, where a course asks for one: the longest one in the
//! file that the course names.

use super::source::{SourceFile, base_name, has_ending};
use super::submission::{Form, Submission};
use engines::{Kit, Sign};
use words::entrant::Comment;

/// How a language marks comments and texts.
struct Marks {
    /// What begins a comment up to the end of the line; empty where there is no such mark.
    line: &'static str,
    /// What begins and ends a comment of any length.
    block: (&'static str, &'static str),
    /// Whether a comment can hold another one.
    nested: bool,
}

/// Returns a language's marks; a docstring of Python is a comment.
fn marks(language: &str) -> Option<Marks> {
    let (line, block, nested) = match language {
        "haskell" => ("--", ("{-", "-}"), true),
        "ocaml" => ("", ("(*", "*)"), true),
        "cpp" => ("//", ("/*", "*/"), false),
        "python" => ("#", ("\"\"\"", "\"\"\""), false),
        _ => return None,
    };
    Some(Marks {
        line,
        block,
        nested,
    })
}

/// Finds the longest comment of a submission in a course's language; with 0 words where the file
/// has none.
pub(super) fn longest_of(submission: &Submission) -> Option<Comment> {
    let Ok(Form::Sources(_, kit)) = submission.form else {
        return None;
    };
    let marks = marks(kit.language)?;
    let files = submission
        .files
        .iter()
        .filter(|file| is_asked_for(file, kit));
    let comments = files.map(|file| {
        let (line, words) = longest(&String::from_utf8_lossy(&file.bytes), &marks);
        Comment {
            file: file.path.clone(),
            line,
            words,
        }
    });
    // Of equal ones the first.
    comments.reduce(|best, one| if one.words > best.words { one } else { best })
}

/// Returns whether the course names the file, or all of its kind.
fn is_asked_for(file: &SourceFile, kit: &Kit) -> bool {
    let name = base_name(&file.path);
    match kit.sign {
        Sign::Flat(names) => names.contains(&name),
        Sign::Anywhere(wanted) => name == wanted,
        Sign::Text { ending, .. } => has_ending(name, &[ending]),
    }
}

/// Finds the comment with the most words: the line in which it begins, and how many they are.
/// Comments of one line each that follow each other are one.
fn longest(text: &str, marks: &Marks) -> (usize, u64) {
    let mut best = (0, 0);
    // The comment that a line goes on with: where it began, its words, and its last line.
    let mut run: Option<(usize, u64, usize)> = None;
    let mut rest = text;
    let mut line = 1;
    while !rest.is_empty() {
        let (begins, length, words) = next(rest, marks);
        line += lines_in(&rest[..begins]);
        if length > 0 {
            let last = line + lines_in(&rest[begins..begins + length]);
            let joins =
                run.filter(|(_, _, before)| begins_alone(&rest[..begins]) && *before + 1 >= line);
            let (first, earlier) = joins.map_or((line, 0), |(first, words, _)| (first, words));
            run = Some((first, earlier + words, last));
            if earlier + words > best.1 {
                best = (first, earlier + words);
            }
            line = last;
        }
        rest = &rest[begins + length..];
    }
    best
}

/// Returns whether nothing but blanks stands between two comments.
fn begins_alone(between: &str) -> bool {
    between.trim().is_empty()
}

fn lines_in(text: &str) -> usize {
    text.matches('\n').count()
}

/// Finds the next comment: the bytes before it, its own, and its words. Where there is none, all
/// of the text stands before it.
fn next(text: &str, marks: &Marks) -> (usize, usize, u64) {
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if let Some(length) = block(rest, marks) {
            let inner = &rest[..length];
            return (at, length, words_in(inner, marks));
        }
        if !marks.line.is_empty() && rest.starts_with(marks.line) {
            let length = rest.find('\n').unwrap_or(rest.len());
            return (at, length, words_in(&rest[..length], marks));
        }
        at += passed_over(rest);
    }
    (text.len(), 0, 0)
}

/// Returns the length of a comment that begins here; to the end where it does not end.
fn block(text: &str, marks: &Marks) -> Option<usize> {
    let (open, close) = marks.block;
    let mut at = open.len();
    text.starts_with(open).then_some(())?;
    let mut depth = 1;
    while depth > 0 {
        let rest = &text[at..];
        if rest.is_empty() {
            return Some(text.len());
        }
        if rest.starts_with(close) {
            depth -= 1;
            at += close.len();
        } else if marks.nested && rest.starts_with(open) {
            depth += 1;
            at += open.len();
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    Some(at)
}

/// Returns how much of a program's text to pass over: a text in quotes, a quote as a character, or
/// one character.
fn passed_over(text: &str) -> usize {
    if text.starts_with("'\"'") {
        return 3;
    }
    let one = text.chars().next().map_or(1, char::len_utf8);
    if !text.starts_with('"') {
        return one;
    }
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            // A text of one line that does not end is no text.
            '\n' if !escaped => return one,
            '"' if !escaped => return at + 1,
            _ => escaped = c == '\\' && !escaped,
        }
    }
    one
}

/// Counts what has a letter or a digit in it.
fn words_in(comment: &str, marks: &Marks) -> u64 {
    let (open, close) = marks.block;
    let inner = comment.replace(open, " ").replace(close, " ");
    let words = inner.split_whitespace();
    words
        .filter(|word| word.chars().any(char::is_alphanumeric))
        .count() as u64
}

#[cfg(test)]
mod tests {
    use super::super::recognise::kits;
    use super::*;

    fn found(language: &str, text: &str) -> (usize, u64) {
        longest(text, &marks(language).expect("a course's language"))
    }

    #[test]
    fn every_language_of_the_courses_has_marks() {
        for (_, kit) in kits() {
            assert!(marks(kit.language).is_some(), "{}", kit.language);
        }
    }

    #[test]
    fn the_longest_comment_is_found_with_its_line() {
        let haskell = "module A where\nimport B\n\n{- My AI looks three plies\n   ahead {- nested -} -}\nf = 1 -- one\n";
        assert_eq!(found("haskell", haskell), (4, 7));
        let ocaml = "let a = \"(* no comment at all here *)\"\n(* two words *)\n";
        assert_eq!(found("ocaml", ocaml), (2, 2));
        let cpp = "#pragma once\n/* one\n two */ int x; // three four five\n";
        assert_eq!(found("cpp", cpp), (3, 3));
        let python = "import a\n\n\"\"\"Plays well.\n\nAnd fast.\"\"\"\nx = 1  # a\n";
        assert_eq!(found("python", python), (3, 4));
    }

    #[test]
    fn comments_of_one_line_that_follow_each_other_are_one() {
        let text = "-- | My AI\n-- looks ahead\n--\n-- and moves.\nf = 1\n\n-- another one\n";
        assert_eq!(found("haskell", text), (1, 6));
    }

    #[test]
    fn quotes_hide_no_comment_and_unended_comments_end_with_the_file() {
        assert_eq!(found("haskell", "f = '\"'\n-- a b c\n"), (2, 3));
        assert_eq!(
            found("haskell", "f x' = \"a\\\"--\" ++ x' -- b c\n"),
            (1, 2)
        );
        assert_eq!(found("ocaml", "let x = 1 (* never ends"), (1, 2));
        assert_eq!(found("ocaml", "let x = 1"), (0, 0));
        assert_eq!(found("haskell", ""), (0, 0));
    }
}
