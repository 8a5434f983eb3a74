//! The files of one author, out of the folder and the archive around them.

use crate::read::archive;
use crate::read::source::{Allowance, DOCUMENTS, EMPTY, NOTHING, SourceFile, has_ending};
use crate::read::submission::Submission;
use model::advice::UNPACKED;
use model::fault::quote;

/// Takes a folder's contents; one that holds only a folder or an archive is that.
pub(crate) fn folder(read: Result<Submission, String>) -> Submission {
    match read {
        Ok(mut contents) => {
            archive::strip_single_folders(&mut contents.files);
            of_files(contents)
        }
        Err(reason) => Submission::unreadable(reason),
    }
}

fn of_files(mut contents: Submission) -> Submission {
    if contents.files.is_empty() {
        let is_empty = contents.warnings.is_empty() && contents.left_out.is_empty();
        let refusal = if is_empty { EMPTY } else { NOTHING };
        contents.form = Err(refusal.to_owned());
        return contents;
    }
    let Some(zip) = take_only_zip(&mut contents) else {
        return contents;
    };
    Submission {
        fingerprints: contents.fingerprints,
        ..unzip(&zip, contents.warnings)
    }
}

/// Takes the only archive out of the files, if nothing but documents is next to it. A note names these.
fn take_only_zip(contents: &mut Submission) -> Option<SourceFile> {
    let zip = contents.files.swap_remove(only_zip(&contents.files)?);
    if !contents.files.is_empty() {
        let mut beside: Vec<&str> = contents.files.iter().map(|one| &*one.path).collect();
        beside.sort_unstable();
        let beside: Vec<String> = beside.into_iter().map(quote).collect();
        contents.warnings.push(format!(
            "{} is the submission; left out the files beside it: {}",
            quote(&zip.path),
            beside.join(", ")
        ));
    }
    Some(zip)
}

fn only_zip(files: &[SourceFile]) -> Option<usize> {
    let is_unpacked = |file: &SourceFile| {
        let lower = file.path.to_ascii_lowercase();
        UNPACKED.iter().any(|ending| lower.ends_with(ending))
    };
    let zip = files.iter().position(is_unpacked)?;
    let is_document = |file: &SourceFile| {
        file.path.starts_with('.')
            || has_ending(&file.path.to_ascii_lowercase(), DOCUMENTS) && !file.executable
    };
    let mut others = files.iter().enumerate().filter(|(at, _)| *at != zip);
    let only = files[zip].is_flat() && others.all(|(_, file)| is_document(file));
    only.then_some(zip)
}

/// Unpacks an archive. One that cannot be unpacked is kept as a file.
pub(crate) fn unzip(zip: &SourceFile, notes: Vec<String>) -> Submission {
    match unpack(zip) {
        Ok(mut contents) => {
            contents.warnings.splice(0..0, notes);
            contents
        }
        Err(reason) => Submission {
            form: Err(reason),
            warnings: notes,
            ..Submission::of(vec![zip.clone()])
        },
    }
}

fn unpack(zip: &SourceFile) -> Result<Submission, String> {
    let failed = |path: &str, reason| format!("{} {reason}", quote(path));
    let (mut outer, remaining) = archive::unpack(&zip.bytes, Allowance::whole())
        .map_err(|reason| failed(&zip.path, reason))?;
    let Some(inner) = take_only_zip(&mut outer) else {
        return Ok(outer);
    };
    let path = format!("{}/{}", zip.path, inner.path);
    let (mut contents, _) =
        archive::unpack(&inner.bytes, remaining).map_err(|reason| failed(&path, reason))?;
    contents.warnings.splice(0..0, outer.warnings);
    Ok(contents)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::source::limit;
    use model::competition::SubmissionLimits;
    use std::io::{Cursor, Write};
    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    fn zip_of(entries: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for (path, bytes) in entries {
            let options = SimpleFileOptions::default().unix_permissions(0o755);
            if path.ends_with('/') {
                writer.add_directory(*path, options).expect("in memory");
            } else {
                let options = options.unix_permissions(0o644);
                writer.start_file(*path, options).expect("in memory");
                writer.write_all(bytes).expect("in memory");
            }
        }
        writer.finish().expect("in memory").into_inner()
    }

    /// Unpacks a zip of an `inner` zip and other files. Returns the paths of the files and the notes.
    fn twice(
        inner: &[(&str, &[u8])],
        beside: &[(&str, &[u8])],
    ) -> Result<(Vec<String>, Vec<String>), String> {
        let inner = zip_of(inner);
        let mut outer = vec![("hw.zip", inner.as_slice())];
        outer.extend_from_slice(beside);
        let zip = SourceFile {
            bytes: zip_of(&outer),
            ..file("ann.zip")
        };
        let contents = unpack(&zip)?;
        let paths = contents.files.into_iter().map(|file| file.path);
        Ok((paths.collect(), contents.warnings))
    }

    fn numbered(count: usize, ending: &str) -> Vec<String> {
        (0..count).map(|n| format!("{n}{ending}")).collect()
    }

    fn entries(paths: &[String]) -> Vec<(&str, &[u8])> {
        let entries = paths.iter().map(|path| (path.as_str(), &b"x"[..]));
        entries.collect()
    }

    #[test]
    fn nested_zip_is_unpacked_once_and_third_kept() {
        let bot: &[(&str, &[u8])] = &[("hw/bot.py", b"x"), ("__MACOSX/hw/._bot.py", b"x")];
        let plain = || vec!["bot.py".to_owned()];
        assert_eq!(twice(bot, &[]), Ok((plain(), Vec::new())));
        let junk: &[(&str, &[u8])] = &[("__MACOSX/._hw.zip", b"x"), (".DS_Store", b"x")];
        assert_eq!(twice(bot, junk), Ok((plain(), Vec::new())));
        let note = "hw.zip is the submission; left out the files beside it: report.pdf";
        let found = twice(bot, &[("report.pdf", b"x")]);
        assert_eq!(found, Ok((plain(), vec![note.to_owned()])));
        let third = zip_of(bot);
        let (files, _) = twice(&[("third.zip", &third)], &[]).expect("it is kept");
        assert_eq!(files, ["third.zip"]);
    }

    #[test]
    fn non_utf_8_name_is_read_as_cp437() {
        let mut bytes = zip_of(&[("L#sung/Cat.h", b"x"), ("L#sung/stra#e.h", b"x")]);
        let mut signs = b"\x94\x94\xe1".iter().cycle();
        for byte in bytes.iter_mut().filter(|byte| **byte == b'#') {
            *byte = *signs.next().expect("endless");
        }
        let (read, _) = archive::unpack(&bytes, Allowance::whole()).expect("a good zip");
        let paths = read.files.iter().map(|file| file.path.as_str());
        assert!(paths.eq(["Cat.h", "straße.h"]), "{read:?}");
    }

    #[test]
    fn the_bounds_hold_over_both_zips_together() {
        limit(SubmissionLimits { files: 500, mib: 8 });
        let inside = numbered(400, ".py");
        let fits = numbered(99, ".txt");
        let (files, _) = twice(&entries(&inside), &entries(&fits)).expect("500 files in all");
        assert_eq!(files.len(), 400);
        let many = numbered(100, ".txt");
        let mebibytes = vec![0; 5 << 20];
        let folders = numbered(1_250, "/");
        let large: &[(&str, &[u8])] = &[("a.txt", &mebibytes)];
        let all = entries(&folders);
        for (inner, beside, reason) in [
            (entries(&inside), entries(&many), "more than 500 files"),
            (large.to_vec(), large.to_vec(), "more than 8 MiB"),
            (all.clone(), all, "more than 2500 entries"),
            (vec![("../evil", &b"x"[..])], vec![], "has the path ../evil"),
        ] {
            let refusal = twice(&inner, &beside).expect_err(reason);
            assert!(refusal.starts_with("ann.zip/hw.zip has "), "{refusal}");
            assert!(refusal.contains(reason), "{refusal}");
        }
    }

    fn file(path: &str) -> SourceFile {
        SourceFile::new(path, "text")
    }

    #[test]
    fn a_zip_beside_documents_is_the_submission() {
        let only = |paths: &[&str]| {
            let files: Vec<SourceFile> = paths.iter().map(|path| file(path)).collect();
            only_zip(&files).map(|at| files[at].path.clone())
        };
        for (paths, found) in [
            (&["hw.zip"][..], Some("hw.zip")),
            (&[".gitignore", "hw.zip"], Some("hw.zip")),
            (&["Report.PDF", "hw.ZIP", "doc/a.md"], Some("hw.ZIP")),
            (&["hw.zip", "bot.py"], None),
            (&["hw.zip", "old.zip"], None),
            (&["hw.zip", "Cat.h", "report.pdf"], None),
            (&["in/hw.zip", "report.pdf"], None),
            (&["report.pdf"], None),
        ] {
            assert_eq!(only(paths).as_deref(), found, "{paths:?}");
        }
    }
}
