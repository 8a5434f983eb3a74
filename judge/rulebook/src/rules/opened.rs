//! The games that this process has opened besides the built-in ones.

use crate::rules::contract::Rules;
use std::sync::{Arc, PoisonError, RwLock};

/// An opened game, and the name that people gave for it: a path, or its slug.
struct Opened {
    name: String,
    rules: Arc<dyn Rules>,
}

static OPENED: RwLock<Vec<Opened>> = RwLock::new(Vec::new());

/// Makes an opened game known by a name, and by its slug. The last one of a name counts.
pub fn add(name: &str, rules: &Arc<dyn Rules>) {
    let mut opened = OPENED.write().unwrap_or_else(PoisonError::into_inner);
    opened.retain(|one| one.name != name);
    let rules = Arc::clone(rules);
    opened.insert(
        0,
        Opened {
            name: name.to_owned(),
            rules,
        },
    );
}

/// Forgets all opened games. The last owner of the rules removes their files.
pub fn forget_opened() {
    let mut opened = OPENED.write().unwrap_or_else(PoisonError::into_inner);
    opened.clear();
}

/// Finds an opened game by one of its names.
pub(crate) fn by_name(name: &str) -> Option<Arc<dyn Rules>> {
    find(|one| one.name == name || one.rules.info().slug == name)
}

/// Finds an opened game by its slug and the hash of its program.
pub(crate) fn by_program(slug: &str, hash: &str) -> Option<Arc<dyn Rules>> {
    let is_it = |rules: &dyn Rules| rules.program().is_some_and(|own| own.hash == hash);
    find(|one| one.rules.info().slug == slug && is_it(&*one.rules))
}

fn find(is_it: impl Fn(&Opened) -> bool) -> Option<Arc<dyn Rules>> {
    let opened = OPENED.read().unwrap_or_else(PoisonError::into_inner);
    opened
        .iter()
        .find(|one| is_it(one))
        .map(|one| Arc::clone(&one.rules))
}
