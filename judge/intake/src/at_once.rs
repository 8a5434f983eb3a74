//! Work on several submissions at a time.

use rulebook::JudgeError;
use std::sync::Mutex;
use std::thread;

/// Works on all items with at most `threads` threads; results are in the items' order.
pub(crate) fn at_once<T: Send, R: Send>(
    threads: usize,
    items: Vec<T>,
    work: impl Fn(T) -> Result<R, JudgeError> + Sync,
) -> Result<Vec<R>, JudgeError> {
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
    let results: Vec<Result<Vec<(usize, R)>, JudgeError>> = thread::scope(|scope| {
        // If the machine has no thread left, the existing ones do the work.
        let others: Vec<_> = (1..threads)
            .map_while(|_| {
                thread::Builder::new()
                    .spawn_scoped(scope, work_on_some)
                    .ok()
            })
            .collect();
        let own = work_on_some();
        let others = others
            .into_iter()
            .map(|one| one.join().expect("nobody panics"));
        others.chain([own]).collect()
    });
    let results: Vec<Vec<(usize, R)>> = results.into_iter().collect::<Result<_, _>>()?;
    let mut all: Vec<(usize, R)> = results.into_iter().flatten().collect();
    all.sort_by_key(|(index, _)| *index);
    Ok(all.into_iter().map(|(_, result)| result).collect())
}
