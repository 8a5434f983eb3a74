//! The program `judge`; the library does everything.

use std::process::ExitCode;

fn main() -> ExitCode {
    judge::main()
}
