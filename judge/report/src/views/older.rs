//! Outputs that folders by older versions of judge lack, or have in another form.

use super::played::View;
use crate::outputs::{History, OUTPUTS, Output, OutputSource};
use crate::sheet::Reader;
use error::JudgeError;
use journal::manifest::Manifest;

/// Lists the outputs that a view may lack, because a later version of judge added them. A run's own
/// folder has the outputs of the staff's view.
///
/// # Errors
/// When the rules refuse the run's configuration.
pub fn later_outputs(manifest: &Manifest, view: View) -> Result<Vec<String>, JudgeError> {
    let source = OutputSource::new(manifest)?;
    let is_later = |output: &&&Output| matches!(output.history, History::Added);
    let later = OUTPUTS.iter().filter(is_later);
    let names = later.filter_map(|output| match view {
        View::Student => (output.name)(&source)
            .and(output.made.own())
            .map(str::to_owned),
        View::Public if output.reader > Reader::Public => None,
        View::Public | View::Staff => (output.name)(&source),
    });
    Ok(names.collect())
}

/// Lists the outputs of a run's own folder that older versions of judge wrote with other columns,
/// each with the beginning of its first line then.
///
/// # Errors
/// When the rules refuse the run's configuration.
pub fn changed_outputs(manifest: &Manifest) -> Result<Vec<(String, &'static str)>, JudgeError> {
    let source = OutputSource::new(manifest)?;
    let changed = OUTPUTS.iter().filter_map(|output| match output.history {
        History::Changed(header) => Some(((output.name)(&source)?, header)),
        History::Unchanged | History::Added => None,
    });
    Ok(changed.collect())
}
