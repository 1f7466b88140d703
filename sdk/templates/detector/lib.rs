//! @NAME@ finds card numbers: 16 digits in a row, not inside a longer word or
//! number, whose checksum (Luhn) is right.

mod headgate;
use headgate::{past, until, Flags, Spans};

headgate::detector!(find);

const LENGTH: usize = 16;
const CARD_NUMBER: u16 = 0;

fn word(c: u8) -> bool {
    c.is_ascii_alphanumeric() || c == b'_'
}

/// Adds every digit, every second one from the left doubled.
fn checksum(digits: &[u8]) -> bool {
    let mut sum = 0u32;
    for (i, c) in digits.iter().enumerate() {
        let d = (c - b'0') as u32;
        sum += match i % 2 {
            0 if d > 4 => 2 * d - 9,
            0 => 2 * d,
            _ => d,
        };
    }
    sum % 10 == 0
}

fn find(text: &[u8], flags: Flags, spans: &mut Spans) {
    let mut at = 0;
    loop {
        let start = until(text, at, b'0', b'9');
        if start == text.len() {
            return;
        }
        at = past(text, start, b'0', b'9');
        if at - start != LENGTH {
            continue;
        }
        let begins = if start > 0 {
            !word(text[start - 1])
        } else {
            !flags.before()
        };
        let ends = if at < text.len() {
            !word(text[at])
        } else {
            !flags.after()
        };
        if begins && ends && checksum(&text[start..at]) {
            spans.emit(start, at, CARD_NUMBER, 1.0);
        }
    }
}
