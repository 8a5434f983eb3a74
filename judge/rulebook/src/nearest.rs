//! A search for the name that a mistyped word means.

use strsim::osa_distance;

const CHARS_MAX: usize = 100;

/// Least length of a word that is taken for the beginning of a name.
const BEGINNING_BYTES_MIN: usize = 3;

/// Returns the name most like a word, if the word may be a slip of the hand or begins the name.
/// Slips are at most one change for every three characters. A swap of neighbours is one change.
pub fn nearest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = word.chars().count();
    if length > CHARS_MAX {
        return None;
    }
    let names: Vec<&'a str> = names
        .into_iter()
        .filter(|name| name.len() <= CHARS_MAX)
        .collect();
    names
        .iter()
        .filter_map(|name| {
            let longer = length.max(name.chars().count());
            let changes = osa_distance(&word.to_lowercase(), &name.to_lowercase());
            (changes * 3 <= longer).then_some((changes, *name))
        })
        .min_by_key(|(changes, _)| *changes)
        .map(|(_, name)| name)
        .or_else(|| begun(word, &names))
}

fn begun<'a>(word: &str, names: &[&'a str]) -> Option<&'a str> {
    if word.len() < BEGINNING_BYTES_MIN {
        return None;
    }
    let mut fit = names.iter().filter(|name| name.starts_with(word));
    let only = fit.next()?;
    fit.next().is_none().then_some(*only)
}

/// Returns a question for the name most like a word, ` (did you mean reversi?)`, or an empty text.
pub fn did_you_mean<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, names).map_or_else(String::new, |name| format!(" (did you mean {name}?)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_name_is_found_for_similar_words_only() {
        // The beginning of one name means it.
        let names = ["monkey-metal-man", "catch-the-cat", "catch-22"];
        assert_eq!(nearest("monkey", names), Some("monkey-metal-man"));
        assert_eq!(nearest("catch", names), None, "there are two");
        assert_eq!(nearest("mo", names), None, "too short");
        let games = ["catch-the-cat", "reversi", "connect-four"];
        for (word, name) in [
            ("Reversi", Some("reversi")),
            ("revrsi", Some("reversi")),
            ("conect-for", Some("connect-four")),
            ("catch-cat", Some("catch-the-cat")),
            ("chess", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, games), name, "{word}");
        }
        assert_eq!(did_you_mean("revesri", games), " (did you mean reversi?)");
        assert_eq!(did_you_mean(&"x".repeat(1 << 20), games), "");
    }
}
