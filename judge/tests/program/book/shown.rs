//! Comparison of a command's output with the page that shows it.
//!
//! `…` in a line stands for any text, and alone for any lines. Blanks count as one.

pub(super) fn shows(page: &str, printed: &str) -> bool {
    let lines = |text: &str| -> Vec<String> {
        let lines = text.trim_end().lines();
        lines.map(|line| one_blank(line.trim_end())).collect()
    };
    lines_match(&lines(page), &lines(printed))
}

fn one_blank(line: &str) -> String {
    let mut words = line.split(' ');
    let mut text = words.next().unwrap_or_default().to_owned();
    for word in words.filter(|word| !word.is_empty()) {
        text.push(' ');
        text.push_str(word);
    }
    text
}

fn lines_match(page: &[String], printed: &[String]) -> bool {
    match page.split_first() {
        None => printed.is_empty(),
        Some((line, rest)) if line == "…" => {
            (0..=printed.len()).any(|skipped| lines_match(rest, &printed[skipped..]))
        }
        Some((line, rest)) => printed
            .split_first()
            .is_some_and(|(now, after)| line_matches(line, now) && lines_match(rest, after)),
    }
}

fn line_matches(line: &str, now: &str) -> bool {
    let mut parts = line.split('…');
    let begin = parts.next().expect("split gives one at least");
    let Some(mut now) = now.strip_prefix(begin) else {
        return false;
    };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return now.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return now.ends_with(part);
        }
        let Some(at) = now.find(part) else {
            return false;
        };
        now = &now[at + part.len()..];
    }
    true
}

#[test]
fn elided_output_may_vary_and_all_else_matches() {
    for (page, printed, same) in [
        ("a\nb", "a\nb\n", true),
        ("a\nb", "a\nc", false),
        ("a", "a\nb", false),
        ("a\n…", "a\nb\nc", true),
        ("…\nc", "a\nb\nc", true),
        ("…\nc", "a\nb", false),
        ("took … s", "took  1.5  s", true),
        ("took … s", "took 1.5 ms", false),
        ("… of … games", "3 of 4 games", true),
        ("… of … games", "3 of 4 wins", false),
    ] {
        assert_eq!(shows(page, printed), same, "{page:?} {printed:?}");
    }
}
