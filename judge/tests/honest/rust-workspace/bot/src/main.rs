use std::io::{stdin, BufRead};

fn main() {
    for line in stdin().lock().lines() {
        let line = line.unwrap();
        if line.starts_with("{\"turn\"") {
            println!("{{\"move\":{}}}", rules::first(&line));
        } else if !line.starts_with("{\"end\"") {
            println!("{{\"ready\":{{\"legal_moves\":true}}}}");
        }
    }
}
