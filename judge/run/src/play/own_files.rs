//! Paths in what a program wrote.

use std::path::Path;

/// Removes a program's folder from a text: its author knows only the files in it.
pub fn without_folder(text: &str, folder: &Path) -> String {
    // Some languages name a file by its real path.
    let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    [&*real, folder]
        .iter()
        .fold(text.to_owned(), |text, folder| {
            let folder = folder.display().to_string();
            let text = text.replace(&format!("{folder}/"), "");
            text.replace(&folder, ".")
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn files_are_named_without_their_folder_also_by_its_real_path() {
        let above = tempfile::tempdir().expect("a temporary folder");
        let (real, link) = (above.path().join("real"), above.path().join("link"));
        std::fs::create_dir(&real).expect("ours");
        symlink(&real, &link).expect("ours");
        for folder in [&real, &link] {
            let folder = folder.display();
            let text = format!("File \"{folder}/src/game.py\", line 3");
            assert_eq!(without_folder(&text, &link), "File \"src/game.py\", line 3");
        }
    }
}
