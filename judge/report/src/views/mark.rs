//! The mark of a view's folder: whose view it is, and of which run.

use super::played::View;
use words::entrants_folder::OwnName;
use words::hash::hash;

/// The file that tells whose view of which run a folder is.
pub const MARK_NAME: &str = OwnName::ViewMark.text();
/// What the line of a mark begins with that names the run.
const RUN: &str = "run ";

/// Returns what views call a run, by the fingerprint of its keys ([`journal::Keys::fingerprint`]),
/// which they do not tell: it is in what is not for the public.
pub fn public_fingerprint(fingerprint: &str) -> String {
    hash(&[b"view", fingerprint.as_bytes()])
}

/// Reads what the file `view.txt` of a folder says: whose view it is, and in the folder of one
/// student the public name of this one. None where it says anything else.
pub fn read_mark(text: &str) -> Option<(View, Option<&str>)> {
    let (view, _, name) = parts(text)?;
    match (view, name.strip_suffix('\n')) {
        (_, None) if name.is_empty() => Some((view, None)),
        (View::Student, Some(name)) => Some((view, Some(name))),
        _ => None,
    }
}

/// Splits a mark into the view, the run (nothing where it names none), and the rest.
pub(super) fn parts(text: &str) -> Option<(View, &str, &str)> {
    let views = [View::Public, View::Student, View::Staff];
    views.into_iter().find_map(|view| {
        let rest = text.strip_prefix(marked(view, "").as_str())?;
        let named = rest
            .strip_prefix(RUN)
            .and_then(|rest| rest.split_once('\n'));
        let (run, rest) = named.unwrap_or(("", rest));
        Some((view, run, rest))
    })
}

/// Returns what tells whose view of which run a folder is.
pub(super) fn marked(view: View, run: &str) -> String {
    let line = if run.is_empty() {
        String::new()
    } else {
        format!("{RUN}{run}\n")
    };
    format!(
        "the {} view of a run, made by judge report\n{line}",
        view.name()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_tells_the_view_the_run_and_the_student() {
        let student = marked(View::Student, "5f") + "ann\n";
        assert_eq!(read_mark(&student), Some((View::Student, Some("ann"))));
        assert_eq!(parts(&student), Some((View::Student, "5f", "ann\n")));
        for run in ["", "5f"] {
            let public = marked(View::Public, run);
            assert_eq!(read_mark(&public), Some((View::Public, None)));
            assert_eq!(parts(&public), Some((View::Public, run, "")));
            assert_eq!(read_mark(&(public + "ann\n")), None);
        }
        assert_eq!(read_mark("something else\n"), None);
    }
}
