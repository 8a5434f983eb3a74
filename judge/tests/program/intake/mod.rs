//! Submissions on their way into a run: one module for each thing that a course hands over.

mod descriptions;
mod names;
mod places;
mod repositories;
