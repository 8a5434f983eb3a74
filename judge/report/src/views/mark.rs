//! The mark of a view's folder: its audience and its run.

use super::played::View;
use model::entrants_folder::OwnName;
use model::hash::hash;

/// The file that marks a folder as a view of a run, and names both.
pub const MARK_NAME: &str = OwnName::ViewMark.text();

/// Returns the name of a run in its views, derived from the fingerprint of its keys
/// ([`store::Keys::fingerprint`]). Views do not contain the fingerprint itself: files that are
/// not for the public do.
pub fn public_fingerprint(fingerprint: &str) -> String {
    hash(&[b"view", fingerprint.as_bytes()])
}

/// Parses the file `view.txt` of a folder. Returns the view's kind, and in the folder of one
/// student the student's public name; `None` for any other content.
pub fn read_mark(text: &str) -> Option<(View, Option<&str>)> {
    let (view, _, name) = parts(text)?;
    match (view, name.strip_suffix('\n')) {
        (_, None) if name.is_empty() => Some((view, None)),
        (View::Student, Some(name)) => Some((view, Some(name))),
        _ => None,
    }
}

/// Splits a mark into the view, the run, and the rest.
pub(super) fn parts(text: &str) -> Option<(View, &str, &str)> {
    [View::Public, View::Student, View::Staff]
        .into_iter()
        .find_map(|view| {
            let (run, rest) = text.strip_prefix(&beginning(view))?.split_once('\n')?;
            Some((view, run, rest))
        })
}

/// Returns the mark of a view of a run.
pub(super) fn marked(view: View, run: &str) -> String {
    format!("{}{run}\n", beginning(view))
}

/// Returns the text of a mark before the name of the run.
fn beginning(view: View) -> String {
    let view = view.name();
    format!("the {view} view of a run, made by judge report\nrun ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_tells_the_view_the_run_and_the_student() {
        let student = marked(View::Student, "5f") + "ann\n";
        assert_eq!(read_mark(&student), Some((View::Student, Some("ann"))));
        assert_eq!(parts(&student), Some((View::Student, "5f", "ann\n")));
        let public = marked(View::Public, "5f");
        assert_eq!(read_mark(&public), Some((View::Public, None)));
        assert_eq!(parts(&public), Some((View::Public, "5f", "")));
        assert_eq!(read_mark(&(public + "ann\n")), None);
        assert_eq!(read_mark("something else\n"), None);
    }
}
