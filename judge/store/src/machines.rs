//! The machines that games were played on, each described in a line of the journal:
//!
//! `{"v":5,"machine":"DIGEST","about":{"host":…,"machine":{…},"load":…,"calibration_us":…,"judge":…}}`
//!
//! A run or part that begins to play adds such a line. Each game names the digest of its machine,
//! so the machine is known even if other lines are lost.

use model::FORMAT;
use model::artifact::Confinement;
use model::draw::hash;
use model::fault::quote;
use model::fixture::Conditions;
use serde::de::Error as _;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;

/// The machine that games were played on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// The kernel's release.
    pub kernel: String,
    /// The processor's name.
    pub processor: String,
    /// Number of usable CPUs.
    pub cpus: usize,
    /// Whether workers were bound to CPUs.
    pub pinned: bool,
    /// The confinement of programs.
    pub isolation: Confinement,
}

impl Machine {
    /// Describes this machine.
    pub fn detect(pinned: bool, isolation: Confinement) -> Self {
        let read = |path| fs::read_to_string(path).unwrap_or_default();
        let cpuinfo = read("/proc/cpuinfo");
        let processor = cpuinfo
            .lines()
            .find(|line| line.starts_with("model name"))
            .and_then(|line| line.split_once(": "))
            .map_or("unknown", |(_, name)| name);
        Self {
            kernel: read("/proc/sys/kernel/osrelease").trim().to_owned(),
            processor: processor.to_owned(),
            cpus: std::thread::available_parallelism().map_or(1, usize::from),
            pinned,
            isolation,
        }
    }
}

/// The state of a machine when a run or part begins to play on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MachineLine {
    /// Its host name; a number in published files.
    pub host: String,
    /// A hash that identifies this boot of its kernel, because containers share and change names. None
    /// without a boot id, and in published files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub boot: Option<String>,
    /// The machine.
    pub machine: Machine,
    /// Number of tasks that ran or were ready to run in the last minute, from `/proc/loadavg`.
    pub load: String,
    /// CPU time of the judge's own fixed workload, in microseconds.
    pub calibration_us: u64,
    /// The version and build of the program.
    pub judge: String,
    /// The part that was played; none if `judge run` played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// The version of a game of one's own that refereed the games. None for built-in games.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rules_program: Option<String>,
}

/// A machine with the number of its games, for published files: an order of games reveals names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MachineGames {
    /// The machine.
    pub line: MachineLine,
    /// Number of games.
    pub games: u64,
}

/// The machine lines of a journal, by their digests.
pub type MachineLines = BTreeMap<String, MachineLine>;

const DIGEST_DIGITS: usize = 16;

/// Maximum difference between the calibrations of two machines, in percent of the smaller one.
/// Programs on two threads of one core slow each other down by a third or a little more, so a lower
/// limit would refuse equal machines. A slower machine decides games by the clock.
pub const CALIBRATION_PERCENT_MAX: u64 = 50;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content<L> {
    v: u32,
    machine: String,
    about: L,
}

impl MachineLine {
    /// Describes this machine. `judge` is the build that plays, and `conditions` those of the games.
    pub fn detect(
        judge: &str,
        machine: Machine,
        calibration_us: u64,
        conditions: &Conditions,
        part: Option<String>,
    ) -> Self {
        let read = |path| fs::read_to_string(path).unwrap_or_default();
        let load = read("/proc/loadavg");
        let boot = read("/proc/sys/kernel/random/boot_id").trim().to_owned();
        Self {
            host: read("/proc/sys/kernel/hostname").trim().to_owned(),
            boot: (!boot.is_empty()).then(|| hash(&[b"boot", boot.as_bytes()])),
            machine,
            load: load.split(' ').next().unwrap_or_default().to_owned(),
            calibration_us,
            judge: judge.to_owned(),
            part,
            rules_program: conditions.rules_program().map(str::to_owned),
        }
    }

    /// Returns whether another version of the game than that of the conditions has refereed the games.
    pub fn is_of_another_game(&self, conditions: &Conditions) -> bool {
        let own = self.rules_program.as_deref();
        own.is_some_and(|own| Some(own) != conditions.rules_program())
    }

    /// Returns the program's version without its commit. Builds of one version calibrate alike.
    fn version(&self) -> &str {
        self.judge.split(' ').next().unwrap_or_default()
    }

    /// Returns the text that identifies this machine.
    pub fn identity(&self) -> &str {
        self.boot.as_deref().unwrap_or(&self.host)
    }

    /// Returns the name of the machine in game lines: 16 hexadecimal digits.
    pub fn digest(&self) -> String {
        let mut digest = hash(&[b"machine", &serde_json::to_vec(self).expect("plain data")]);
        digest.truncate(DIGEST_DIGITS);
        digest
    }

    pub(super) fn content(&self) -> Vec<u8> {
        let content = Content {
            v: FORMAT,
            machine: self.digest(),
            about: self,
        };
        serde_json::to_vec(&content).expect("plain data")
    }

    pub(super) fn read(content: &[u8]) -> Result<Self, serde_json::Error> {
        let line = serde_json::from_slice::<Content<Self>>(content)?.about;
        let has_control = |text: &String| text.contains(char::is_control);
        let Machine {
            kernel, processor, ..
        } = &line.machine;
        let words = [&line.host, &line.load, &line.judge, kernel, processor];
        let others = [&line.boot, &line.part].into_iter().flatten();
        let is_forged = words.into_iter().chain(others).any(has_control);
        if is_forged {
            return Err(serde_json::Error::custom("a control character"));
        }
        Ok(line)
    }
}

/// Two machines that differ too much for their games to be comparable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnequalMachines {
    /// The host of the fastest one, and its calibration in microseconds.
    pub fastest: (String, u64),
    /// The host of the slowest one, and its calibration in microseconds.
    pub slowest: (String, u64),
}

impl UnequalMachines {
    /// Finds the fastest and the slowest machine, if they differ by more than
    /// [`CALIBRATION_PERCENT_MAX`]. Only workloads of one version of the judge are compared, and the
    /// least calibration of each machine: other load makes it longer.
    pub fn among<'a>(lines: impl Iterator<Item = &'a MachineLine>) -> Option<Self> {
        let mut versions: BTreeMap<&str, BTreeMap<(&str, &str), &MachineLine>> = BTreeMap::new();
        for line in lines {
            let machine = (line.identity(), line.machine.processor.as_str());
            let machines = versions.entry(line.version()).or_default();
            let least = machines.entry(machine).or_insert(line);
            if line.calibration_us < least.calibration_us {
                *least = line;
            }
        }
        versions.into_values().find_map(|machines| {
            let host_and_us = |line: &&MachineLine| (line.host.clone(), line.calibration_us);
            let fastest = machines.values().min_by_key(|line| line.calibration_us);
            let slowest = machines.values().max_by_key(|line| line.calibration_us);
            let (fastest, slowest) = (fastest.map(host_and_us)?, slowest.map(host_and_us)?);
            let bound = fastest.1.saturating_mul(100 + CALIBRATION_PERCENT_MAX);
            (slowest.1.saturating_mul(100) > bound).then_some(Self { fastest, slowest })
        })
    }

    /// Describes the difference.
    pub fn words(&self) -> String {
        let ((fast, fast_us), (slow, slow_us)) = (&self.fastest, &self.slowest);
        let [fast, slow] = [fast, slow].map(quote);
        let percent = (slow_us - fast_us).saturating_mul(100) / (*fast_us).max(1);
        format!("what takes {fast_us} µs on {fast} takes {slow_us} µs on {slow}, {percent} % more")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(host: &str, calibration_us: u64) -> MachineLine {
        let machine = r#"{"kernel":"6.1","processor":"x","cpus":2,"pinned":true,"isolation":
            {"level":"weak","landlock_version":1,"seccomp":true,"ids":null,"counter":null}}"#;
        MachineLine {
            host: host.to_owned(),
            boot: None,
            machine: serde_json::from_str(machine).expect("plain data"),
            load: "0.10".to_owned(),
            calibration_us,
            judge: "1".to_owned(),
            part: None,
            rules_program: None,
        }
    }

    fn unequal(lines: &[(&str, u64)]) -> Option<String> {
        let lines: Vec<MachineLine> = lines.iter().map(|(host, us)| line(host, *us)).collect();
        UnequalMachines::among(lines.iter()).map(|unequal| unequal.words())
    }

    #[test]
    fn best_calibrations_may_differ_by_half() {
        assert_eq!(unequal(&[]), None);
        assert_eq!(unequal(&[("a", 1000), ("b", 1500)]), None);
        let words = unequal(&[("a", 1000), ("c", 1100), ("b", 1510)]);
        let expected = "what takes 1000 µs on a takes 1510 µs on b, 51 % more";
        assert_eq!(words.as_deref(), Some(expected));
        assert_eq!(unequal(&[("a", 1000), ("b", 9000), ("b", 1100)]), None);
        assert_eq!(unequal(&[("a", 1000), ("a", 9000)]), None);
    }

    #[test]
    fn machine_identity_is_boot_not_name_or_version() {
        let of = |host: &str, us: u64, boot: &str| MachineLine {
            boot: Some(boot.to_owned()),
            ..line(host, us)
        };
        let among = |lines: &[MachineLine]| UnequalMachines::among(lines.iter()).is_some();
        let containers = [of("1f", 9000, "x"), of("2e", 1000, "x")];
        assert!(!among(&containers), "two containers of one machine");
        let nodes = [of("localhost", 9000, "x"), of("localhost", 1000, "y")];
        assert!(among(&nodes), "two machines of one name");
        let mut versions = nodes;
        versions[0].judge = "1 (1a2b)".to_owned();
        assert!(among(&versions), "two builds of one version");
        versions[0].judge = "2".to_owned();
        assert!(!among(&versions));
    }

    #[test]
    fn machine_line_roundtrips_and_foreign_one_is_harmless() {
        let good = line("host", 1000);
        assert_eq!(MachineLine::read(&good.content()).expect("readable"), good);
        assert_eq!(good.digest().len(), DIGEST_DIGITS);
        let mut other = good.clone();
        other.part = Some("p".to_owned());
        assert_ne!(other.digest(), good.digest());
        let mut forged = [good.clone(), good.clone()];
        "\u{1b}]0;x\u{7}".clone_into(&mut forged[0].host);
        "a\nb".clone_into(&mut forged[1].machine.processor);
        for forged in &forged {
            assert!(MachineLine::read(&forged.content()).is_err(), "{forged:?}");
        }
        let slow = line("\u{202e}slow", 9000);
        let words = UnequalMachines::among([&good, &slow].into_iter()).map(|two| two.words());
        assert!(!words.expect("unequal").contains('\u{202e}'));
    }
}
