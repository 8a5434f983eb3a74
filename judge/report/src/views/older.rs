//! Outputs that folders by older versions of judge lack.

use super::played::View;
use crate::outputs::{OUTPUTS, OutputSource};
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
    let later = OUTPUTS.iter().filter(|output| output.came_later);
    let names = later.filter_map(|output| match view {
        View::Student => (output.name)(&source)
            .and(output.made.own())
            .map(str::to_owned),
        View::Public if output.reader > Reader::Public => None,
        View::Public | View::Staff => (output.name)(&source),
    });
    Ok(names.collect())
}
