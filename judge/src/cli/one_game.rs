//! A game that this process plays by itself: of `judge play` and `judge repro`.

use model::artifact::Artifact;
use model::draw::Draw;
use model::fixture::{Conditions, Fixture, Participant, Terms, leg};
use rulebook::JudgeError;
use rulebook::rules::Rules;
use run::play::worker::Order;
use sandbox::{Isolation, OpenRunCgroups};
use serde_json::value::RawValue;
use std::sync::Arc;

pub(super) fn fixture(
    rules: &dyn Rules,
    conditions: &Conditions,
    (draw, state): (&Draw, u32),
    seats: Arc<[Participant]>,
    setup: Box<RawValue>,
) -> Fixture {
    let names: Vec<&str> = seats.iter().map(|one| &*one.entrant).collect();
    let leg = leg(conditions.lifetime, &names);
    let luck = draw.state(state).luck_of_leg(names.len(), leg);
    let terms = Terms::new(rules.info().rules_version, conditions);
    Fixture::new(&terms, state, seats, setup.into(), luck.into())
}

/// Makes this process a worker, pinned to the CPU of index `pin`.
pub(super) fn order(
    conditions: &Conditions,
    artifacts: Vec<Artifact>,
    pin: Option<usize>,
    isolation: Isolation,
    run_cgroups: Option<&OpenRunCgroups>,
) -> Result<Order, JudgeError> {
    if let Some(index) = pin {
        sandbox::pin_to(index)?;
    }
    sandbox::adopt_orphans()?;
    Ok(Order {
        conditions: conditions.clone(),
        artifacts,
        pin,
        isolation,
        run_cgroups: run_cgroups.map(OpenRunCgroups::run_cgroups).cloned(),
    })
}
