//! The XML of `JUnit`: a suite for each entrant, a test case for each of its games. A game fails by a
//! fault of the entrant's own; a lost game is no failure.

use crate::fault::Fault;
use crate::record::MatchResult;
use crate::report::describe;
use std::fmt::Write;

/// Begins and ends the file, with the suites of [`Suite`] between.
pub fn junit(suites: &[Suite]) -> Vec<u8> {
    let mut xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n".to_owned();
    for suite in suites {
        suite.write(&mut xml);
    }
    xml.push_str("</testsuites>\n");
    xml.into_bytes()
}

/// The games of one entrant.
#[derive(Clone, Debug)]
pub struct Suite {
    entrant: String,
    cases: String,
    games: usize,
    failures: usize,
}

impl Suite {
    /// Begins with no game.
    pub fn new(entrant: &str) -> Self {
        Self {
            entrant: entrant.to_owned(),
            cases: String::new(),
            games: 0,
            failures: 0,
        }
    }

    /// Adds a game in each seat that the entrant has in it; `game` is its number.
    pub fn add(&mut self, roles: &[&str], game: usize, result: &MatchResult) {
        for (seat, sitter) in result.seats.iter().enumerate() {
            if sitter.entrant != self.entrant {
                continue;
            }
            let others = result.seats.iter().enumerate();
            let others = others.filter(|(other, _)| *other != seat);
            let others: Vec<&str> = others.map(|(_, other)| other.entrant.as_str()).collect();
            let name = format!(
                "game {game} as {} against {}",
                roles[seat],
                others.join(" & ")
            );
            let seconds = std::time::Duration::from_micros(sitter.cpu_us).as_secs_f64();
            let (name, class) = (escape(&name), escape(&self.entrant));
            write!(
                self.cases,
                "    <testcase classname=\"{class}\" name=\"{name}\" time=\"{seconds:.6}\""
            )
            .expect("writing to memory");
            self.games += 1;
            let fault = result
                .faults
                .iter()
                .find(|fault| fault.seat.index() == seat);
            self.failures += usize::from(fault.is_some());
            self.cases
                .push_str(&fault.map_or("/>\n".to_owned(), failure));
        }
    }

    fn write(&self, xml: &mut String) {
        let (name, tests, failures) = (escape(&self.entrant), self.games, self.failures);
        writeln!(
            xml,
            "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"0\">"
        )
        .expect("writing to memory");
        xml.push_str(&self.cases);
        xml.push_str("  </testsuite>\n");
    }
}

fn failure(fault: &Fault) -> String {
    let line = fault.line.as_deref().map(escape).unwrap_or_default();
    format!(
        ">\n      <failure type=\"{}\" message=\"{}\">{line}</failure>\n    </testcase>\n",
        fault.cause,
        escape(&describe(fault))
    )
}

/// Makes a text fit for XML 1.0, which has no way to write most control characters.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            c if c.is_control() => escaped.extend(c.escape_unicode()),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::escape;

    #[test]
    fn nothing_in_a_text_is_taken_for_xml() {
        assert_eq!(
            escape("<a b=\"&\">\u{1b}\n"),
            "&lt;a b=&quot;&amp;&quot;&gt;\\u{1b}\\u{a}"
        );
        assert_eq!(escape("é\u{ffff}"), "é\u{fffd}");
    }
}
