//! The program `judge`; everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    judge::cli::main()
}
