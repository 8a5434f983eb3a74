//! Whether the kit of a course supports the games of a competition.

use engines::{Blind, Kit, Lifetime};
use model::fixture::Conditions;
use rulebook::rules::Rules;
use serde_json::{Map, Value};

/// Checks that the kit passes on everything that its submissions need.
///
/// # Errors
/// When it does not, in plain words.
pub(super) fn check(kit: &Kit, game: &dyn Rules, conditions: &Conditions) -> Result<(), String> {
    let Blind {
        settings,
        to_position,
    } = kit.blind;
    let language = kit.language;
    if to_position && conditions.lifetime == Lifetime::Turn {
        return Err(format!(
            "a new process for every turn (lifetime turn) needs a program that speaks the protocol; the course's \
             interface for {language} passes on only the moves, never the position"
        ));
    }
    let usual = game
        .configure("{}")
        .map_err(|error| error.of("its own defaults").to_string())?;
    let (usual, now) = (object(usual.get()), object(conditions.config.get()));
    let Some(setting) = settings
        .iter()
        .find(|name| usual.get(**name) != now.get(**name))
    else {
        return Ok(());
    };
    let value =
        |of: &Map<String, Value>| of.get(*setting).map_or_else(String::new, Value::to_string);
    Err(format!(
        "{setting} = {} needs a program that speaks the protocol; the course's interface for {language} knows only {}",
        value(&now),
        value(&usual)
    ))
}

fn object(config: &str) -> Map<String, Value> {
    serde_json::from_str(config).expect("a configuration is an object")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blind_settings_are_settings_of_the_game() {
        for game in rulebook::rules::built_in() {
            let usual = object(game.configure("{}").expect("all have defaults").get());
            for setting in game.kits().iter().flat_map(|kit| kit.blind.settings) {
                assert!(usual.contains_key(*setting), "{setting}");
            }
        }
    }

    #[test]
    fn a_kit_that_is_told_moves_only_takes_the_usual_start_and_a_whole_game() {
        for game in rulebook::rules::built_in() {
            let mut conditions = rulebook::standard(&*game).conditions;
            for kit in game.kits() {
                conditions.lifetime = Lifetime::Game;
                assert_eq!(check(kit, &*game, &conditions), Ok(()));
                conditions.lifetime = Lifetime::Turn;
                let told = check(kit, &*game, &conditions);
                assert_eq!(told.is_err(), kit.blind.to_position, "{told:?}");
            }
        }
    }
}
