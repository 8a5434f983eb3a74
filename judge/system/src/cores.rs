//! Distributes work, whose order does not matter, over the cores; results come in the items' order.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::{io, thread};

/// Maximum number of items, and of results, that wait for each core.
const AHEAD: usize = 2;

enum Given<T, R> {
    Item(T),
    /// Dropped on the thread that made it: memory that another thread frees costs both time.
    Taken(R),
}

type Lane<T, R, E> = (SyncSender<Given<T, R>>, Receiver<Result<R, E>>);

/// Runs `work` on all cores, and passes the results to `take` in the items' order, on this thread. Only
/// a few items are in progress at a time.
///
/// # Panics
/// When `work` does.
pub fn in_order<T: Send, R: Send, E: Send>(
    items: impl Iterator<Item = T>,
    work: impl Fn(T) -> Result<R, E> + Sync,
    mut take: impl FnMut(&mut R) -> Result<(), E>,
) -> Result<(), E> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let lane = |_| -> io::Result<Lane<T, R, E>> {
            let (give, given) = sync_channel(2 * AHEAD);
            let (hand, handed) = sync_channel(AHEAD);
            let work = &work;
            let run = move || {
                // The loop ends when no sender or no receiver is left.
                for one in given {
                    if let Given::Item(item) = one
                        && hand.send(work(item)).is_err()
                    {
                        break;
                    }
                }
            };
            thread::Builder::new().spawn_scoped(scope, run)?;
            Ok((give, handed))
        };
        // Items go to the cores in turn. If the machine cannot start all threads, it uses fewer.
        let lanes: Vec<_> = (0..cores).map_while(|core| lane(core).ok()).collect();
        let cores = lanes.len();
        if cores == 0 {
            for item in items {
                take(&mut work(item)?)?;
            }
            return Ok(());
        }
        let (mut items, mut given, mut taken) = (items.fuse(), 0, 0);
        loop {
            while given < taken + cores * AHEAD
                && let Some(item) = items.next()
            {
                // If this fails, the core has panicked, and no result comes.
                let _ = lanes[given % cores].0.send(Given::Item(item));
                given += 1;
            }
            if taken == given {
                return Ok(());
            }
            let lane = &lanes[taken % cores];
            let Ok(result) = lane.1.recv() else {
                // The scope passes the panic on.
                return Ok(());
            };
            let mut result = result?;
            take(&mut result)?;
            let _ = lane.0.send(Given::Taken(result));
            taken += 1;
        }
    })
}

#[cfg(test)]
mod tests {
    use super::in_order;

    #[test]
    fn results_are_taken_in_item_order() {
        let mut taken = Vec::new();
        let work = |n: u64| Ok((0..n % 7 * 1000).fold(n, |sum, _| sum.rotate_left(64)));
        let all = in_order(0..1000, work, |n| {
            taken.push(*n);
            Ok::<(), u64>(())
        });
        assert_eq!(all, Ok(()));
        assert_eq!(taken, (0..1000).collect::<Vec<u64>>());
    }

    #[test]
    fn the_first_error_ends_it() {
        let mut count = 0;
        let refused = in_order(0.., Ok, |n: &mut u64| {
            count += 1;
            if *n < 100 { Ok(()) } else { Err(*n) }
        });
        assert_eq!((refused, count), (Err(100), 101));
        let failed = in_order(
            0..,
            |n: u64| if n < 100 { Ok(n) } else { Err(n) },
            |_| Ok(()),
        );
        assert_eq!(failed, Err(100));
    }

    #[test]
    #[should_panic(expected = "scoped thread panicked")]
    fn a_panic_is_passed_on() {
        let work = |n: u64| {
            assert!(n < 50, "too many");
            Ok::<u64, ()>(n)
        };
        let _ = in_order(0..1000, work, |_| Ok(()));
    }
}
