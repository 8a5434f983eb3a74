//! Autolab: the autoresult of one submission, which an autograder prints as its last line. The
//! problem must have the name of a problem of the assessment.

use super::suite::Scoreboard;
use serde_json::json;

/// Returns the line.
pub fn autolab(problem: &str, score: f64, scoreboard: Option<Scoreboard>) -> String {
    let mut result = json!({"scores": {problem: score}});
    if let Some(Scoreboard { total, wins, .. }) = scoreboard {
        result["scoreboard"] = json!([score, total, wins]);
    }
    result.to_string()
}

#[cfg(test)]
mod tests {
    use super::{Scoreboard, autolab};

    #[test]
    fn autolab_gets_one_line() {
        assert_eq!(
            autolab("my \"bot\"", 2.5, None),
            r#"{"scores":{"my \"bot\"":2.5}}"#
        );
        let scoreboard = Scoreboard {
            rank: 2,
            total: 3.0,
            wins: 1,
        };
        assert_eq!(
            autolab("bot", 2.5, Some(scoreboard)),
            r#"{"scoreboard":[2.5,3.0,1],"scores":{"bot":2.5}}"#
        );
    }
}
