//! Finds misused memory: builds a submission with sanitizers, and lets it read a conversation.

use crate::build::build_folder::{BuildFolder, BuildTime};
use crate::build::failed_builds::built;
use crate::build::languages;
use crate::build::prepare::BuildContext;
use crate::build::program_store::ProgramStore;
use crate::read::source::{SourceFile, kit_text};
use crate::read::submission::{Form, Submission};
use model::competition::{BuildLimits, CourseFile};
use rulebook::{IoContext, Result};
use sandbox::Build;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::time::Duration;
use system::files::make_folder;

/// Time limit of the program, in wall time and in CPU time.
const RUN_MAX: Duration = Duration::from_secs(60);

const CONVERSATION: &str = "conversation";

/// The sanitizers' report on a submission's behaviour in a conversation.
#[derive(Debug)]
pub struct Sanitized {
    /// The defect in one line, with the submission's line if known.
    pub headline: String,
    /// The lines of the submission that were called, the last one first.
    pub calls: Vec<String>,
}

/// Builds a submission with sanitizers in a new `folder`, and lets it read a conversation for at
/// most `limit`. Returns `None` without sanitizers or findings.
pub fn run_with_sanitizers(
    submission: &mut Submission,
    context: &BuildContext<'_>,
    folder: &Path,
    conversation: &[u8],
    limit: Duration,
) -> Result<Option<Sanitized>> {
    let Ok(Form::Sources(_, kit)) = submission.form else {
        return Ok(None);
    };
    let language = languages::of(kit);
    let libraries = context.kit.libraries_of(kit.libraries);
    let toolchain = built(language.toolchain(context.toolchains, &libraries))?;
    submission.files = over(&submission.files, &context.kit.files);
    let (Ok(toolchain), Ok(files)) = (toolchain, language.choose(submission, kit)) else {
        return Ok(None);
    };
    make_folder(folder)?;
    let programs = ProgramStore::open(context.run, context.builder.isolation)?;
    let place = BuildFolder {
        files: &files,
        kit,
        course: &context.kit.files,
        libraries: &libraries,
        folder,
        toolchain: &toolchain,
        builder: context.builder,
        programs: &programs,
        time: BuildTime::begin(BuildLimits::default()),
    };
    place.furnish()?;
    let Ok(Some(program)) = built(language.build_with_sanitizers(&place))? else {
        return Ok(None);
    };
    place.keep_only(program)?;
    let input = folder.join(CONVERSATION);
    fs::write(&input, conversation).or_io("write", &input)?;
    let script = format!("exec ./{program} < {CONVERSATION} > /dev/null");
    let run = context.builder.run(Build {
        program: "/bin/sh".into(),
        args: vec!["-c".to_owned(), script],
        folder: folder.to_owned(),
        limit: limit.min(RUN_MAX),
        cpu: limit.min(RUN_MAX),
        reserves: true,
    })?;
    let own =
        |name: &str| kit_text(kit, name).is_none() && files.iter().any(|file| file.path == name);
    Ok(understood(&run.output, own))
}

/// Text before the defect in a line of the sanitizers.
const MARKS: [&str; 2] = ["ERROR: AddressSanitizer: ", "runtime error: "];

/// The sanitizers' word for an end by `abort`, and the words for an author.
const ABORTED: &str = "ABRT";
const UNCAUGHT: &str = "an exception that nobody catches, or abort()";

/// `own` returns whether a file is the submission's.
fn understood(output: &str, own: impl Fn(&str) -> bool) -> Option<Sanitized> {
    let mut lines = output.lines();
    let (line, words) = lines.find_map(|line| {
        let (_, words) = MARKS.iter().find_map(|mark| line.split_once(mark))?;
        Some((line, words))
    })?;
    // Addresses and registers are useless to an author.
    let before = |words, end| str::split(words, end).next().unwrap_or(words);
    let what = [" on address", " on unknown address", " (pc "]
        .into_iter()
        .fold(words, before)
        .trim();
    if what.starts_with("failed to ") {
        return None;
    }
    let mut lines = lines.peekable();
    let access = lines
        .peek()
        .filter(|line| line.starts_with("READ of size") || line.starts_with("WRITE of size"))
        .and_then(|line| line.split(" at 0x").next());
    let calls: Vec<String> = lines
        .skip_while(|line| !line.trim_start().starts_with("#0 "))
        .take_while(|line| line.trim_start().starts_with('#'))
        .filter_map(|line| call(line, &own))
        .collect();
    let mut headline = if what == ABORTED { UNCAUGHT } else { what }.to_owned();
    if let Some(access) = access {
        let _ = write!(headline, ", {}", before(access, " thread"));
    }
    if let Some(place) = at_its_begin(line, &own).as_ref().or(calls.first()) {
        let _ = write!(headline, " at {place}");
    }
    Some(Sanitized { headline, calls })
}

/// Returns the place at the beginning of a line, such as `./Cat.h:9:12: runtime error: …`.
fn at_its_begin(line: &str, own: &impl Fn(&str) -> bool) -> Option<String> {
    let mut parts = line.split(':');
    let name = parts.next()?.trim_start_matches("./").rsplit('/').next()?;
    let number: u32 = parts.next()?.parse().ok()?;
    own(name).then(|| format!("{name}:{number}"))
}

/// Parses a line of a stack, such as `#1 0x55 in Cat::move(int) /tmp/a/Cat.h:9`.
fn call(line: &str, own: &impl Fn(&str) -> bool) -> Option<String> {
    let (_, rest) = line.split_once(" in ")?;
    let (function, path) = rest.rsplit_once(' ')?;
    let mut parts = path.rsplit('/').next()?.split(':');
    let (name, number) = (parts.next()?, parts.next()?);
    let function = function.split('(').next().unwrap_or(function);
    own(name).then(|| format!("{name}:{number}, in {function}"))
}

/// Returns a submission's files, with the course's files in place of those of the same names.
pub(crate) fn over(submitted: &[SourceFile], course: &[CourseFile]) -> Vec<SourceFile> {
    let mut all = submitted.to_vec();
    for CourseFile { name, text, .. } in course {
        all.retain(|file| file.path != *name);
        all.push(SourceFile::new(name, text.as_bytes()));
    }
    all
}

/// Warns of submitted files that the course's replace, unless only line ends or outer blanks differ.
pub(crate) fn differences(submitted: &[SourceFile], course: &[CourseFile]) -> Vec<String> {
    let plain = |text: &str| text.replace("\r\n", "\n").trim().to_owned();
    submitted
        .iter()
        .filter_map(|file| {
            let path = &file.path;
            let own = course.iter().find(|own| own.name == *path)?;
            (plain(&file.text()) != plain(&own.text))
                .then(|| format!("{path} differs from the course's copy, which was used instead"))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const OVERFLOW: &str = "hello\n=====\n==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x6020 at pc 0x55 bp 0x7f sp 0x7f\n\
        READ of size 4 at 0x6020 thread T0\n    #0 0x55 in std::pair<int, int>::pair<int&, int&>(int&, int&) /usr/include/c++/12/bits/stl_pair.h:281\n    \
        #1 0x55 in Cat::move(std::vector<bool, std::allocator<bool> > const&, std::pair<int, int>, int) /tmp/x/Cat.h:9\n    \
        #2 0x55 in play /tmp/x/main.cpp:107\n\n0x6020 is located\nallocated by thread T0 here:\n    #1 0x5 in Cat::make() /tmp/x/Cat.h:3\n";

    fn own(name: &str) -> bool {
        name == "Cat.h"
    }

    #[test]
    fn submission_line_is_found_behind_library_frames() {
        let defect = "heap-buffer-overflow, READ of size 4 at Cat.h:9, in Cat::move";
        let crash = "==1==ERROR: AddressSanitizer: SEGV on unknown address 0x0 (pc 0x5 bp 0x7 sp 0x7 T0)\n    #0 0x5 in Cat::move(int) /t/Cat.h:4\n";
        let division = "./Cat.h:9:12: runtime error: division by zero\n";
        let refused = "==1==ERROR: AddressSanitizer: failed to allocate 0xd bytes (errno: 12)\n";
        for (text, headline) in [
            (OVERFLOW, Some(defect)),
            (division, Some("division by zero at Cat.h:9")),
            (crash, Some("SEGV at Cat.h:4, in Cat::move")),
            ("thinking\n", None),
            (refused, None),
        ] {
            let said = understood(text, own);
            assert_eq!(said.as_ref().map(|said| &*said.headline), headline);
            if text == OVERFLOW {
                assert_eq!(said.expect("an error").calls, ["Cat.h:9, in Cat::move"]);
            }
        }
    }

    #[test]
    fn course_files_replace_submitted_files_of_same_name() {
        let course = [CourseFile {
            name: "simulator.h".to_owned(),
            text: "struct World;\n".to_owned(),
        }];
        let all = |text| {
            [("Cat.h", "cat"), ("simulator.h", text)]
                .map(|(path, text)| SourceFile::new(path, text))
        };
        let files = over(&all("mine"), &course);
        let texts: Vec<&[u8]> = files.iter().map(|file| &*file.bytes).collect();
        assert_eq!(texts, [b"cat".as_slice(), b"struct World;\n"]);
        assert_eq!(over(&[], &course).len(), 1, "it is there in any case");
        assert_eq!(differences(&all("mine"), &course).len(), 1);
        assert!(differences(&all("struct World;\r\n"), &course).is_empty());
    }
}
