//! source-code finds lines that look like program code, in most languages that
//! are written in lines: Python, C and its family, Go, Rust, JavaScript, shell,
//! SQL. Every line is judged by itself, so that a streamed text gives what the
//! whole gives.

#[path = "../../rust/headgate.rs"]
mod headgate;
use headgate::{Flags, Spans};

headgate::detector!(find);

/// Longer lines are not judged: max_match of the manifest.
const LONGEST: usize = 400;
const SOURCE_CODE: u16 = 0;
const THRESHOLD: f32 = 0.6;

/// How a line of code begins, and how sure that makes.
const BEGINNINGS: &[(&str, f32)] = &[
    ("#include ", 0.9),
    ("#!/", 0.9),
    ("#define ", 0.9),
    ("<?php", 0.9),
    ("def ", 0.4),
    ("class ", 0.2),
    ("func ", 0.4),
    ("fn ", 0.4),
    ("pub ", 0.3),
    ("function ", 0.3),
    ("import ", 0.3),
    ("package ", 0.2),
    ("using ", 0.2),
    ("public ", 0.3),
    ("private ", 0.3),
    ("protected ", 0.3),
    ("static ", 0.2),
    ("const ", 0.3),
    ("let ", 0.2),
    ("var ", 0.3),
    ("int ", 0.3),
    ("void ", 0.3),
    ("return ", 0.2),
    ("if (", 0.3),
    ("} else", 0.6),
    ("else:", 0.6),
    ("elif ", 0.6),
    ("for (", 0.3),
    ("while (", 0.3),
    ("switch (", 0.3),
    ("try {", 0.5),
    ("except ", 0.3),
    ("SELECT ", 0.3),
    ("INSERT INTO ", 0.5),
    ("UPDATE ", 0.2),
    ("DELETE FROM ", 0.5),
    ("CREATE TABLE ", 0.6),
    ("$ ", 0.3),
];

/// What stands in a line of code, each counted once.
const PARTS: &[(&str, f32)] = &[
    ("();", 0.6),
    (");", 0.4),
    ("(self", 0.5),
    ("std::", 0.5),
    ("console.log", 0.6),
    ("=> {", 0.6),
    (") {", 0.5),
    ("):", 0.3),
    (" := ", 0.6),
    (" += ", 0.5),
    (" == ", 0.4),
    (" != ", 0.4),
    (" === ", 0.5),
    (" && ", 0.3),
    (" || ", 0.3),
    (" = ", 0.2),
    (" -> ", 0.3),
    ("[i]", 0.4),
    (" FROM ", 0.4),
    (" VALUES ", 0.4),
    (" WHERE ", 0.3),
    (" SET ", 0.3),
    ("()", 0.2),
    ("\", ", 0.1),
    (" | ", 0.1),
];

/// How a line of code ends.
const ENDS: &[(&str, f32)] = &[
    (";", 0.3),
    ("{", 0.3),
    ("}", 0.3),
    ("):", 0.2),
    ("};", 0.4),
    ("\\", 0.1),
];

/// Says how much a line, without its indentation, looks like code.
fn score(line: &str) -> f32 {
    let mut sum = 0.0;
    if let Some((_, weight)) = BEGINNINGS.iter().find(|(word, _)| line.starts_with(word)) {
        sum += weight;
    }
    if line.starts_with("from ") && line.contains(" import ") {
        sum += 0.7; // Python
    }
    for (word, weight) in PARTS {
        if line.contains(word) {
            sum += weight;
        }
    }
    if let Some((_, weight)) = ENDS
        .iter()
        .find(|(word, _)| line.trim_end().ends_with(word))
    {
        sum += weight;
    }
    f32::min(sum, 1.0)
}

fn find(text: &[u8], flags: Flags, spans: &mut Spans) {
    let mut at = 0;
    while at < text.len() {
        let begin = at;
        while at < text.len() && text[at] != b'\n' && text[at] != b'\r' {
            at += 1;
        }
        let end = at;
        at += 1;
        if begin == 0 && flags.before() || end == text.len() && flags.after() {
            continue; // not the whole line
        }
        let mut start = begin;
        while start < end && (text[start] == b' ' || text[start] == b'\t') {
            start += 1;
        }
        if end - start < 3 || end - start > LONGEST {
            continue;
        }
        if let Ok(line) = std::str::from_utf8(&text[start..end]) {
            let score = score(line);
            if score >= THRESHOLD {
                spans.emit(start, end, SOURCE_CODE, score);
            }
        }
    }
}
