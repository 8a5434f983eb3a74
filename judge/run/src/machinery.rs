//! Description of how programs are sandboxed and started.

use model::entrant::Contestant;
use model::fixture::Conditions;
use model::text::listed;
use sandbox::Isolation;

/// Returns lines that describe how programs are sandboxed and started.
pub(crate) fn machinery(
    isolation: &Isolation,
    conditions: &Conditions,
    contestants: &[Contestant],
) -> Vec<String> {
    vec![
        isolation.announce(conditions.processes),
        isolation.announce_channels(),
        starts(isolation, conditions, contestants),
    ]
}

/// Returns how programs start, and how much of a start is free.
fn starts(isolation: &Isolation, conditions: &Conditions, contestants: &[Contestant]) -> String {
    let roads = roads(isolation, conditions.processes, contestants);
    match conditions.startup_words() {
        Some(words) => format!("{roads}; {words}"),
        None => roads,
    }
}

fn roads(isolation: &Isolation, processes: bool, contestants: &[Contestant]) -> String {
    if !isolation.starts_warm() || processes {
        return "starts: each in a new sandbox; the results are the same, and starts take longer"
            .to_owned();
    }
    let (forked, executed): (Vec<_>, Vec<_>) = contestants
        .iter()
        .partition(|contestant| contestant.artifact.forks);
    let roads = [
        ("as copies of a loaded program", forked),
        ("from their files", executed),
    ]
    .into_iter()
    .filter(|(_, names)| !names.is_empty())
    .map(|(road, names)| {
        let names: Vec<&str> = names.iter().map(|contestant| &*contestant.name).collect();
        format!("{road}: {}", listed(&names))
    });
    format!(
        "starts: in sandboxes that stay ready (warm cages), {}",
        roads.collect::<Vec<_>>().join("; ")
    )
}
