//! Parses the output of `squeue`, and interprets the states of tasks. Pure.

/// The output format of `squeue`: a line for each task.
pub(crate) const FORMAT: &str = "%j|%F|%K|%T|%N|%r";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Listed {
    pub(crate) name: String,
    pub(crate) job: u64,
    /// From 1; none for a single line about all tasks that ended before they began.
    pub(crate) task: Option<usize>,
    pub(crate) state: String,
    pub(crate) nodes: String,
    pub(crate) reason: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Waiting,
    /// It plays, or is about to end.
    Running,
    Completed,
    Cancelled,
    Lost,
}

impl Listed {
    pub(crate) fn all(text: &str) -> Vec<Self> {
        text.lines().filter_map(Self::of).collect()
    }

    fn of(line: &str) -> Option<Self> {
        let mut fields = line.splitn(6, '|').map(str::trim);
        Some(Self {
            name: fields.next()?.to_owned(),
            job: fields.next()?.parse().ok()?,
            task: fields.next()?.parse().ok(),
            state: fields.next()?.to_owned(),
            nodes: fields.next()?.to_owned(),
            reason: fields.next()?.to_owned(),
        })
    }

    /// An unknown word means an active task.
    pub(crate) fn phase(&self) -> Phase {
        match self.state.as_str() {
            "PENDING" | "REQUEUED" | "REQUEUE_HOLD" | "REQUEUE_FED" | "SPECIAL_EXIT"
            | "RESV_DEL_HOLD" => Phase::Waiting,
            "COMPLETED" => Phase::Completed,
            "CANCELLED" => Phase::Cancelled,
            "BOOT_FAIL" | "DEADLINE" | "FAILED" | "NODE_FAIL" | "OUT_OF_MEMORY" | "PREEMPTED"
            | "REVOKED" | "TIMEOUT" => Phase::Lost,
            _ => Phase::Running,
        }
    }

    /// It waits for an operator to release it.
    pub(crate) fn was_not_launched(&self) -> bool {
        let held = ["launch failed requeued held", "launch_failed_requeued_held"];
        self.phase() == Phase::Waiting && held.contains(&self.reason.as_str())
    }

    /// Unless waiting alone will resolve that.
    pub(crate) fn obstacle(&self) -> Option<&str> {
        const PASSING: [&str; 9] = [
            "",
            "None",
            "Priority",
            "Resources",
            "BeginTime",
            "Prolog",
            "Cleaning",
            "JobArrayTaskLimit",
            "NodeDown",
        ];
        let waits = self.phase() == Phase::Waiting;
        (waits && !PASSING.contains(&self.reason.as_str())).then_some(self.reason.as_str())
    }

    pub(crate) fn end(&self) -> String {
        let on = match self.nodes.as_str() {
            "" => String::new(),
            nodes => format!(" on {nodes}"),
        };
        let why = match self.reason.as_str() {
            "" | "None" => String::new(),
            reason => format!(", {reason}"),
        };
        format!("{}{on}{why}", self.state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(line: &str) -> Listed {
        Listed::of(line).expect("a task")
    }

    #[test]
    fn task_lines_are_read_and_other_output_ignored() {
        let text = "CLUSTER: test\na|17|3|RUNNING|n2|None\na|17|4|PENDING||ReqNodeNotAvail, UnavailableNodes:n1\na|17|N/A|CANCELLED||Resources\n";
        let all = Listed::all(text);
        assert_eq!(all.len(), 3);
        assert_eq!((all[0].job, all[0].task), (17, Some(3)));
        assert_eq!(all[1].reason, "ReqNodeNotAvail, UnavailableNodes:n1");
        assert_eq!((all[2].job, all[2].task), (17, None));
    }

    #[test]
    fn slurm_states_map_to_fate_of_games() {
        for (state, phase) in [
            ("PENDING", Phase::Waiting),
            ("REQUEUE_HOLD", Phase::Waiting),
            ("RUNNING", Phase::Running),
            ("COMPLETING", Phase::Running),
            ("SOMETHING_NEW", Phase::Running),
            ("COMPLETED", Phase::Completed),
            ("CANCELLED", Phase::Cancelled),
            ("NODE_FAIL", Phase::Lost),
            ("PREEMPTED", Phase::Lost),
            ("TIMEOUT", Phase::Lost),
        ] {
            assert_eq!(
                listed(&format!("a|1|1|{state}||None")).phase(),
                phase,
                "{state}"
            );
        }
    }

    #[test]
    fn only_unresolvable_pending_reason_is_obstacle() {
        assert_eq!(listed("a|1|1|PENDING||Resources").obstacle(), None);
        assert_eq!(listed("a|1|1|RUNNING|n1|JobHeldUser").obstacle(), None);
        let held = listed("a|1|1|PENDING||JobHeldUser");
        assert_eq!(held.obstacle(), Some("JobHeldUser"));
    }

    #[test]
    fn the_end_of_a_task_names_its_node() {
        let end = listed("a|1|1|FAILED|n2|NonZeroExitCode").end();
        assert_eq!(end, "FAILED on n2, NonZeroExitCode");
        assert_eq!(listed("a|1|1|TIMEOUT||None").end(), "TIMEOUT");
    }
}
