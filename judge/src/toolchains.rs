//! Where this machine's compilers and interpreters are looked for.

use error::JudgeError;
use intake::Toolchains;
use sandbox::Isolation;
use std::collections::BTreeMap;

/// Takes the folders that a competition names, and those of this program's PATH.
///
/// # Errors
/// When a program cannot be used that the competition names.
pub(crate) fn toolchains(
    named: &BTreeMap<String, String>,
    isolation: &Isolation,
) -> Result<Toolchains, JudgeError> {
    Toolchains::new(
        std::env::var_os("PATH").as_deref(),
        named,
        &isolation.closed,
    )
}
