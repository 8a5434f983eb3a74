//! The machine, which tests share. Tests that take all threads of a user run alone.
//!
//! Under plain `cargo test` this is a lock within the process. Under `cargo nextest` each test has
//! a process, and `.config/nextest.toml` runs nothing beside the tests of the module `alone`.

use std::cell::Cell;
use std::marker::PhantomData;
use std::panic::Location;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The current shares.
struct State {
    beside_others: usize,
    alone: bool,
    waiting_to_be_alone: usize,
}

static STATE: Mutex<State> = Mutex::new(State {
    beside_others: 0,
    alone: false,
    waiting_to_be_alone: 0,
});
static CHANGED: Condvar = Condvar::new();

thread_local! {
    /// Number of shares of this thread; only the first one counts in [`STATE`].
    static SHARES: Cell<usize> = const { Cell::new(0) };
}

/// A share in the machine, or all of it. It lasts until it is dropped, and stays in its thread.
pub(crate) struct Share(PhantomData<MutexGuard<'static, ()>>);

impl Share {
    /// Takes a share beside other tests, once no test is alone or waits to be.
    pub(crate) fn beside_others() -> Self {
        if SHARES.get() == 0 {
            let taken = |state: &mut State| state.alone || state.waiting_to_be_alone > 0;
            wait_while(state(), taken).beside_others += 1;
        }
        Self::count()
    }

    /// Takes the whole machine, once all others are done. Call it before anything else.
    #[track_caller]
    pub(crate) fn alone() -> Self {
        let caller = Location::caller().file();
        assert!(
            caller.ends_with("/alone.rs"),
            "{caller} is in no module alone"
        );
        assert_eq!(SHARES.get(), 0, "whoever has a share waits for itself");
        let mut state = state();
        state.waiting_to_be_alone += 1;
        let mut state = wait_while(state, |state| state.alone || state.beside_others > 0);
        state.waiting_to_be_alone -= 1;
        state.alone = true;
        Self::count()
    }

    fn count() -> Self {
        SHARES.set(SHARES.get() + 1);
        Self(PhantomData)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        SHARES.set(SHARES.get() - 1);
        if SHARES.get() == 0 {
            let mut state = state();
            if state.alone {
                state.alone = false;
            } else {
                state.beside_others -= 1;
            }
            drop(state);
            CHANGED.notify_all();
        }
    }
}

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn wait_while(
    state: MutexGuard<'static, State>,
    taken: impl FnMut(&mut State) -> bool,
) -> MutexGuard<'static, State> {
    CHANGED
        .wait_while(state, taken)
        .unwrap_or_else(PoisonError::into_inner)
}
