pub fn first(line: &str) -> u8 {
    let (_, rest) = line.split_once("\"legal\":[").unwrap();
    rest.as_bytes()[0] - b'0'
}
