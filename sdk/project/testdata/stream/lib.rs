mod headgate;
use headgate::{Flags, Spans, Stream};

headgate::detector!(find);
headgate::stream!(follow);

const WORD: &[u8] = b"secret";
static mut PARTS: Vec<(u32, usize)> = Vec::new();

fn find(text: &[u8], flags: Flags, spans: &mut Spans) {
    for (i, word) in text.windows(6).enumerate() {
        if word == WORD && (i + 6 < text.len() || !flags.after()) {
            spans.emit(i, i + 6, 0, 1.0);
        }
    }
}

fn follow(part: u32, told: Stream, spans: &mut Spans) -> bool {
    let parts = unsafe { &mut *std::ptr::addr_of_mut!(PARTS) };
    match told {
        Stream::Open(_) => parts.push((part, 0)),
        Stream::Close => parts.retain(|p| p.0 != part),
        Stream::Push(text) => {
            let at = parts.iter().position(|p| p.0 == part).unwrap();
            let held = parts[at].1;
            let mut seen = held;
            for (k, c) in text.iter().enumerate() {
                seen = if *c == WORD[seen] { seen + 1 } else { (*c == b's') as usize };
                if seen == 6 {
                    spans.emit(held + k + 1 - 6, held + k + 1, 0, 1.0);
                    seen = 0;
                }
            }
            parts[at].1 = seen;
            if held + text.len() > seen {
                spans.decided(held + text.len() - seen);
            }
        }
    }
    true
}
