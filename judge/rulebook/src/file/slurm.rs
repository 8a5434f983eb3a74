//! The table `[slurm]`: playing a run on a cluster.

use super::complaint::Wrong;
use super::values::{PartMinutes, UpTo};
use model::competition::SlurmSettings;
use serde::Deserialize;
use toml::Spanned;

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct SlurmTable {
    partition: Option<Spanned<String>>,
    account: Option<Spanned<String>>,
    constraint: Option<Spanned<String>>,
    time: Option<Spanned<String>>,
    part_minutes: Option<PartMinutes>,
    tasks_max: Option<UpTo<100_000>>,
    options: Vec<Spanned<String>>,
}

/// Options that the judge itself passes to `sbatch`. With others it would not find its tasks again.
const OURS: [&str; 12] = [
    "--array",
    "--chdir",
    "--clusters",
    "--cpus-per-task",
    "--job-name",
    "--no-requeue",
    "--ntasks",
    "--open-mode",
    "--output",
    "--parsable",
    "--requeue",
    "--signal",
];

const KEYS: [(&str, &str); 4] = [
    ("--partition", "partition"),
    ("--account", "account"),
    ("--constraint", "constraint"),
    ("--time", "time"),
];

impl SlurmTable {
    pub(super) fn checked(self) -> Result<SlurmSettings, Wrong> {
        let default = SlurmSettings::default();
        let options = self.options.into_iter().map(option);
        Ok(SlurmSettings {
            partition: word("partition", self.partition)?,
            account: word("account", self.account)?,
            constraint: word("constraint", self.constraint)?,
            time: time(self.time)?,
            part_minutes: self.part_minutes.map_or(default.part_minutes, |one| one.0),
            tasks_max: self.tasks_max.map_or(default.tasks_max, |one| one.0),
            options: options.collect::<Result<_, _>>()?,
        })
    }
}

fn word(key: &str, value: Option<Spanned<String>>) -> Result<Option<String>, Wrong> {
    let Some(value) = value else {
        return Ok(None);
    };
    let text = value.get_ref();
    if text.is_empty() || text.chars().any(|c| c.is_whitespace() || c.is_control()) {
        let reason = format!("{key}: must be one word, as Slurm calls it");
        return Err((value.span(), reason));
    }
    Ok(Some(value.into_inner()))
}

/// Returns a time limit in a form that Slurm accepts: minutes, `minutes:seconds`,
/// `hours:minutes:seconds`, or one of these after `days-` (sbatch(1), `--time`).
fn time(value: Option<Spanned<String>>) -> Result<Option<String>, Wrong> {
    let Some(value) = value else {
        return Ok(None);
    };
    let (days, rest) = match value.get_ref().split_once('-') {
        Some((days, rest)) => (days, rest),
        None => ("0", value.get_ref().as_str()),
    };
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let parts: Vec<&str> = rest.split(':').collect();
    if !is_number(days) || parts.len() > 3 || !parts.iter().all(|part| is_number(part)) {
        let reason = "time: must be a time limit as Slurm writes it: \"30\" (minutes), \"1:30:00\" or \"1-12:00:00\"";
        return Err((value.span(), reason.to_owned()));
    }
    Ok(Some(value.into_inner()))
}

fn option(value: Spanned<String>) -> Result<String, Wrong> {
    let text = value.get_ref();
    let name = text.split('=').next().unwrap_or_default();
    let is_long = name.strip_prefix("--").is_some_and(|name| {
        !name.is_empty()
            && name
                .bytes()
                .all(|byte: u8| byte.is_ascii_lowercase() || byte == b'-')
    });
    let wrong = |reason: String| Err((value.span(), format!("options: {text:?}: {reason}")));
    if !is_long || text.chars().any(char::is_control) {
        return wrong(
            "must be a long option of sbatch with its value, for example \"--qos=normal\""
                .to_owned(),
        );
    }
    if let Some((_, key)) = KEYS.iter().find(|(ours, _)| *ours == name) {
        return wrong(format!("use the key {key}"));
    }
    if OURS.contains(&name) {
        return wrong("the judge sets it itself".to_owned());
    }
    Ok(value.into_inner())
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::super::tests::rows;
    use model::competition::SlurmSettings;

    fn slurm(table: &str) -> Result<SlurmSettings, String> {
        let text = format!("game = \"reversi\"\n[slurm]\n{table}\n");
        let read = read("mine.toml", &text);
        read.map(|loaded| loaded.slurm)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn omitted_slurm_keys_are_left_to_cluster() {
        let settings = slurm("").expect("allowed");
        assert_eq!(settings, SlurmSettings::default());
        assert_eq!(settings.tasks_max, 1000);
    }

    #[test]
    fn every_slurm_setting_has_key() {
        let table = "partition = \"cpu\"\naccount = \"ai\"\nconstraint = \"epyc\"\ntime = \"1-12:00:00\"\n\
                     part_minutes = 0.5\ntasks_max = 40\noptions = [\"--qos=low\", \"--nice\"]";
        let expected = SlurmSettings {
            partition: Some("cpu".to_owned()),
            account: Some("ai".to_owned()),
            constraint: Some("epyc".to_owned()),
            time: Some("1-12:00:00".to_owned()),
            part_minutes: 0.5,
            tasks_max: 40,
            options: vec!["--qos=low".to_owned(), "--nice".to_owned()],
        };
        assert_eq!(slurm(table), Ok(expected));
    }

    #[test]
    fn a_wrong_value_is_named_with_its_line() {
        for [line, words] in rows(
            r#"
            partition = "a b"           | partition: must be one word
            account = ""                | account: must be one word
            time = "soon"               | time: must be a time limit as Slurm
            time = "1:2:3:4"            | time: must be a time limit as Slurm
            part_minutes = 0            | part_minutes: 0 minutes: must be 0.01 to 1440
            tasks_max = 0               | tasks_max: 0: must be 1 to 100000
            options = ["-p"]            | options: "-p": must be a long option
            options = ["--time=3"]      | "--time=3": use the key time
            options = ["--array=1-9"]   | "--array=1-9": the judge sets it itself
            nodes = 3                   | unknown key `nodes`
            "#,
        ) {
            let error = slurm(&line).expect_err(&line);
            let place = "mine.toml, line 3: ";
            assert!(
                error.starts_with(place) && error.contains(&words),
                "{error}"
            );
        }
    }
}
