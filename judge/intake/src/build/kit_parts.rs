//! Files that are made of a kit alone, for all of its submissions. A run keeps them as it keeps
//! programs.

#![expect(
    clippy::disallowed_methods,
    reason = "it is in a folder of the judge's, and no submission's code has run there"
)]

use crate::build::build_folder::{BuildFolder, owned};
use crate::build::built_program::BuiltProgram;
use crate::build::failed_builds::BuildFailure;
use crate::build::program_store::ProgramStore;
use crate::read::source::{SourceFile, kit_files};
use model::draw::hash;
use rulebook::JudgeError;
use std::fs::{self, File, Permissions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;

impl BuildFolder<'_> {
    /// Returns a file that one step makes of the kit alone. The first submission of a run has it
    /// made, in a folder without submitted files, and the run keeps it as it keeps programs.
    /// `program` is the toolchain's name for the compiler, and `args` write the file.
    pub(crate) fn kit_part(
        &self,
        programs: &ProgramStore,
        file: &str,
        program: &str,
        args: &[&str],
    ) -> Result<Result<Vec<u8>, BuildFailure>, JudgeError> {
        let files: Vec<SourceFile> = kit_files(self.kit).collect();
        let mut parts = vec![self.toolchain.identity.as_bytes(), file.as_bytes()];
        parts.extend(args.iter().map(|arg| arg.as_bytes()));
        for file in &files {
            parts.extend([file.path.as_bytes(), &file.bytes]);
        }
        let made = programs.keep(&hash(&parts), None, None, |folder| {
            let own = BuildFolder {
                files: &files,
                folder,
                time: self.time.anew(),
                ..*self
            };
            own.furnish()?;
            if let Err(failure) = own.step(self.toolchain.program(program), &owned(args))? {
                return Ok(Err(failure));
            }
            own.keep_only(file)?;
            Ok(Ok(BuiltProgram::plain(file)))
        })?;
        let kept = match made {
            Ok(kept) => kept.artifact.program,
            Err(failure) => return Ok(Err(failure)),
        };
        let bytes = fs::read(&kept).map_err(|e| JudgeError::io("read", kept, e))?;
        Ok(Ok(bytes))
    }

    /// Writes a part of the kit into the folder, in place of whatever a step left there. It may be
    /// executed: OCaml's counter is.
    pub(crate) fn write_part(&self, file: &str, bytes: &[u8]) -> Result<(), JudgeError> {
        let path = self.folder.join(file);
        let failed = |e| JudgeError::io("write", &path, e);
        if path.symlink_metadata().is_ok() {
            sandbox::remove(&path)?;
        }
        let mut part = File::create_new(&path).map_err(failed)?;
        part.write_all(bytes).map_err(failed)?;
        let mode = Permissions::from_mode(0o755);
        part.set_permissions(mode).map_err(failed)
    }
}
