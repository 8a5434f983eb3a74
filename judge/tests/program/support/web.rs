//! A small static web server on the loopback address, like one for published folders.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// A request for this path gets nothing, and makes the next folder replace the served one.
const NEXT: &str = "/-next";
pub(crate) const SITE: &str = "/contest/";

#[derive(Default)]
struct State {
    /// The folders; the first one is served.
    folders: Vec<PathBuf>,
    asked: Vec<String>,
}

pub(crate) struct Web {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
}

impl Web {
    pub(crate) fn serve(folders: &[&Path]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("bound");
        let state = Arc::new(Mutex::new(State {
            folders: folders.iter().map(|one| (*one).to_owned()).collect(),
            ..State::default()
        }));
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&shared);
                // A browser opens connections that it does not use.
                std::thread::spawn(move || answer(&stream, &shared));
            }
        });
        Self { address, state }
    }

    pub(crate) fn url(&self, name: &str) -> String {
        format!("http://{}{SITE}{name}", self.address)
    }

    /// Lists the paths requested, except [`NEXT`] and the icon that every browser asks for.
    pub(crate) fn asked(&self) -> Vec<String> {
        let state = self.state.lock().expect("unpoisoned");
        state.asked.clone()
    }
}

fn answer(stream: &TcpStream, state: &Mutex<State>) {
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    if reader.read_line(&mut first).is_err() {
        return;
    }
    let mut line = String::new();
    while reader.read_line(&mut line).is_ok_and(|bytes| bytes > 2) {
        line.clear();
    }
    let path = first.split(' ').nth(1).unwrap_or_default();
    let path = path.split('?').next().unwrap_or_default();
    let file = {
        let mut state = state.lock().expect("unpoisoned");
        if path == NEXT {
            state.folders.remove(0);
        } else if !path.is_empty() && path != "/favicon.ico" {
            state.asked.push(path.to_owned());
        }
        let name = path.strip_prefix(SITE);
        name.map(|name| state.folders[0].join(name))
    };
    let content = file.and_then(|file| std::fs::read(file).ok());
    let is_page = Path::new(path).extension() == Some("html".as_ref());
    let kind = ["application/json", "text/html"][usize::from(is_page)];
    let (status, body) = content.map_or(("404 Not Found", Vec::new()), |body| ("200 OK", body));
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    let mut stream = stream;
    let _ = stream.write_all(head.as_bytes());
    let _ = stream.write_all(&body);
}
