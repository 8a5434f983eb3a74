//! The part of TOML that a `judge.toml` needs: `key = value`, where a value is a string, a
//! whole number or a list of strings, and comments.

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Text(String),
    Number(u64),
    List(Vec<String>),
}

/// A key with its value and its line, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) key: String,
    pub(super) value: Value,
    pub(super) line: usize,
}

/// Reads all pairs.
///
/// # Errors
/// When the text is not of this form; the message begins with the line.
pub(super) fn parse(text: &str) -> Result<Vec<Pair>, String> {
    let mut reader = Reader {
        rest: text.strip_prefix('\u{feff}').unwrap_or(text),
        line: 1,
    };
    let mut pairs: Vec<Pair> = Vec::new();
    loop {
        reader.skip_blank_lines();
        if reader.rest.is_empty() {
            return Ok(pairs);
        }
        let pair = reader
            .pair()
            .map_err(|reason| format!("line {}: {reason}", reader.line))?;
        if pairs.iter().any(|other| other.key == pair.key) {
            return Err(format!("line {}: {} is given twice", pair.line, pair.key));
        }
        pairs.push(pair);
    }
}

struct Reader<'a> {
    rest: &'a str,
    line: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.rest = &self.rest[c.len_utf8()..];
        if c == '\n' {
            self.line += 1;
        }
        Some(c)
    }

    fn skip(&mut self, blank: impl Fn(char) -> bool) {
        while self.peek().is_some_and(&blank) {
            self.next();
        }
    }

    fn skip_spaces(&mut self) {
        self.skip(|c| c == ' ' || c == '\t');
    }

    fn skip_blank_lines(&mut self) {
        loop {
            self.skip(|c| c.is_ascii_whitespace());
            if self.peek() != Some('#') {
                return;
            }
            self.skip(|c| c != '\n');
        }
    }

    fn pair(&mut self) -> Result<Pair, String> {
        let line = self.line;
        if self.peek() == Some('[') {
            return Err("there are no [sections]; write key = value".to_owned());
        }
        let length = self
            .rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-'))
            .unwrap_or(self.rest.len());
        let key = self.rest[..length].to_owned();
        self.rest = &self.rest[length..];
        self.skip_spaces();
        if key.is_empty() || self.peek() != Some('=') {
            return Err("expected key = value".to_owned());
        }
        self.next();
        self.skip_spaces();
        let value = self.value().map_err(|reason| format!("{key}: {reason}"))?;
        self.skip_spaces();
        match self.peek() {
            None | Some('\n' | '\r' | '#') => Ok(Pair { key, value, line }),
            Some(_) => Err(format!("{key}: more text after the value")),
        }
    }

    fn value(&mut self) -> Result<Value, String> {
        match self.peek() {
            Some('"' | '\'') => self.text().map(Value::Text),
            Some('[') => self.list().map(Value::List),
            Some('0'..='9') => {
                let digits = self.rest.find(|c: char| !c.is_ascii_digit() && c != '_');
                let (digits, rest) = self.rest.split_at(digits.unwrap_or(self.rest.len()));
                let number = digits.replace('_', "").parse();
                self.rest = rest;
                number
                    .map(Value::Number)
                    .map_err(|_| format!("{digits} is too large"))
            }
            _ => Err("expected a \"text\", a number or a [\"list\", \"of texts\"]".to_owned()),
        }
    }

    fn list(&mut self) -> Result<Vec<String>, String> {
        self.next();
        let mut texts = Vec::new();
        loop {
            self.skip_blank_lines();
            if self.peek() == Some(']') {
                self.next();
                return Ok(texts);
            }
            if !matches!(self.peek(), Some('"' | '\'')) {
                return Err(
                    "a list holds texts in quotes, with commas between, and ends with ]".to_owned(),
                );
            }
            texts.push(self.text()?);
            self.skip_blank_lines();
            match self.peek() {
                Some(',') => {
                    self.next();
                }
                Some(']') => {}
                _ => return Err("expected , or ] in the list".to_owned()),
            }
        }
    }

    fn text(&mut self) -> Result<String, String> {
        let quote = self.next();
        let mut text = String::new();
        loop {
            match self.peek() {
                None | Some('\n') => return Err("the closing quote is missing".to_owned()),
                c if c == quote => {
                    self.next();
                    return Ok(text);
                }
                Some('\\') if quote == Some('"') => {
                    self.next();
                    text.push(self.escape()?);
                }
                Some(c) => {
                    self.next();
                    text.push(c);
                }
            }
        }
    }

    fn escape(&mut self) -> Result<char, String> {
        let digits = match self.next() {
            Some('"') => return Ok('"'),
            Some('\\') => return Ok('\\'),
            Some('n') => return Ok('\n'),
            Some('t') => return Ok('\t'),
            Some('u') => 4,
            Some('U') => 8,
            _ => return Err("unknown escape; write \\\\ for a backslash".to_owned()),
        };
        let code = self.rest.get(..digits).unwrap_or_default();
        let c = u32::from_str_radix(code, 16).ok().and_then(char::from_u32);
        let c = c.ok_or_else(|| "\\u needs the hexadecimal digits of a character".to_owned())?;
        self.rest = &self.rest[digits..];
        Ok(c)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<(String, Value)> {
        let pairs = parse(text).expect("well-formed");
        pairs
            .into_iter()
            .map(|pair| (pair.key, pair.value))
            .collect()
    }

    #[test]
    fn texts_numbers_and_lists_are_read() {
        let text = "\u{feff}# a comment\r\nname = \"A \\\"bot\\\" \\u00e9 # no comment\" # one\r\n\ntokens=1_200\nrun = ['a b', \"c\",\n  # why\n  \"d\",\n]";
        let list = ["a b", "c", "d"].map(str::to_owned).to_vec();
        let expected = [
            ("name", Value::Text("A \"bot\" é # no comment".to_owned())),
            ("tokens", Value::Number(1200)),
            ("run", Value::List(list)),
        ];
        assert_eq!(values(text), expected.map(|(key, v)| (key.to_owned(), v)));
        assert_eq!(parse(text).expect("again")[2].line, 5);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        for (text, words) in [
            ("\nname", "line 2: expected key = value"),
            ("[bot]\n", "line 1: there are no [sections]"),
            ("a = 1\na = 2", "line 2: a is given twice"),
            ("a = \"x\nb = 1", "line 1: a: the closing quote is missing"),
            ("a = yes", "line 1: a: expected"),
            ("a = [1]", "line 1: a: a list holds texts"),
            ("a = [\"x\"", "line 1: a: expected , or ]"),
            ("a = \"\\q\"", "line 1: a: unknown escape"),
            ("a = \"\\ud800\"", "line 1: a: \\u needs"),
            (
                "a = 99999999999999999999",
                "line 1: a: 99999999999999999999 is too large",
            ),
            ("a = 1 2", "line 1: a: more text"),
            ("ü = 1", "line 1: expected key = value"),
        ] {
            let error = parse(text).expect_err(text);
            assert!(error.starts_with(words), "{error:?} for {text:?}");
        }
    }
}
