//! Learning platforms as data. Each is a record of [`PLATFORMS`].

mod pattern;
mod table;
pub mod times;

pub use pattern::{Parts, each_match, first_match};
pub use table::PLATFORMS;

use alloc::string::String;
use alloc::vec::Vec;

/// A learning platform.
#[derive(Debug)]
pub struct Platform {
    /// Its name for people.
    pub name: &'static str,
    /// Names of its files and folders; the first that fits counts.
    pub names: &'static [NameForm],
    /// A text that a name has at most once; with two it would not be clear whose file it is.
    pub once: Option<&'static str>,
    /// The name of its list next to the files, which is read where no roster is given.
    pub list_file: Option<&'static str>,
    /// The lists that it exports, each with its own headings.
    pub lists: &'static [ListForm],
    /// The column that gets the grades, if it takes its list back.
    pub grades: Option<GradeForm>,
}

impl Platform {
    const BARE: Self = Self {
        name: "",
        names: &[],
        once: None,
        list_file: None,
        lists: &[],
        grades: None,
    };
}

/// How files or folders of a download are named.
#[derive(Debug)]
pub struct NameForm {
    /// The name, as in [`first_match`].
    pub pattern: &'static str,
    /// The entrant's name, with parts of the name.
    pub entrant: &'static str,
    /// The kind of thing that has such a name.
    pub of: Named,
    /// Its content.
    pub content: Content,
    /// When the name is the platform's.
    pub sign: NameSign,
    /// The paths in a folder that are the author's files, as patterns; all paths if none fits.
    pub inside: &'static [&'static str],
}

/// The kind of thing that has a platform's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// A folder.
    Folder,
    /// A folder, or an archive of one.
    Packed,
    /// A file.
    File,
    /// A folder or a file.
    Any,
}

/// The content of a platform's file or folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// A submission as a whole.
    Whole,
    /// A file, with its author's name for it, of parts.
    File(&'static str),
    /// A typed text or link, and no file of the author's; parts name which.
    Typed(&'static str),
    /// No submission, for this reason.
    Nothing(&'static str),
}

/// When a name is a platform's, and not an author's or staff's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameSign {
    /// Nobody else has such names.
    Form,
    /// Several have the same `{same}`, and each another `{number}`; at least half of all folders.
    Same,
    /// At least half of all folders, and at least two, have such names, each with another entrant.
    All,
    /// The folder around all has this name.
    Around(&'static str),
}

impl NameForm {
    const BARE: Self = Self {
        pattern: "",
        entrant: "{entrant}",
        of: Named::File,
        content: Content::Whole,
        sign: NameSign::Form,
        inside: &[],
    };
}

/// Headings of one column, in the platform's languages and versions.
pub type Headings = &'static [&'static str];

/// How a list of a platform becomes a roster.
#[derive(Debug)]
pub struct ListForm {
    /// Of each of these columns the list has one heading.
    pub sign: &'static [Headings],
    /// Whether its first column ends with the number in the names of submissions.
    pub is_numbered: bool,
    /// The cell that the name of a submission has, after [`ListForm::prefix`].
    pub submission: Headings,
    /// Text before that cell in the name.
    pub prefix: &'static str,
    /// Columns of an id; the first that is not empty counts, and else that of the submission.
    pub id: Headings,
    /// The parts of a person's name, in the order of speech.
    pub name: &'static [Headings],
    /// The members of a team, next to its name.
    pub members: Headings,
    /// The person's address. A heading in small letters may be a part of it.
    pub email: Headings,
    /// Names in rows that are no person's.
    pub nobody: Headings,
    /// The class or group.
    pub section: Headings,
    /// Whether people of one group have one submission.
    pub is_of_teams: bool,
    /// When the platform received the submission.
    pub time: Headings,
    /// Whether only this list shows that the platform has named the submissions, after people.
    pub has_named: bool,
}

impl ListForm {
    const BARE: Self = Self {
        sign: &[],
        is_numbered: false,
        submission: &[],
        prefix: "",
        id: &[],
        name: &[],
        members: &[],
        email: &[],
        nobody: &[],
        section: &[],
        is_of_teams: false,
        time: &[],
        has_named: false,
    };

    /// Returns whether a header is of this list.
    pub fn fits(&self, header: &[&str]) -> bool {
        let is_there = |column: &Headings| header.iter().any(|name| column.contains(&name.trim()));
        self.sign.iter().all(is_there)
    }
}

/// The column of a platform's list that gets the grades.
#[derive(Debug)]
pub struct GradeForm {
    /// Its headings, as patterns. `{title}` is the assignment's, and `{maximum}` its maximum.
    pub headings: Headings,
    /// The maximum, if it is not in the heading.
    pub maximum: MaximumIn,
    /// Headings of the column with words for the student.
    pub feedback: Headings,
    /// Headings of the column that says whether a grade can be changed, each with its word for no.
    pub can_change: &'static [(&'static str, &'static str)],
}

impl GradeForm {
    const BARE: Self = Self {
        headings: &[],
        maximum: MaximumIn::Heading,
        feedback: &[],
        can_change: &[],
    };
}

/// Where a list has the maximum of the grades.
#[derive(Clone, Copy, Debug)]
pub enum MaximumIn {
    /// In the column right of them.
    Right,
    /// In the column with this heading.
    Column(&'static str),
    /// In the row with this label, above the people. All columns after `Section` are assignments.
    Row(&'static str),
    /// In their heading, or nowhere.
    Heading,
}

/// A platform and one of its lists.
pub type PlatformList = (&'static Platform, &'static ListForm);

/// Returns the platform and the list of a header.
pub fn list_of(header: &[&str]) -> Option<PlatformList> {
    PLATFORMS.iter().find_map(|platform| {
        let list = platform.lists.iter().find(|list| list.fits(header))?;
        Some((platform, list))
    })
}

/// Lists the names that platforms give to lists next to the files.
pub fn list_files() -> impl Iterator<Item = &'static str> {
    PLATFORMS.iter().filter_map(|platform| platform.list_file)
}

/// Lists the names of all platforms, in words.
pub fn names() -> String {
    let all: Vec<&str> = PLATFORMS.iter().map(|platform| platform.name).collect();
    let (last, others) = all.split_last().expect("there are platforms");
    format!("{} or {last}", others.join(", "))
}

/// Returns whether a file has a platform's name for files of many people in one folder.
pub fn has_named_file(name: &str) -> bool {
    let is_file = |form: &&NameForm| form.of == Named::File && form.sign == NameSign::Form;
    PLATFORMS
        .iter()
        .flat_map(|platform| platform.names)
        .filter(is_file)
        .any(|form| first_match(form.pattern, name).is_some())
}
