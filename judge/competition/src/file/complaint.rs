//! The reader's complaints in words that are no programmer's.

/// What the libraries say, and what is meant. In this order: an earlier one may hold a later
/// one.
const WORDS: [(&str, &str); 21] = [
    ("invalid type: ", ""),
    ("invalid value: ", ""),
    (
        "invalid basic string, expected `\"`",
        "a text in quotes does not end",
    ),
    ("wanted string or table", "a text is needed"),
    ("unknown field", "unknown key"),
    ("missing field", "missing key"),
    ("unknown variant", "unknown value"),
    ("floating point ", "the number "),
    ("integer ", "the whole number "),
    ("string \"", "the text \""),
    ("boolean ", "the value "),
    ("map ", "a table "),
    ("sequence ", "a list "),
    ("is no i64", "is no whole number"),
    ("is no u64", "is no whole number from 0 on"),
    ("is no u32", "is no whole number from 0 on"),
    ("is no usize", "is no whole number from 0 on"),
    ("is no a ", "is no "),
    ("is no sequence", "is no list"),
    ("is no string", "is no text (in quotes)"),
    ("is no boolean", "is neither true nor false"),
];

pub(super) fn plain(message: &str) -> String {
    let one_line = message.replace('\n', " ");
    // What is unknown is followed by what there is, not by what it is not.
    let message = if one_line.starts_with("unknown ") {
        one_line
            .replace(", expected one of ", "; allowed: ")
            .replace(", expected ", "; allowed: ")
    } else if one_line.starts_with("invalid type: ") || one_line.starts_with("invalid value: ") {
        one_line.replace(", expected ", " is no ")
    } else {
        one_line
    };
    WORDS
        .iter()
        .fold(message, |text, (theirs, ours)| text.replace(theirs, ours))
}
