//! What one author handed in, as far as it could be read.

use super::archive;
use super::closing::ReceiptRecord;
use super::source::{NOTHING, SourceFile};
use words::fault::quote;

/// What was handed in under one name, as far as it could be read.
#[derive(Debug, Default)]
pub(super) struct ReceivedFiles {
    pub(super) files: Vec<SourceFile>,
    /// Why it is nothing that can be played, where reading it has told already.
    pub(super) refusal: Option<String>,
    pub(super) warnings: Vec<String>,
    /// Where it came from, fit to be shown to everybody.
    pub(super) origin: String,
    /// What the platform's name for it says of its receipt.
    pub(super) record: Option<ReceiptRecord>,
}

/// Reads what Canvas's name for a file says of its receipt, `STUDENT_LATE_1234_5678_NAME` or
/// `STUDENT_1234_5678_NAME`: whether it came late, not when.
pub(super) fn canvas_record(name: &str) -> Option<ReceiptRecord> {
    let mut parts = name.splitn(5, '_').skip(1).peekable();
    let is_late = parts.next_if_eq(&"LATE").is_some();
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let numbers = parts.by_ref().take(2).filter(|part| is_number(part));
    let is_canvas = numbers.count() == 2 && parts.next().is_some();
    (is_canvas && !is_late).then_some(ReceiptRecord::InTime)
}

impl ReceivedFiles {
    pub(super) fn refused(reason: String) -> Self {
        Self {
            refusal: Some(reason),
            ..Self::default()
        }
    }
}

/// Takes what a folder holds; a folder with nothing but one folder or one zip is that.
pub(super) fn folder(
    read: Result<Vec<SourceFile>, String>,
    warnings: Vec<String>,
) -> ReceivedFiles {
    match read {
        Ok(mut files) => {
            archive::strip_single_folder(&mut files);
            of_files(files, warnings)
        }
        Err(reason) => ReceivedFiles {
            warnings,
            ..ReceivedFiles::refused(reason)
        },
    }
}

fn of_files(files: Vec<SourceFile>, warnings: Vec<String>) -> ReceivedFiles {
    match files.as_slice() {
        [] => ReceivedFiles {
            warnings,
            ..ReceivedFiles::refused(NOTHING.to_owned())
        },
        [one] if one.is_flat() && one.path.to_ascii_lowercase().ends_with(".zip") => {
            unzip(files, warnings)
        }
        _ => ReceivedFiles {
            files,
            warnings,
            ..ReceivedFiles::default()
        },
    }
}

/// Unpacks a zip, the only one of `files`; what cannot be unpacked stays as it is.
pub(super) fn unzip(files: Vec<SourceFile>, mut warnings: Vec<String>) -> ReceivedFiles {
    let unpacked = archive::unpack(&files[0].bytes, &mut warnings);
    let (files, refusal) = match unpacked {
        Ok(files) => (files, None),
        Err(reason) => {
            let name = quote(files[0].path.as_bytes());
            (files, Some(format!("{name} {reason}")))
        }
    };
    ReceivedFiles {
        files,
        refusal,
        warnings,
        ..ReceivedFiles::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_canvas_say_who_is_in_time() {
        let in_time = Some(ReceiptRecord::InTime);
        for (name, record) in [
            ("leeann_123_4567_Cat.h", in_time),
            ("leeann_123_4567_my_cat-1.h", in_time),
            ("leeann_LATE_123_4567_Cat.h", None),
            ("ann_12_cat.h", None),
            ("ann_1_2", None),
            ("Lee Ann_123_assignsubmission_file_", None),
        ] {
            assert_eq!(canvas_record(name), record, "{name}");
        }
    }
}
