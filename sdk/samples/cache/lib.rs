//! cache is the compiled-in stage `cache` as a plugin: it answers a request with the whole answer to
//! an equal one of the same tenant, with tool calls, choices, reasoning and usage, streamed if the
//! client asked for a stream. See README.md.

mod canonical;
#[path = "../../rust/headgate.rs"]
mod headgate;
mod settings;
mod sha256;

use canonical::Canonical;
use headgate::{annotate, field, Field, Phase};
use settings::Settings;

headgate::stage!(judge);
headgate::configure!(configure);

static mut SETTINGS: Settings = Settings::standard();

fn configure(json: &str) -> Result<(), String> {
    let read = settings::read(json)?;
    unsafe { SETTINGS = read };
    Ok(())
}

fn settings() -> &'static Settings {
    unsafe { &*std::ptr::addr_of!(SETTINGS) }
}

fn judge(phase: Phase, buffer: &mut Vec<u8>) -> Result<(), String> {
    match phase {
        Phase::Request => answer(buffer),
        Phase::Finish => store(buffer),
        _ => Ok(()),
    }
}

/// A field that the manifest asks for.
fn read(id: Field, name: &str) -> Result<String, String> {
    let mut buffer = Vec::new();
    let text = field(id, &mut buffer).ok_or_else(|| format!("the field {} is not granted", name))?;
    Ok(text.to_string())
}

/// The shapes in which the host takes an answer, and the members of a request that do not change it
/// unless an answer repeats them, as those of Responses do.
const SHAPES: [(&str, &[&str]); 8] = [
    (
        "openai.chat",
        &["stream", "user", "metadata", "safety_identifier", "prompt_cache_key", "prompt_cache_retention"],
    ),
    ("openai.completions", &["stream", "user"]),
    ("openai.embeddings", &["user"]),
    ("openai.responses", &["stream"]),
    ("anthropic.messages", &["stream", "metadata"]),
    ("anthropic.count_tokens", &[]),
    ("gemini.generate", &[]),
    ("gemini.count_tokens", &[]),
];

/// What precedes the answer in a stored value: a mark, and when it was stored.
pub const HEAD: usize = 4 + 8;
const MARK: &[u8; 4] = b"hgc1";

fn answer(buffer: &mut Vec<u8>) -> Result<(), String> {
    let task = read(Field::Task, "task")?;
    let dialect = read(Field::Dialect, "dialect")?;
    let shape = SHAPES.iter().find(|(name, _)| *name == dialect);
    let skip = match shape {
        Some((_, skip)) if ["answer", "embed", "count"].contains(&task.as_str()) => *skip,
        _ => return Ok(()),
    };
    let headers = read(Field::Headers, "headers")?;
    let control = Control::of(&headers);
    let stream = read(Field::Stream, "stream")? == "1";
    let miss = || {
        if !stream {
            annotate("x-cache", "MISS");
        }
        Ok(())
    };
    if !control.keep {
        return miss();
    }
    let body = match headgate::body(buffer) {
        Some(body) => body,
        None => return miss(), // the grant hides some of it, or there is none
    };
    let request = match Canonical::of(body, skip) {
        Some(request) if eligible(&request) => request,
        _ => return miss(),
    };
    let mut key = Vec::with_capacity(request.out.len() + 256);
    for part in [
        &settings().generation, &dialect, &control.telling, &read(Field::Stream, "stream")?, &read(Field::Model, "model")?,
        &read(Field::BareModel, "bare_model")?, &read(Field::Effort, "effort")?, &read(Field::TokenCap, "token_cap")?,
    ] {
        key.extend((part.len() as u32).to_le_bytes()); // two lists never look the same
        key.extend(part.as_bytes());
    }
    key.extend(&request.out);
    let key = sha256::hex_digest(&key);
    if !control.fresh && repeat(&key, control.age_ms, stream, buffer) {
        return Ok(());
    }
    headgate::keep(key.as_bytes());
    headgate::keep_answer(settings().max_entry);
    miss()
}

/// Answers with what is stored under a key, if it is young enough.
fn repeat(key: &str, age_ms: i64, stream: bool, buffer: &mut Vec<u8>) -> bool {
    let stored = match headgate::get(key, buffer) {
        Ok(Some(stored)) => stored,
        Ok(None) => return false,
        Err(_) => {
            annotate("cache.unavailable", "");
            return false;
        }
    };
    if stored.len() <= HEAD || !stored.starts_with(MARK) {
        return false;
    }
    let mut at = [0; 8];
    at.copy_from_slice(&stored[4..HEAD]);
    let age = (headgate::now_ms() - i64::from_le_bytes(at)).max(0);
    if age >= settings().ttl_ms {
        let _ = headgate::put(key, b"", 0); // it is asked for again
        return false;
    }
    if age_ms > 0 && age > age_ms {
        return false;
    }
    headgate::respond_body(&stored[HEAD..]);
    if !stream {
        annotate("x-cache", "HIT");
        annotate("age", &(age / 1000).to_string());
    }
    true
}

/// Reports whether a request may be answered from the cache.
fn eligible(request: &Canonical) -> bool {
    let set = |value: &[u8]| !value.is_empty() && value != b"null";
    if settings().single_only && set(&request.count) && request.count != b"1" {
        return false;
    }
    let most = match settings().max_temperature {
        Some(most) => most,
        None => return true,
    };
    if !set(&request.temperature) {
        return most >= 1.0; // the provider's default
    }
    match std::str::from_utf8(&request.temperature).map(str::parse::<f64>) {
        Ok(Ok(temperature)) => temperature <= most,
        _ => false,
    }
}

/// Stores the answer if it was served to its end.
fn store(buffer: &mut Vec<u8>) -> Result<(), String> {
    let key = String::from_utf8_lossy(headgate::kept(buffer)).into_owned();
    let status = read(Field::Status, "status")?;
    let served = read(Field::Outcome, "outcome")? == "served" && read(Field::Complete, "complete")? == "1";
    if key.is_empty() || !served || !(status.len() == 3 && status.starts_with('2')) {
        return Ok(());
    }
    if let Some(body) = headgate::body(buffer) {
        let mut value = MARK.to_vec();
        value.extend(headgate::now_ms().to_le_bytes());
        value.extend(body);
        let _ = headgate::put(&key, &value, settings().ttl_ms); // what is not stored is asked for again
    }
    Ok(())
}

/// What a client's headers say about the cache, and those that an answer depends on.
struct Control {
    fresh: bool,
    keep: bool,
    age_ms: i64,
    telling: String,
}

impl Control {
    /// Reads the field headers, {"Name":["value"]}, and ignores unknown words.
    fn of(headers: &str) -> Control {
        let mut c = Control { fresh: false, keep: true, age_ms: 0, telling: String::new() };
        let mut rest = headers;
        while let Some((name, behind)) = string(rest) {
            let end = behind.find('"').unwrap_or(0); // past :[
            let mut list = &behind[end..];
            while let Some((value, behind)) = string(list) {
                if name.ends_with("Cache-Control") {
                    value.split(',').for_each(|word| c.obey(&word.trim().to_ascii_lowercase()));
                } else {
                    c.telling.push_str(&format!("{} {} {}\n", name, value.len(), value));
                }
                list = behind;
                if !behind.starts_with(',') {
                    break; // the list ends
                }
            }
            rest = list;
        }
        c
    }

    fn obey(&mut self, word: &str) {
        match (word, word.strip_prefix("max-age=").map(str::parse::<i64>)) {
            ("no-cache", _) | (_, Some(Ok(0))) => self.fresh = true,
            ("no-store", _) => {
                self.fresh = true;
                self.keep = false;
            }
            (_, Some(Ok(n))) if n > 0 && n < 1 << 31 => self.age_ms = n * 1000,
            _ => {}
        }
    }
}

/// The next string of a JSON text as it is spelled, and what follows it.
fn string(json: &str) -> Option<(&str, &str)> {
    let start = json.find('"')? + 1;
    let bytes = json.as_bytes();
    let mut at = start;
    while *bytes.get(at)? != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    Some((&json[start..at], &json[at + 1..]))
}
