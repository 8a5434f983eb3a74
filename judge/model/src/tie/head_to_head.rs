//! The tie rule `head-to-head`: won every game against the other.

use super::rule::{Decided, Reads, TieRule};
use alloc::borrow::ToOwned;
use alloc::string::String;
use engines::GameInfo;

pub(super) const RULE: TieRule = TieRule {
    name: "head-to-head",
    reads: Reads::Games,
    refused_for,
    compare: |pair| {
        let [first, second] = (pair.won_all)();
        second.cmp(&first)
    },
    explain,
};

fn refused_for(game: &GameInfo) -> Option<String> {
    let title = game.title;
    (game.roles.len() > 2)
        .then(|| format!("head-to-head is only for games for two; {title} is for more"))
}

fn explain(decided: &Decided<'_>) -> String {
    let [better, worse] = decided.names;
    let games = match decided.games {
        1 => "its only game".to_owned(),
        2 => "both games".to_owned(),
        games => format!("all {games} games"),
    };
    format!("{better} won {games} against {worse}")
}
