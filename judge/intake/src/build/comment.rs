//! The longest comment in the file that a course names, where the course asks for one.

use crate::read::names::base_name;
use crate::read::source::{SourceFile, has_ending};
use crate::read::submission::{Form, Submission};
use engines::{Kit, Sign};
use model::entrant::Comment;
use model::language::{Language, Part, Syntax};

/// The comment has 0 words if there is none.
pub(crate) fn longest_of(submission: &Submission) -> Option<Comment> {
    let Ok(Form::Sources(_, kit)) = submission.form else {
        return None;
    };
    let syntax = Language::named(kit.language)?.syntax?;
    let comments = submission
        .files
        .iter()
        .filter(|file| is_asked_for(file, kit))
        .map(|file| {
            let (line, words) = longest(&file.bytes, &syntax);
            Comment {
                file: file.path.clone(),
                line,
                words,
            }
        });
    // The first of equally long ones wins.
    comments.reduce(|best, one| if one.words > best.words { one } else { best })
}

fn is_asked_for(file: &SourceFile, kit: &Kit) -> bool {
    let name = base_name(&file.path);
    match kit.sign {
        Sign::Flat(names) => names.contains(&name),
        Sign::Anywhere(wanted) => name == wanted,
        Sign::Text { ending, .. } => has_ending(name, &[ending]),
    }
}

/// Returns the first line of the longest comment and its words. Adjacent comments count as one.
fn longest(source: &[u8], syntax: &Syntax) -> (usize, u64) {
    let mut best = (0, 0);
    // First line, words and last line of the comment that the next one continues.
    let mut run: Option<(usize, u64, usize)> = None;
    let mut line = 1;
    for (part, own) in syntax.parts(source) {
        let begins = line;
        line += own.split(|byte| *byte == b'\n').count() - 1;
        match part {
            Part::Comment | Part::Docstring => {
                let joins = run.filter(|(_, _, last)| last + 1 >= begins);
                let (first, earlier) =
                    joins.map_or((begins, 0), |(first, words, _)| (first, words));
                let words = earlier + words_in(own);
                run = Some((first, words, line));
                if words > best.1 {
                    best = (first, words);
                }
            }
            Part::Other if own.trim_ascii().is_empty() => {}
            Part::Text | Part::Other => run = None,
        }
    }
    best
}

fn words_in(comment: &[u8]) -> u64 {
    String::from_utf8_lossy(comment)
        .split_whitespace()
        .filter(|word| word.chars().any(char::is_alphanumeric))
        .count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(language: &str, text: &str) -> (usize, u64) {
        let language = Language::named(language).expect("a course's language");
        longest(text.as_bytes(), &language.syntax.expect("it is known"))
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
    fn adjacent_line_comments_count_as_one() {
        let text = "-- | My AI\n-- looks ahead\n--\n-- and moves.\nf = 1\n\n-- another one\n";
        assert_eq!(found("haskell", text), (1, 6));
    }

    #[test]
    fn quoted_markers_are_ignored_unended_comments_reach_eof() {
        assert_eq!(found("haskell", "f = '\"'\n-- a b c\n"), (2, 3));
        let escaped = "f x' = \"a\\\"--\" ++ x' -- b c\n";
        assert_eq!(found("haskell", escaped), (1, 2));
        assert_eq!(found("ocaml", "let x = 1 (* never ends"), (1, 2));
        let grouped = "int n = 1'000; // the cat's plan\n";
        assert_eq!(found("cpp", grouped), (1, 3));
        assert_eq!(found("python", "s = '# no'  # one\n"), (1, 1));
        assert_eq!(found("ocaml", "let x = 1"), (0, 0));
        assert_eq!(found("haskell", ""), (0, 0));
    }
}
