//! The form of an answer: for people or for programs.

use clap::{Args, ValueEnum};

#[derive(Args)]
pub(super) struct Form {
    /// Form of the answer
    #[arg(
        long,
        value_enum,
        default_value_t,
        hide_default_value = true,
        value_name = "FORM"
    )]
    format: AnswerForm,
    /// The same as `--format json`
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum AnswerForm {
    #[default]
    Text,
    Json,
}

impl Form {
    /// Returns whether the answer is for programs.
    pub(super) fn is_json(&self) -> bool {
        self.json || self.format == AnswerForm::Json
    }
}
