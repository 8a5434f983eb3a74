//! A worker's control groups, made when first needed and reused from game to game. They are removed
//! with the pool.

use super::group::ControlGroup;
use super::run::RunCgroups;
use rulebook::JudgeError;
use std::cell::RefCell;
use std::ops::Deref;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Number of groups that this process has made. Pools share it: a pool that was given up may have
/// left a group whose members do not end.
static MADE: AtomicU32 = AtomicU32::new(0);

/// Hands out empty groups.
#[derive(Clone, Debug)]
pub struct Pool(Rc<Shared>);

#[derive(Debug)]
struct Shared {
    run_cgroups: RunCgroups,
    memory_bytes_max: u64,
    free: RefCell<Vec<ControlGroup>>,
}

/// A group for the lifetime of one program. Dropping it ends all processes left in the group.
#[derive(Debug)]
pub struct Lease {
    /// Present until the lease is dropped.
    group: Option<ControlGroup>,
    pool: Rc<Shared>,
    /// Number of its processes that had died for lack of memory before the lease.
    memory_deaths_before: u64,
}

impl Pool {
    /// Makes an empty pool among the groups of a run; `memory_bytes_max` limits each group.
    pub fn new(run_cgroups: RunCgroups, memory_bytes_max: u64) -> Self {
        Self(Rc::new(Shared {
            run_cgroups,
            memory_bytes_max,
            free: RefCell::default(),
        }))
    }

    /// Returns a group without members.
    ///
    /// # Errors
    /// When a new group is needed and cannot be made.
    pub fn lease(&self) -> Result<Rc<Lease>, JudgeError> {
        let free = self.0.free.borrow_mut().pop();
        let group = match free {
            Some(group) => group,
            None => self.0.make()?,
        };
        Ok(Rc::new(Lease {
            memory_deaths_before: group.memory_deaths().unwrap_or(0),
            group: Some(group),
            pool: Rc::clone(&self.0),
        }))
    }
}

impl Shared {
    fn make(&self) -> Result<ControlGroup, JudgeError> {
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let name: PathBuf = self.run_cgroups.slot(std::process::id(), number);
        ControlGroup::make(self.run_cgroups.groups(), &name, self.memory_bytes_max)
    }
}

impl Lease {
    /// Returns whether a process has died for lack of memory since the group was leased.
    pub(crate) fn ran_out_of_memory(&self) -> bool {
        self.memory_deaths().unwrap_or(0) > self.memory_deaths_before
    }
}

impl Deref for Lease {
    type Target = ControlGroup;

    fn deref(&self) -> &ControlGroup {
        self.group.as_ref().expect("there until it is dropped")
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let Some(group) = self.group.take() else {
            return;
        };
        // The coordinator's sweep deals with a group whose members do not end.
        if group.end().is_ok() {
            group.resume();
            self.pool.free.borrow_mut().push(group);
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        for group in self.free.get_mut().drain(..) {
            group.remove();
        }
    }
}
