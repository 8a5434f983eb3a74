//! Names as platforms write them, read by patterns.

use super::times;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use unicode_normalization::char::is_combining_mark;

/// The parts of a name.
#[derive(Clone, Debug, Default)]
pub struct Parts<'a> {
    found: Vec<(&'static str, &'a str)>,
    /// Whether the name has the text in brackets, which is a mark of what is late.
    pub is_marked: bool,
}

impl<'a> Parts<'a> {
    /// Returns a part; empty if there is none.
    pub fn get(&self, key: &str) -> &'a str {
        let found = self.found.iter().find(|(own, _)| *own == key);
        found.map_or("", |(_, part)| part)
    }

    /// Puts the parts into a text with `{…}`.
    pub fn fill(&self, text: &str) -> String {
        self.found
            .iter()
            .fold(text.to_string(), |text, (key, part)| {
                text.replace(&format!("{{{key}}}"), part)
            })
    }
}

/// Reads a name by a pattern: `{…}` is a part, as short as possible and not empty except `{rest}`;
/// `[…]` may be missing.
pub fn first_match<'a>(pattern: &'static str, text: &'a str) -> Option<Parts<'a>> {
    let mut first = None;
    each_match(pattern, text, &mut |parts| {
        first = Some(parts.clone());
        true
    });
    first
}

/// Reads a name in each way that a pattern allows, until `take` returns true.
pub fn each_match<'a>(
    pattern: &'static str,
    text: &'a str,
    take: &mut dyn FnMut(&Parts<'a>) -> bool,
) {
    walk(pattern, text, &mut Parts::default(), take);
}

fn walk<'a>(
    pattern: &'static str,
    text: &'a str,
    parts: &mut Parts<'a>,
    take: &mut dyn FnMut(&Parts<'a>) -> bool,
) -> bool {
    if let Some((mark, rest)) = pattern.strip_prefix('[').and_then(|p| p.split_once(']')) {
        if let Some(text) = text.strip_prefix(mark) {
            parts.is_marked = true;
            if walk(rest, text, parts, take) {
                return true;
            }
            parts.is_marked = false;
        }
        return walk(rest, text, parts, take);
    }
    if let Some((key, rest)) = pattern.strip_prefix('{').and_then(|p| p.split_once('}')) {
        let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
        for end in ends {
            let (part, after) = text.split_at(end);
            // The text after it is looked at first, because that is cheap.
            let literal = rest.split(['{', '[']).next().unwrap_or_default();
            if after.starts_with(literal) && fits(key, part) {
                parts.found.push((key, part));
                if walk(rest, after, parts, take) {
                    return true;
                }
                parts.found.pop();
            }
        }
        return false;
    }
    let end = pattern.find(['{', '[']).unwrap_or(pattern.len());
    let (literal, rest) = pattern.split_at(end);
    if literal.is_empty() {
        return text.is_empty() && take(parts);
    }
    text.strip_prefix(literal)
        .is_some_and(|text| walk(rest, text, parts, take))
}

fn fits(key: &str, part: &str) -> bool {
    if part.is_empty() {
        return key == "rest";
    }
    match key {
        "number" | "user" | "upload" => part.bytes().all(|byte| byte.is_ascii_digit()),
        "maximum" => part.parse::<f64>().is_ok(),
        "bracket" => part == "[",
        "typed" => part == "text" || part == "link",
        "word" => !part.contains('_'),
        "folder" => !part.contains('/'),
        // Of a course and an exercise.
        "same" => part.contains('-'),
        "time" => times::in_name(part).is_some(),
        // A name in small letters, without blanks and punctuation.
        "letters" => part.split('_').all(|word| {
            let is_letter = |c: char| c.is_alphanumeric() || is_combining_mark(c);
            !word.is_empty() && word.chars().all(|c| is_letter(c) && !c.is_uppercase())
        }),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn earlier_parts_are_as_short_as_possible() {
        for (pattern, text, expected) in [
            ("{a}_{b}", "x_y_z", Some("x|y_z")),
            ("{a}_{user}_{b}", "x_y_1_2", Some("x_y|2")),
            ("{a}[_LATE]_{b}", "x_LATE_y", Some("x|y")),
            ("{a}[_LATE]_{b}", "x_y", Some("x|y")),
            ("{a}b{b}{rest}", "ab1", Some("a|1")),
            ("{word}_{b}", "_x", None),
            ("{letters}_{b}", "A_x", None),
            ("{a}{b}", "x", None),
        ] {
            let found = first_match(pattern, text);
            let found = found.map(|parts| parts.fill("{a}{word}{letters}|{b}"));
            let found = found.map(|text| text.replace("{word}", "").replace("{letters}", ""));
            assert_eq!(found.as_deref(), expected, "{pattern} {text}");
        }
        assert!(first_match("{a}[_LATE]_{b}", "x_LATE_y").is_some_and(|parts| parts.is_marked));
    }
}
