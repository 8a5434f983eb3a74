//! The title of a competition, with its practice round.

use model::competition::Competition;

/// The start of a practice round's name, before its number.
const PRACTICE: &str = "practice/";

/// Returns the number in a practice round's name; `None` for the final round.
pub(crate) fn practice_number(round: &str) -> Option<&str> {
    round.strip_prefix(PRACTICE)
}

/// Returns the practice round of a competition in words; `None` for the final round.
pub fn practice_round(competition: &Competition) -> Option<String> {
    let number = practice_number(&competition.round);
    number.map(|number| format!("practice round {number}"))
}

/// Returns the title, such as `Cat Contest, practice round 3`. The final round is not named.
pub fn titled(competition: &Competition) -> String {
    let title = &competition.title;
    practice_round(competition).map_or_else(|| title.clone(), |round| format!("{title}, {round}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_names_a_practice_round_and_not_the_final_one() {
        let mut competition =
            rulebook::standard(&*rulebook::rules::find("reversi").expect("registered"));
        let title = competition.title.clone();
        assert_eq!(titled(&competition), title);
        competition.round = "practice/3".to_owned();
        assert_eq!(titled(&competition), format!("{title}, practice round 3"));
    }
}
