//! image-guard takes images of other houses out of answers: a model that was talked
//! into it writes what it knows into the address of an image, and the reader's own
//! program fetches it. Images in Markdown, ![text](address), pass when their host is on
//! the operator's list. An answer that streams waits no longer than an image is long.
//!
//!     settings: {hosts: "img.example.com cdn.example.com"}

#[path = "../../rust/headgate.rs"]
mod headgate;
use headgate::{annotate, Held};

headgate::filter!(follow);
headgate::configure!(configure);

static mut HOSTS: Vec<String> = Vec::new();

fn configure(json: &str) -> Result<(), String> {
    let list = json
        .trim()
        .strip_prefix('{')
        .and_then(|rest| rest.trim_start().strip_prefix("\"hosts\""))
        .and_then(|rest| rest.trim_start().strip_prefix(':'))
        .and_then(|rest| rest.trim_start().strip_prefix('"'))
        .and_then(|rest| rest.strip_suffix('}'))
        .and_then(|rest| rest.trim_end().strip_suffix('"'));
    let plain = |c: char| c.is_ascii_alphanumeric() || "-. ".contains(c);
    match list {
        Some(hosts) if hosts.chars().all(plain) => {
            let hosts = hosts.split_whitespace().map(str::to_ascii_lowercase);
            unsafe { HOSTS = hosts.collect() };
            Ok(())
        }
        None if json.trim() == "{}" => Ok(()), // no image is one of ours
        _ => Err(String::from(
            "write settings as {hosts: \"img.example.com cdn.example.com\"}",
        )),
    }
}

/// The longest image, in bytes. A longer one loses its "!", which makes it a link: the
/// reader decides whether to follow it.
const LONGEST: usize = 4096;

enum Image<'a> {
    None,
    Open,
    TooLong,
    Whole { address: &'a str, end: usize },
}

/// Reads an image from its "![" on. What it says depends on the text alone, not on how
/// much of it has come.
fn image(text: &str) -> Image {
    let bytes = &text.as_bytes()[..text.len().min(LONGEST)];
    let mut address = 0;
    for i in 2..bytes.len() {
        match (bytes[i - 1], bytes[i]) {
            (b'\n', b'\n') => return Image::None,
            (b']', b'(') if address == 0 => address = i + 1,
            (_, b')') if address > 0 => {
                let address = &text[address..i];
                return Image::Whole { address, end: i + 1 };
            }
            _ => {}
        }
    }
    if bytes.len() == LONGEST {
        return Image::TooLong;
    }
    Image::Open
}

/// Reports whether an address leads to a host that is not on the list. One without a
/// host, such as a data: address, leads nowhere.
fn foreign(address: &str) -> bool {
    let address = address.trim_start().trim_start_matches('<');
    let rest = match address.find("//") {
        Some(at) => &address[at + 2..],
        None => return false,
    };
    let end = rest.find(|c: char| "/?#\\ \n\t>\"".contains(c));
    let host = &rest[..end.unwrap_or(rest.len())];
    let host = host.rsplit('@').next().unwrap_or(host);
    let host = host.split(':').next().unwrap_or(host).to_ascii_lowercase();
    !unsafe { &*std::ptr::addr_of!(HOSTS) }.contains(&host)
}

/// Set once the answer is labelled. Each answer has an instance to itself, and a call may
/// annotate 32 times only.
static mut NOTED: bool = false;

fn note() {
    if !unsafe { NOTED } {
        annotate("foreign_image", "");
        unsafe { NOTED = true };
    }
}

fn follow(held: Held) -> Result<usize, String> {
    let text = held.text;
    let mut at = 0;
    while let Some(next) = text[at..].find("![") {
        let start = at + next;
        at = start + 2;
        match image(&text[start..]) {
            Image::Open if !held.last => return Ok(text.len() - start),
            Image::Whole { address, end } => {
                if foreign(address) {
                    held.edit(start, start + end, "[image removed]");
                    note();
                }
                at = start + end;
            }
            Image::TooLong => {
                held.edit(start, start + 1, "");
                note();
            }
            _ => {}
        }
    }
    let begins = !held.last && text.ends_with('!');
    Ok(begins as usize)
}
