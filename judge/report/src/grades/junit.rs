//! The XML of `JUnit`: a suite for each entrant, with what it got as properties and as the first
//! test case, and a test case for each of its games. The first one fails by a disqualification or
//! where the entrant does not play or came too late, a game by a fault of the entrant's own; a lost game is no failure.

use super::row::GradeRow;
use super::value::number;
use crate::describe;
use std::fmt::Write;
use words::fault::Fault;
use words::record::MatchResult;

/// Begins and ends the file, with the suites of [`Suite`] between.
pub fn junit(suites: &[Suite]) -> Vec<u8> {
    let mut xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n".to_owned();
    for suite in suites {
        suite.write(&mut xml);
    }
    xml.push_str("</testsuites>\n");
    xml.into_bytes()
}

/// What one entrant got, and its games.
#[derive(Clone, Debug)]
pub struct Suite {
    entrant: String,
    properties: String,
    cases: String,
    tests: usize,
    failures: usize,
}

impl Suite {
    /// Begins with what the entrant got, and no game.
    pub fn new(grade: &GradeRow) -> Self {
        let mut suite = Self {
            entrant: grade.who.submission.clone(),
            properties: String::new(),
            cases: String::new(),
            tests: 1,
            failures: 0,
        };
        let got = got(grade);
        for (name, value) in &got {
            let value = escape(value);
            writeln!(
                suite.properties,
                "      <property name=\"{name}\" value=\"{value}\"/>"
            )
            .expect("writing to memory");
        }
        let said: Vec<String> = got
            .iter()
            .map(|(name, value)| format!("{name} {value}"))
            .collect();
        let (class, said) = (escape(&suite.entrant), escape(&said.join(", ")));
        let broken = grade.not_playing().map(|why| ("does-not-play", why));
        let broken = broken.or(grade.too_late().map(|why| ("too-late", why)));
        let out = grade.disqualified();
        let out = out.map(|why| ("disqualified", why)).or(broken);
        let failure = out.map_or_else(String::new, |(kind, reason)| {
            let reason = escape(reason);
            format!("      <failure type=\"{kind}\" message=\"{reason}\"></failure>\n")
        });
        suite.failures = usize::from(out.is_some());
        suite.cases = format!(
            "    <testcase classname=\"{class}\" name=\"standing\">\n{failure}      <system-out>{said}</system-out>\n    </testcase>\n"
        );
        suite
    }

    /// Adds a game in each seat that the entrant has in it; `game` is its number.
    pub fn add(&mut self, roles: &[&str], game: usize, result: &MatchResult) {
        for (seat, participant) in result.seats.iter().enumerate() {
            if participant.entrant != self.entrant {
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
            let seconds = std::time::Duration::from_micros(participant.cpu_us).as_secs_f64();
            let (name, class) = (escape(&name), escape(&self.entrant));
            write!(
                self.cases,
                "    <testcase classname=\"{class}\" name=\"{name}\" time=\"{seconds:.6}\""
            )
            .expect("writing to memory");
            self.tests += 1;
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
        let (name, tests, failures) = (escape(&self.entrant), self.tests, self.failures);
        writeln!(
            xml,
            "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"0\">"
        )
        .expect("writing to memory");
        if !self.properties.is_empty() {
            write!(
                xml,
                "    <properties>\n{}    </properties>\n",
                self.properties
            )
            .expect("writing to memory");
        }
        xml.push_str(&self.cases);
        xml.push_str("  </testsuite>\n");
    }
}

/// Lists what an entrant got, as far as the competition gives it.
fn got(grade: &GradeRow) -> Vec<(&'static str, String)> {
    let mut got = Vec::new();
    if let Some(row) = grade.standing() {
        got.push(("rank", row.rank.to_string()));
        got.push(("total", number(row.total.points)));
        got.extend(row.prize.map(|prize| ("prize", prize.to_string())));
    }
    got.extend(grade.grade.clone().map(|grade| ("grade", grade)));
    got
}

fn failure(fault: &Fault) -> String {
    let line = fault.line.as_deref().map(escape).unwrap_or_default();
    format!(
        ">\n      <failure type=\"{}\" message=\"{}\">{line}</failure>\n    </testcase>\n",
        fault.cause,
        escape(&describe(fault))
    )
}

/// Makes a text fit for XML 1.0, which has no way to write most control characters: they are
/// spelled out, line breaks too.
pub fn escape(text: &str) -> String {
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
