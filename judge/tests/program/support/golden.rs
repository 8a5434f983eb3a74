//! What the program shows, kept in files under `tests/golden`.
//!
//! With `UPDATE_GOLDEN=1` in the environment the files are written; look at the difference
//! before committing it.

use super::root;
use std::fs;

/// Asserts that a text is the one in a file.
pub(crate) fn check(name: &str, text: &str) {
    let folder = root().join("judge/tests/golden");
    let path = folder.join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::create_dir_all(&folder).expect("the repository can be written");
        fs::write(&path, text).expect("the repository can be written");
    }
    let kept = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let pairs = kept.lines().zip(text.lines());
    let differs = pairs.enumerate().find(|(_, (kept, now))| kept != now);
    assert_eq!(differs, None, "a line of {name}\n{text}");
    assert_eq!(kept.lines().count(), text.lines().count(), "{name}\n{text}");
}

/// Puts `TIME` in the place of every number with a unit of time, with one blank before it.
pub(crate) fn timeless(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let mut words: Vec<&str> = Vec::new();
        for word in line.split(' ') {
            let unit = word.trim_end_matches([',', '.']);
            let number = words.last().is_some_and(|last| last.parse::<f64>().is_ok());
            if number && matches!(unit, "µs" | "ms" | "s") {
                words.pop();
                while words.last() == Some(&"") {
                    words.pop();
                }
                words.push(if word == unit { "TIME" } else { "TIME," });
            } else {
                words.push(word);
            }
        }
        words.join(" ") + "\n"
    });
    lines.collect()
}
