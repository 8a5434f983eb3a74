//! Splits bytes from a bot into lines.

/// Bytes that have arrived and have not been taken yet.
#[derive(Debug, Default)]
pub(super) struct LineBuffer {
    bytes: Vec<u8>,
    /// No newline is before this index.
    searched: usize,
}

impl LineBuffer {
    /// Adds bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Moves the first whole line, without its newline, into `line`. Returns whether there was one.
    pub(super) fn take_line(&mut self, line: &mut Vec<u8>) -> bool {
        let Some(offset) = self.bytes[self.searched..].iter().position(|&b| b == b'\n') else {
            self.searched = self.bytes.len();
            return false;
        };
        let end = self.searched + offset;
        line.clear();
        line.extend_from_slice(&self.bytes[..end]);
        self.bytes.drain(..=end);
        self.searched = 0;
        true
    }

    /// Returns the remaining bytes.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Discards the remaining bytes.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.searched = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_out_whole_however_the_bytes_came_in() {
        let mut inbox = LineBuffer::default();
        let mut line = Vec::new();
        for byte in b"ab\n\ncd" {
            inbox.push(&[*byte]);
        }
        assert!(inbox.take_line(&mut line));
        assert_eq!(line, b"ab");
        assert!(inbox.take_line(&mut line));
        assert_eq!(line, b"");
        assert!(!inbox.take_line(&mut line));
        assert_eq!(inbox.bytes(), b"cd");
        inbox.push(b"\n");
        assert!(inbox.take_line(&mut line));
        assert_eq!(line, b"cd");
        assert_eq!(inbox.bytes(), b"");
    }
}
