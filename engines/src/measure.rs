//! Who is ahead, by a count that anybody can follow. It decides nothing: no rule, no result and
//! no bot knows it; a replay draws it for those who watch.

/// What a game counts for those who watch; see [`crate::Game::measure`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measure {
    /// What is counted, as `discs on the board`.
    pub counts: &'static str,
    /// Which count is the better one.
    pub better: Better,
}

/// Which of two counts is the better one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// Who has more is ahead.
    More,
    /// Who has less is ahead.
    Less,
}
