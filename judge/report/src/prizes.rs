//! The requirements of prizes besides the rank, in words.

use model::numbers::counted;
use rulebook::scoring::{Lack, Standing};

/// Explains why the rank of a row brings no prize. Returns `None` if it brings one, or is too low
/// for one.
pub fn no_prize(standing: &Standing) -> Option<String> {
    let lacks: Vec<String> = standing.lacks.iter().map(lack).collect();
    (!lacks.is_empty()).then(|| lacks.join("; "))
}

fn lack(lack: &Lack) -> String {
    let some = |has: u64| match has {
        0 => "none".to_owned(),
        has => has.to_string(),
    };
    match lack {
        Lack::FaultlessGames { has, needed } => format!(
            "it needs {} without a fault that nobody else's fault ended before its first move, and has {}",
            counted(*needed, "game"),
            some(*has)
        ),
        Lack::Wins { has, needed } => {
            format!(
                "it needs {}, and has {}",
                counted(*needed, "win"),
                some(*has)
            )
        }
        Lack::AheadOf(name) => format!("it needs to be ahead of {name}"),
    }
}
