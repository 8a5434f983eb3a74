//! Zips from people and from attackers.

use std::io::{Cursor, Write};
use zip::write::SimpleFileOptions;
use zip::{System, ZipWriter};

pub(crate) fn zip(files: &[(&str, &str, u32)]) -> Vec<u8> {
    packed(files.iter().map(|&(name, text, mode)| {
        let options = SimpleFileOptions::default().unix_permissions(mode);
        (name, text.as_bytes(), options)
    }))
}

fn packed<'a>(files: impl Iterator<Item = (&'a str, &'a [u8], SimpleFileOptions)>) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content, options) in files {
        writer.start_file(name, options).expect("in memory");
        writer.write_all(content).expect("in memory");
    }
    writer.finish().expect("in memory").into_inner()
}

/// Makes a zip as from a system that knows no modes.
pub(crate) fn windows_zip(files: &[(&str, &str)]) -> Vec<u8> {
    let options = SimpleFileOptions::default().system(System::Dos);
    let files = files.iter();
    packed(files.map(|&(name, text)| (name, text.as_bytes(), options)))
}

pub(crate) fn bomb(bytes: usize) -> Vec<u8> {
    let zeros = vec![0; bytes];
    packed([("zeros", &*zeros, SimpleFileOptions::default())].into_iter())
}

/// An entry of a zip, whether it makes sense or not.
#[derive(Clone, Copy)]
pub(crate) struct Raw<'a> {
    pub(crate) name: &'a [u8],
    pub(crate) content: &'a [u8],
    /// The file's type and mode, as on Unix.
    pub(crate) mode: u32,
    pub(crate) flags: u16,
    pub(crate) method: u16,
    /// The claimed size; `None` for the true one.
    pub(crate) claimed: Option<u32>,
}

impl<'a> Raw<'a> {
    pub(crate) const fn file(name: &'a [u8], content: &'a [u8]) -> Self {
        Self {
            name,
            content,
            mode: 0o100_755,
            flags: 0,
            method: 0,
            claimed: None,
        }
    }
}

/// Writes a zip byte by byte, without compression, for entries that no honest program writes.
pub(crate) fn raw_zip(entries: &[Raw<'_>]) -> Vec<u8> {
    let mut zip = Vec::new();
    let mut directory = Vec::new();
    let short = |number: usize| u16::try_from(number).expect("small").to_le_bytes();
    let long = |number: usize| u32::try_from(number).expect("small").to_le_bytes();
    for entry in entries {
        let start = zip.len();
        let size = entry
            .claimed
            .map_or(entry.content.len(), |size| size as usize);
        let mut common = Vec::new();
        common.extend(entry.flags.to_le_bytes());
        common.extend(entry.method.to_le_bytes());
        // Time and date: 1980-01-01.
        common.extend([0, 0, 0x21, 0]);
        common.extend(crc32(entry.content).to_le_bytes());
        common.extend(long(entry.content.len()));
        common.extend(long(size));
        common.extend([short(entry.name.len()), short(0)].concat());
        zip.extend(b"PK\x03\x04\x14\x00");
        zip.extend(&common);
        zip.extend(entry.name);
        zip.extend(entry.content);
        // Made by version 2.0 on Unix.
        directory.extend(b"PK\x01\x02\x14\x03\x14\x00");
        directory.extend(&common);
        directory.extend([0; 6]);
        directory.extend((entry.mode << 16).to_le_bytes());
        directory.extend(long(start));
        directory.extend(entry.name);
    }
    let start = zip.len();
    zip.extend(&directory);
    zip.extend(b"PK\x05\x06\0\0\0\0");
    zip.extend([short(entries.len()); 2].concat());
    zip.extend([long(directory.len()), long(start)].concat());
    zip.extend(short(0));
    zip
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg())
        })
    })
}
