//! Files and folders with a learning platform's names.

/// A file or folder of a class, beside the others.
#[derive(Clone, Debug)]
pub(in super::super) struct Item {
    pub(in super::super) name: String,
    pub(in super::super) is_folder: bool,
}

/// The meaning of a platform's name for one file or folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Named {
    /// Name of the entrant: the person's name and number, or the login.
    pub(super) entrant: String,
    pub(super) content: Content,
    pub(super) late: Option<bool>,
    /// The number of the upload; higher ones came later.
    pub(super) upload: u64,
}

/// The kind of a platform's file or folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) enum Content {
    /// A submission as a whole: a folder, or a zip of one.
    Whole,
    /// A file, with its author's name for it.
    File(String),
    /// A text or a link that was typed in, and no file of the author's. The word names which.
    Typed(&'static str),
}
