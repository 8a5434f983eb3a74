//! What a watch says: a line for each thing that happens, with its time, and each once.

use crate::cli::display::shown;
use crate::cli::out;
use jiff::Timestamp;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use words::entrant::{Entrant, Readiness};
use words::numbers::counted;

/// What has been said.
#[derive(Default)]
pub(super) struct Diary {
    now: Timestamp,
    /// By whom or what: the last thing that was said of it.
    said: BTreeMap<String, String>,
}

impl Diary {
    pub(super) const fn at(&mut self, now: Timestamp) {
        self.now = now;
    }

    /// Says something.
    pub(super) fn say(&self, what: &str) {
        let time = self.now.round(jiff::Unit::Second).unwrap_or(self.now);
        out::line(format_args!("{time} {what}"));
    }

    /// Says something about a subject, unless that was the last thing said of it.
    pub(super) fn say_of(&mut self, subject: &str, what: &str) {
        let before = self.said.insert(subject.to_owned(), what.to_owned());
        if before.as_deref() != Some(what) {
            self.say(what);
        }
    }

    /// Says that what was said about a subject is over, if something was.
    pub(super) fn say_over(&mut self, subject: &str, what: &str) {
        if self.said.remove(subject).is_some() {
            self.say(what);
        }
    }

    /// Says what became of everybody: at first how many there are and who does not play, then
    /// what is new.
    pub(super) fn entrants(&mut self, entrants: &[Entrant], run: &Path) {
        let is_first = !self.said.keys().any(|subject| subject.starts_with(ENTRANT));
        if is_first {
            let plays = entrants.iter().filter(|one| one.artifact().is_some());
            let entered = counted(entrants.len() as u64, "entrant");
            self.say(&format!("{entered}, {} of them can play", plays.count()));
        }
        for entrant in entrants {
            let subject = format!("{ENTRANT}{}", entrant.name);
            let told = told(entrant, run);
            let is_quiet = is_first && entrant.artifact().is_some() && !is_replaced(entrant);
            if is_quiet {
                self.said.insert(subject, told);
            } else {
                self.say_of(&subject, &told);
            }
        }
        let there: BTreeSet<String> = entrants
            .iter()
            .map(|one| format!("{ENTRANT}{}", one.name))
            .collect();
        self.said
            .retain(|subject, _| !subject.starts_with(ENTRANT) || there.contains(subject));
    }
}

/// What subjects begin with that are entrants.
const ENTRANT: &str = "entrant ";

fn is_replaced(entrant: &Entrant) -> bool {
    entrant.receipt.replaced.is_some()
}

/// Says what became of an entrant's newest version.
fn told(entrant: &Entrant, run: &Path) -> String {
    let name = &entrant.name;
    let receipt = &entrant.receipt;
    if let Some(replaced) = &receipt.replaced {
        return format!("{name}: {}", replaced.words(&shown(run)));
    }
    let version = receipt.version.as_ref();
    match &entrant.readiness {
        Readiness::Broken(broken) => {
            let log = broken.log.as_deref().map(Path::new);
            let see = log.map(|log| format!(" (see {})", shown(log)));
            let version = version.map(|version| format!("{version} "));
            format!(
                "{name}: {}{}: {broken}{}",
                version.unwrap_or_default(),
                broken.what(),
                see.unwrap_or_default()
            )
        }
        Readiness::Ready(_) => version.map_or_else(
            || format!("{name}: plays"),
            |version| format!("{name}: plays {version}"),
        ),
    }
}
