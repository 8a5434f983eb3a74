//! Intake of submissions: one module for each kind of thing that a course provides.

mod descriptions;
mod names;
mod places;
mod repositories;
