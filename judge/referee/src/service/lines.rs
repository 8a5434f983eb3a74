//! Lines assembled from chunks of bytes, in bounded memory.

/// Maximum length of a request, in bytes without its newline.
pub const LINE_BYTES_MAX: usize = 1 << 20;

/// Assembles lines from chunks.
#[derive(Default)]
pub(super) struct Lines {
    /// The line that has no newline yet. It keeps one byte more than the limit, which shows that
    /// the line is too long; the rest of such a line is dropped.
    begun: Vec<u8>,
}

impl Lines {
    /// Passes every line that these bytes complete to `each`, without its newline. Of a line longer
    /// than [`LINE_BYTES_MAX`] bytes, `each` gets at least one byte more than that.
    ///
    /// # Errors
    /// Those of `each`; the remaining bytes are then lost.
    pub(super) fn feed<E>(
        &mut self,
        mut bytes: &[u8],
        mut each: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        while let Some(at) = bytes.iter().position(|&byte| byte == b'\n') {
            let (line, rest) = bytes.split_at(at);
            bytes = &rest[1..];
            if self.begun.is_empty() {
                each(line)?;
            } else {
                self.keep(line);
                each(&self.begun)?;
                self.begun.clear();
            }
        }
        self.keep(bytes);
        Ok(())
    }

    /// Passes the last line to `each` if no newline ended it.
    ///
    /// # Errors
    /// Those of `each`.
    pub(super) fn end<E>(&mut self, mut each: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        if self.begun.is_empty() {
            return Ok(());
        }
        each(&std::mem::take(&mut self.begun))
    }

    fn keep(&mut self, bytes: &[u8]) {
        let room = LINE_BYTES_MAX + 1 - self.begun.len();
        self.begun
            .extend_from_slice(&bytes[..bytes.len().min(room)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    fn lines_of(chunks: &[&[u8]]) -> Vec<Vec<u8>> {
        let mut lines = Lines::default();
        let mut found = Vec::new();
        let mut each = |line: &[u8]| {
            found.push(line.to_vec());
            Ok::<(), Infallible>(())
        };
        for chunk in chunks {
            let Ok(()) = lines.feed(chunk, &mut each);
        }
        let Ok(()) = lines.end(&mut each);
        found
    }

    #[test]
    fn lines_are_the_same_however_the_bytes_arrive() {
        let text = b"one\n\ntwo\r\n\xff\nlast";
        let whole = lines_of(&[text]);
        let expected: [&[u8]; 5] = [b"one", b"", b"two\r", b"\xff", b"last"];
        assert_eq!(whole, expected);
        for size in 1..text.len() {
            let chunks: Vec<&[u8]> = text.chunks(size).collect();
            assert_eq!(lines_of(&chunks), whole, "chunks of {size}");
        }
    }

    #[test]
    fn a_final_newline_begins_no_line() {
        assert_eq!(lines_of(&[b"one\n"]), [b"one"]);
        assert!(lines_of(&[b""]).is_empty());
    }

    #[test]
    fn of_an_overlong_line_no_more_is_kept_than_shows_that_it_is_too_long() {
        let mut lines = Lines::default();
        let mut lengths = Vec::new();
        let mut each = |line: &[u8]| {
            lengths.push(line.len());
            Ok::<(), Infallible>(())
        };
        let chunk = vec![b'x'; 1 << 16];
        for _ in 0..64 {
            let Ok(()) = lines.feed(&chunk, &mut each);
            assert!(lines.begun.capacity() <= 2 * (LINE_BYTES_MAX + 1));
        }
        let Ok(()) = lines.feed(b"\nnext\n", &mut each);
        assert_eq!(lengths, [LINE_BYTES_MAX + 1, 4]);
    }
}
