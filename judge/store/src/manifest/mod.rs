//! `run.json`: everything about a run except its games.

mod entrant_line;

pub use self::entrant_line::{EntrantLine, NewestLine};
use crate::keys::{Keys, read_kept};
pub use crate::machines::Machine;
use crate::machines::MachineGames;
use jiff::Timestamp;
use model::FORMAT;
use model::competition::Competition;
use model::draw::Secret;
use model::entrant::Entrant;
use model::fixture::Participant;
use model::points::Points;
use rulebook::{JudgeError, Result, refuse};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use system::files::write_whole;
use system::run_folder::{self, STAFF};

/// The manifest of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// [`FORMAT`].
    pub v: u32,
    /// The version and build of the program that wrote it last.
    pub judge: String,
    /// The version of the game's rules, see `GameInfo::rules_version`.
    pub rules: u32,
    /// The competition.
    pub competition: Competition,
    /// The known facts about the draw.
    pub draw: DrawLine,
    /// The fingerprint of the keys that sign the journal, see [`Keys::fingerprint`].
    pub keys: String,
    /// [`Keys::mac`] of all other fields; empty in published files.
    pub mac: String,
    /// The known versions of the compilers and interpreters of the entrants' programs.
    pub toolchains: BTreeSet<String>,
    /// The folders that the competition file named, by programs' names; empty in published files.
    pub toolchain_folders: BTreeMap<String, String>,
    /// All entrants who submitted something.
    pub entrants: Vec<EntrantLine>,
    /// The folder of the submissions, as the user named it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub submissions: Option<String>,
    /// When the last person may submit for the last time: the deadline, or the latest extension.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closes: Option<Timestamp>,
    /// The participant that fills empty seats and is not ranked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filler: Option<Participant>,
    /// The correction, if `judge regrade` made this run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regrade: Option<Regrade>,
    /// The machine; none if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machine: Option<Machine>,
    /// The machines that its games were played on, in published files only.
    pub machines: Vec<MachineGames>,
}

#[derive(Deserialize)]
struct Versioned {
    v: u32,
    judge: String,
}

/// The known facts about the draw of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DrawLine {
    /// The source of the draw.
    pub source: DrawSource,
    /// The seed of the resamples for confidence intervals.
    pub resamples: u64,
    /// A meaningless name for the draw of each initial state, in published files.
    pub states: Vec<String>,
}

/// The source of a draw.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DrawSource {
    /// A public seed.
    Seed(u64),
    /// A secret.
    Secret {
        /// The SHA-256 of the secret.
        commitment: String,
        /// Whether `judge commit` made it, before the run began.
        before: bool,
        /// The secret itself, once published.
        #[serde(skip_serializing_if = "Option::is_none")]
        revealed: Option<Secret>,
    },
}

impl DrawLine {
    /// Collects the facts about a competition's draw that these keys reveal.
    pub fn new(competition: &Competition, keys: &Keys) -> Self {
        let secret = || DrawSource::Secret {
            commitment: keys.draw.commitment(),
            before: keys.committed,
            revealed: keys.revealed.then(|| keys.draw.clone()),
        };
        Self {
            source: competition.seed.map_or_else(secret, DrawSource::Seed),
            resamples: keys.draw(competition).resample_seed(),
            states: Vec::new(),
        }
    }

    /// Describes in one line the source of the draw and who could know it.
    pub fn words(&self) -> String {
        match &self.source {
            DrawSource::Seed(seed) => format!(
                "everything random is drawn from the seed {seed}, which is public: anybody can draw the same"
            ),
            DrawSource::Secret {
                commitment,
                before,
                revealed,
            } => {
                let made = if *before {
                    "made before the run began"
                } else {
                    "made by the run itself, so staff could have chosen it (judge commit makes one before submissions open)"
                };
                let published = revealed
                    .as_ref()
                    .map(|secret| format!("; the secret is {}", secret.text()))
                    .unwrap_or_default();
                format!(
                    "everything random is drawn from a secret with the SHA-256 {commitment}, {made}{published}"
                )
            }
        }
    }
}

/// The correction of another run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Regrade {
    /// The folder of the corrected run, as the user named it.
    pub run: String,
    /// The entrant whose games are played again.
    pub entrant: String,
    /// The results of all entrants in that run.
    pub before: Vec<ResultLine>,
}

/// The result of an entrant; empty if it is not ranked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResultLine {
    /// The entrant's name.
    pub entrant: String,
    /// The rank.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<usize>,
    /// The sum of the points of all games.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<Points>,
    /// The prize for the rank.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prize: Option<u32>,
    /// The grade.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grade: Option<String>,
}

fn damaged(path: &Path, reason: &dyn std::fmt::Display) -> JudgeError {
    JudgeError::input(format!(
        "{} is damaged ({reason}); restore it from a backup, or move it away and rerun the same judge run command, \
         which writes it again and keeps the games",
        path.display()
    ))
}

impl Manifest {
    /// Lists the entrants that play.
    pub fn playing(&self) -> Vec<Participant> {
        self.entrants
            .iter()
            .filter_map(|line| {
                Some(Participant {
                    entrant: line.name.as_str().into(),
                    artifact: line.artifact.as_deref()?.into(),
                })
            })
            .collect()
    }

    /// Makes the manifest of a run; `judge` is the build that plays it.
    pub fn new(
        judge: &str,
        competition: Competition,
        keys: &Keys,
        entrants: &[Entrant],
        machine: Machine,
    ) -> Self {
        let artifacts = entrants.iter().filter_map(Entrant::artifact);
        Self {
            v: FORMAT,
            judge: judge.to_owned(),
            draw: DrawLine::new(&competition, keys),
            keys: keys.fingerprint(),
            mac: String::new(),
            rules: rules_version(&competition),
            competition,
            toolchains: artifacts.flat_map(|one| one.versions.clone()).collect(),
            toolchain_folders: BTreeMap::new(),
            entrants: entrants.iter().map(EntrantLine::of).collect(),
            submissions: None,
            closes: None,
            filler: None,
            regrade: None,
            machine: Some(machine),
            machines: Vec::new(),
        }
    }

    /// Reads the manifest of a run's folder; none if there is no run.
    pub fn read(folder: &Path) -> Result<Option<Self>> {
        let path = folder.join(run_folder::MANIFEST);
        let text = read_kept(&path, |reason| damaged(&path, reason))?;
        text.map(|text| Self::of_text(&text, &path)).transpose()
    }

    /// Parses a manifest; `path` is its file, for messages.
    pub fn of_text(text: &[u8], path: &Path) -> Result<Self> {
        if let Ok(Versioned { v, judge }) = serde_json::from_slice(text)
            && v != FORMAT
        {
            return refuse(format!(
                "{} was written by judge {judge} in format {v}, and this judge has format {FORMAT}; continue with that \
                 version, or choose another folder (with judge run: --out)",
                path.display()
            ));
        }
        serde_json::from_slice(text).map_err(|error| damaged(path, &error))
    }

    /// Keeps what a run that began as `begun` knows about entrants' names. Authors' wishes last until
    /// they hand in something without them. `by_staff` says that nothing new is the authors' own.
    pub fn keep_names(begun: Option<&Self>, entrants: &mut [Entrant], by_staff: bool) {
        let lines: BTreeMap<&str, &EntrantLine> = (begun.iter())
            .flat_map(|begun| &begun.entrants)
            .map(|line| (line.name.as_str(), line))
            .collect();
        for entrant in entrants {
            let Some(line) = lines.get(entrant.name.as_str()) else {
                continue;
            };
            entrant.platform_named |= line.platform_named;
            let newest = entrant.newest().map(|newest| newest.number);
            let before = match &line.newest {
                Some(newest) => newest.version,
                None => line.version,
            };
            if by_staff || newest <= before {
                entrant.anonymous |= line.anonymous;
                let own = &mut entrant.about.nickname;
                *own = line.nickname.clone().or(own.take());
            }
        }
    }

    /// Writes the manifest into a run's folder.
    pub fn write(&self, folder: &Path) -> Result {
        write_whole(&folder.join(run_folder::MANIFEST), &self.text())
    }

    /// Signs the manifest with the keys of the run.
    pub fn sign(&mut self, keys: &Keys) {
        self.mac = self.expected_mac(keys);
    }

    /// Returns the MAC that the manifest must have.
    pub fn expected_mac(&self, keys: &Keys) -> String {
        let bare = Self {
            mac: String::new(),
            ..self.clone()
        };
        keys.mac(run_folder::MANIFEST, &bare.text())
    }

    /// Returns the text of the file.
    pub fn text(&self) -> Vec<u8> {
        let mut text = serde_json::to_vec_pretty(self).expect("plain data");
        text.push(b'\n');
        text
    }

    /// Checks that these are the keys of this run.
    pub fn check_keys(&self, keys: &Keys, folder: &Path) -> Result {
        let fits = match &self.draw.source {
            DrawSource::Seed(_) => true,
            DrawSource::Secret {
                commitment,
                revealed,
                ..
            } => {
                if revealed.is_some() && !keys.revealed {
                    return refuse(format!(
                        "the secret of {} has been revealed, but {} does not say so, because it is an older copy; \
                         restore the copy made after judge reveal, or run judge reveal again",
                        folder.display(),
                        folder.join(STAFF).display()
                    ));
                }
                *commitment == keys.draw.commitment()
            }
        };
        if fits && self.keys == keys.fingerprint() {
            return Ok(());
        }
        refuse(format!(
            "the keys in {} are not the keys that {} began with; restore the folder {STAFF} of this run from a backup",
            folder.join(STAFF).display(),
            run_folder::MANIFEST
        ))
    }

    /// Returns why a run is refused: its manifest was changed after it was signed, or else `reason`.
    pub fn damaged_or(&self, reason: JudgeError, folder: &Path) -> JudgeError {
        match Keys::find(folder) {
            Ok(Some(keys))
                if self.keys == keys.fingerprint() && self.mac != self.expected_mac(&keys) =>
            {
                let changed = "it was changed after the judge wrote it";
                damaged(&folder.join(run_folder::MANIFEST), &changed)
            }
            _ => reason,
        }
    }
}

fn rules_version(competition: &Competition) -> u32 {
    let rules = rulebook::rules::of(&competition.conditions);
    rules.map_or(0, |rules| rules.info().rules_version)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::entrant::{Blame, Broken, VersionName};

    #[test]
    fn platform_given_name_persists_after_withdrawal() {
        let gone = |name: &str| {
            let broken = Broken {
                blame: Blame::Withdrawn,
                reason: String::new(),
                log: None,
            };
            Entrant::new(name.to_owned(), "", Err(broken))
        };
        let rules = rulebook::rules::find("reversi").expect("registered");
        let line = |name: &str| EntrantLine {
            name: name.to_owned(),
            ..EntrantLine::default()
        };
        let [mut ann, mut bob] = ["Ann Lee_17", "bob"].map(line);
        ann.platform_named = true;
        (bob.version, bob.anonymous) = (Some(2), true);
        bob.nickname = Some("thunder".to_owned());
        let begun = serde_json::json!({
            "v": FORMAT, "judge": "", "rules": 1, "competition": rulebook::standard(&*rules),
            "draw": {"source": {"seed": 1}, "resamples": 1, "states": []}, "keys": "", "mac": "", "toolchains": [],
            "toolchain_folders": {}, "entrants": [ann, bob], "machines": [],
        });
        let begun: Manifest = serde_json::from_value(begun).expect("well-formed");
        let mut entrants = ["Ann Lee_17", "bob", "eve"].map(gone);
        let named = |entrants: &[Entrant]| {
            let all = entrants.iter();
            all.map(|one| one.platform_named).collect::<Vec<_>>()
        };
        Manifest::keep_names(None, &mut entrants, false);
        assert_eq!(named(&entrants), [false, false, false]);
        Manifest::keep_names(Some(&begun), &mut entrants, false);
        assert_eq!(named(&entrants), [true, false, false]);
        for (version, by_staff, is_kept) in [
            (None, false, true),
            (Some(2), false, true),
            (Some(3), false, false),
            (Some(3), true, true),
        ] {
            let mut bob = [gone("bob")];
            let received = String::new();
            bob[0].version = version.map(|number| VersionName { number, received });
            Manifest::keep_names(Some(&begun), &mut bob, by_staff);
            let Entrant {
                anonymous, about, ..
            } = &bob[0];
            assert_eq!(*anonymous, is_kept, "{version:?}");
            assert_eq!(about.nickname.is_some(), is_kept, "{version:?}");
        }
    }
}
