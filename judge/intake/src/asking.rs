//! One question to a repository: its commits, and its content unless they are the same.

use super::git;
use super::received::{Absent, ReceivedFiles};
use super::repositories::{ON_THIS_MACHINE, Repository};
use jiff::Timestamp;
use rulebook::JudgeError;
use std::sync::atomic::AtomicBool;

/// Why a repository's content is absent, also in words.
pub(super) type Failure = (Absent, String);

/// The result of a question.
pub(super) enum Answer {
    /// It has the same commits.
    Same,
    /// It has other content.
    Holds {
        /// Its commits, by its own answer.
        heads: String,
        held: Box<ReceivedFiles>,
        /// When it had shown this content.
        shown: Timestamp,
    },
    Fails(Failure),
}

/// Asks a repository for its commits, and fetches its content unless they are the same.
pub(super) fn ask(
    repository: &Repository,
    before: Option<&str>,
    now: &dyn Fn() -> Timestamp,
    stop: &AtomicBool,
) -> Result<Answer, JudgeError> {
    let heads = match git::heads(repository, stop)? {
        Ok(heads) => heads,
        Err(reason) => return Ok(Answer::Fails((Absent::Unreachable, reason))),
    };
    if before == Some(heads.as_str()) {
        return Ok(Answer::Same);
    }
    let named = now();
    let fetched = git::fetch_all(&[repository], stop)?;
    let held = fetched.into_iter().next().expect("one for each repository");
    if let (Some(absent), Some(reason)) = (held.absent, &held.refusal) {
        return Ok(Answer::Fails((absent, reason.clone())));
    }
    // A commit was there when its hash was named, even if the fetch takes long.
    let commit = held.commit.as_deref();
    let is_named = commit.is_some_and(|commit| names(&heads, &repository.reference, commit));
    Ok(Answer::Holds {
        shown: if is_named { named } else { now() },
        heads,
        held: Box::new(held),
    })
}

/// Returns the host of an address; a folder on this machine is one by itself.
pub(super) fn host_of(url: &str) -> &str {
    if url.starts_with(ON_THIS_MACHINE) {
        return url;
    }
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split('/').next().unwrap_or(rest);
    let host = host.rsplit('@').next().unwrap_or(host);
    host.split(':').next().unwrap_or(host)
}

/// Returns whether a repository named this commit for a reference. A name that only ends like the
/// reference, such as `refs/heads/x/HEAD`, does not count.
fn names(heads: &str, reference: &str, commit: &str) -> bool {
    // As git looks for a reference. The commit of a tag is listed after the tag.
    let mut fetched = heads.lines().filter_map(|line| {
        let (hash, name) = line.split_once('\t')?;
        let name = name.strip_suffix("^{}").unwrap_or(name);
        let place = name.strip_suffix(reference)?;
        ["", "refs/", "refs/tags/", "refs/heads/"]
            .contains(&place)
            .then_some(hash)
    });
    fetched.any(|hash| hash == commit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_one_host_have_one_name() {
        for url in [
            "https://host/a",
            "https://user:word@host:8443/a",
            "ssh://git@host:22/a",
            "git@host:a.git",
        ] {
            assert_eq!(host_of(url), "host", "{url}");
        }
        assert_eq!(host_of("file:///a/b"), "file:///a/b");
    }

    #[test]
    fn a_commit_is_named_for_the_reference_that_is_fetched_alone() {
        let heads = "1\tHEAD\n2\trefs/heads/x/HEAD\n3\trefs/tags/v1\n4\trefs/tags/v1^{}\n";
        for (reference, commit, is_named) in [
            ("HEAD", "1", true),
            ("HEAD", "2", false),
            ("HEAD", "5", false),
            ("x/HEAD", "2", true),
            ("v1", "4", true),
            ("refs/tags/v1", "4", true),
            ("1", "1", false),
        ] {
            assert_eq!(
                names(heads, reference, commit),
                is_named,
                "{reference} {commit}"
            );
        }
    }
}
