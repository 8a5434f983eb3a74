//! A course's own files, copied over each submission before it is built. The received files stay
//! unchanged.

use super::source::SourceFile;
use model::competition::CourseFile;

/// Returns the files of a submission, with the course's files in place of those with the same
/// names.
pub(super) fn over(submitted: &[SourceFile], course: &[CourseFile]) -> Vec<SourceFile> {
    let is_courses = |file: &&SourceFile| !course.iter().any(|own| own.name == file.path);
    let kept = submitted.iter().filter(is_courses).cloned();
    let own = course.iter().map(|own| SourceFile {
        path: own.name.clone(),
        bytes: own.text.clone().into_bytes(),
        executable: false,
    });
    kept.chain(own).collect()
}

/// Returns a warning for each submitted file that a different course file replaces. A file that
/// differs only in its line ends, or in blanks around its text, gives no warning.
pub(super) fn differences(submitted: &[SourceFile], course: &[CourseFile]) -> Vec<String> {
    let plain = |text: &str| text.replace("\r\n", "\n").trim().to_owned();
    let differs = |file: &&SourceFile| {
        let own = course.iter().find(|own| own.name == file.path);
        own.is_some_and(|own| plain(&String::from_utf8_lossy(&file.bytes)) != plain(&own.text))
    };
    submitted
        .iter()
        .filter(differs)
        .map(|file| {
            let path = &file.path;
            format!("{path} differs from the course's copy, which was used instead")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn submitted(path: &str, text: &str) -> SourceFile {
        SourceFile {
            path: path.to_owned(),
            bytes: text.as_bytes().to_vec(),
            executable: false,
        }
    }

    #[test]
    fn the_courses_files_take_the_place_of_those_of_their_names() {
        let course = [CourseFile {
            name: "simulator.h".to_owned(),
            text: "struct World;\n".to_owned(),
        }];
        let all = |text| [submitted("Cat.h", "cat"), submitted("simulator.h", text)];
        let files = over(&all("mine"), &course);
        let texts: Vec<&[u8]> = files.iter().map(|file| &*file.bytes).collect();
        assert_eq!(texts, [b"cat".as_slice(), b"struct World;\n"]);
        assert_eq!(over(&[], &course).len(), 1, "it is there in any case");
        assert_eq!(differences(&all("mine"), &course).len(), 1);
        assert!(differences(&all("struct World;\r\n"), &course).is_empty());
    }
}
