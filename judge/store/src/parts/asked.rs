//! The confinement that a part requires of a machine.

use model::isolation::{Confinement, Tier};
use rulebook::JudgeError;
use serde::{Deserialize, Serialize};

/// The confinement that a machine must provide to play a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    /// The minimum isolation tier.
    pub tier: Tier,
    /// Whether programs must have mounts, process ids, IPC and network of their own.
    pub namespaces: bool,
}

impl Asked {
    /// Requires the tier and the namespaces of this confinement.
    pub const fn of(confinement: &Confinement) -> Self {
        Self {
            tier: confinement.tier,
            namespaces: confinement.namespaces,
        }
    }

    /// Checks that a machine provides it.
    ///
    /// # Errors
    /// When it does not; the message says how to change that.
    pub fn admit(self, here: &Confinement) -> Result<(), JudgeError> {
        let reason = if !here.tier.reaches(self.tier) {
            format!(
                "it requires {}, but this machine has {}",
                self.tier, here.tier
            )
        } else if self.namespaces && !here.namespaces {
            "it requires namespaces, which programs cannot have on this machine".to_owned()
        } else {
            return Ok(());
        };
        Err(JudgeError::input(format!(
            "this machine isolates programs less strongly than the part requires: {reason}; play it on another \
             machine (judge doctor says what a machine lacks), or split the run again for such machines: judge split \
             --tier {}",
            here.tier.name()
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_that_confines_less_well_is_refused_with_what_would_change_that() {
        let machine = |tier: &str, namespaces: bool| {
            let text = format!(
                r#"{{"tier":"{tier}","landlock_version":1,"seccomp":true,"ids":null,"namespaces":{namespaces}}}"#
            );
            serde_json::from_str::<Confinement>(&text).expect("plain data")
        };
        let asked = Asked {
            tier: Tier::A,
            namespaces: true,
        };
        for better in ["S", "A"] {
            assert!(asked.admit(&machine(better, true)).is_ok());
        }
        let told = asked
            .admit(&machine("B", true))
            .expect_err("less")
            .to_string();
        assert!(told.contains("judge split --tier B"), "{told}");
        let told = asked
            .admit(&machine("S", false))
            .expect_err("less")
            .to_string();
        assert!(told.contains("it requires namespaces"), "{told}");
    }
}
