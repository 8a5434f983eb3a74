//! Work on several submissions at a time.

use rulebook::Result;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::thread;

/// Works on all items with at most `threads` threads; results are in the items' order.
pub(crate) fn at_once<T: Send, R: Send>(
    threads: usize,
    items: Vec<T>,
    work: impl Fn(T) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let threads = threads.min(items.len());
    let queue = Mutex::new(items.into_iter().enumerate());
    let take = || queue.lock().expect("nobody panics").next();
    let work_on_some = || {
        let mut done = Vec::new();
        while let Some((index, item)) = take() {
            done.push((index, work(item)?));
        }
        Ok(done)
    };
    let results: Result<Vec<Vec<(usize, R)>>> = thread::scope(|scope| {
        let start = |_| thread::Builder::new().spawn_scoped(scope, work_on_some);
        // If the machine has no thread left, the existing ones do the work.
        let others: Vec<_> = (1..threads).map_while(|other| start(other).ok()).collect();
        let own = work_on_some();
        let others = others.into_iter().map(thread::ScopedJoinHandle::join);
        others
            .map(|one| one.expect("nobody panics"))
            .chain([own])
            .collect()
    });
    let all: BTreeMap<usize, R> = results?.into_iter().flatten().collect();
    Ok(all.into_values().collect())
}
