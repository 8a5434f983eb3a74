//! Where in a text something stands.

/// Returns the line, counted from 1, in which the byte at `offset` stands.
pub(crate) fn line(text: &str, offset: usize) -> usize {
    let before = &text.as_bytes()[..offset.min(text.len())];
    before.split(|&byte| byte == b'\n').count()
}
