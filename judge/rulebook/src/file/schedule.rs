//! The table `[schedule]`.

use super::wrong::Wrong;
use crate::rules::Rules;
use model::builtin::PREFIX;
use model::competition::Schedule;
use serde::Deserialize;
use toml::Spanned;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScheduleTable {
    kind: Spanned<ScheduleKind>,
    self_play: Option<Spanned<bool>>,
    against: Option<Vec<Spanned<String>>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ScheduleKind {
    Pairs,
    Gauntlet,
    Groups,
}

/// Checks the schedule. Without a table everybody meets everybody.
pub(super) fn schedule(rules: &dyn Rules, table: Option<ScheduleTable>) -> Result<Schedule, Wrong> {
    let Some(table) = table else {
        return Ok(if rules.info().roles.len() == 2 {
            Schedule::Pairs { self_play: false }
        } else {
            Schedule::Groups
        });
    };
    let kind = *table.kind.get_ref();
    let title = rules.info().title;
    let wrong = |reason: String| Err((table.kind.span(), reason));
    match (kind, rules.info().roles.len()) {
        (ScheduleKind::Pairs | ScheduleKind::Gauntlet, 2) => {}
        (ScheduleKind::Groups, seats) if seats > 2 => {}
        (ScheduleKind::Groups, _) => {
            return wrong(format!(
                "{title} is for two: kind must be pairs or gauntlet"
            ));
        }
        (ScheduleKind::Pairs | ScheduleKind::Gauntlet, _) => {
            return wrong(format!("{title} is for more than two: kind must be groups"));
        }
    }
    if let Some(self_play) = table
        .self_play
        .as_ref()
        .filter(|_| kind != ScheduleKind::Pairs)
    {
        return Err((
            self_play.span(),
            "self_play needs kind = \"pairs\"".to_owned(),
        ));
    }
    let against = table.against.iter().flatten().next();
    if let Some(against) = against.filter(|_| kind != ScheduleKind::Gauntlet) {
        return Err((
            against.span(),
            "against needs kind = \"gauntlet\"".to_owned(),
        ));
    }
    Ok(match kind {
        ScheduleKind::Pairs => Schedule::Pairs {
            self_play: table.self_play.is_some_and(Spanned::into_inner),
        },
        ScheduleKind::Groups => Schedule::Groups,
        ScheduleKind::Gauntlet => {
            let span = table.kind.span();
            let against = table.against.unwrap_or_default();
            if against.is_empty() {
                let reason =
                    "a gauntlet needs opponents, for example against = [\"builtin:random\"]";
                return Err((span, reason.to_owned()));
            }
            are_known(rules, "against", &against)?;
            Schedule::Gauntlet {
                against: against.into_iter().map(Spanned::into_inner).collect(),
            }
        }
    })
}

/// Checks the names of entrants, as far as they are known here: none appears twice, and the game
/// has the named built-in bots. `key` is the key with the names.
pub(super) fn are_known(
    rules: &dyn Rules,
    key: &str,
    names: &[Spanned<String>],
) -> Result<(), Wrong> {
    for (index, name) in names.iter().enumerate() {
        if names[..index]
            .iter()
            .any(|one| one.get_ref() == name.get_ref())
        {
            return Err((
                name.span(),
                format!("{key}: {:?} appears twice", name.get_ref()),
            ));
        }
        let Some(bot) = name.get_ref().strip_prefix(PREFIX) else {
            continue;
        };
        let known: Vec<&str> = rules.baselines().iter().map(|(known, _)| *known).collect();
        if !known.contains(&bot) {
            let (title, prefix) = (rules.info().title, format!(", {PREFIX}"));
            let reason = format!(
                "{key}: {title} has no built-in bot {bot:?}; there are {PREFIX}{}",
                known.join(&prefix)
            );
            return Err((name.span(), reason));
        }
    }
    Ok(())
}
