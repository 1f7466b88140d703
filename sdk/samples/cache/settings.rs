//! The settings: those of the stage `cache` that concern what is kept and for how long.

#[derive(Clone)]
pub struct Settings {
    pub ttl_ms: i64,
    pub max_entry: u32,
    pub max_temperature: Option<f64>,
    pub single_only: bool,
    pub generation: String,
}

impl Settings {
    pub const fn standard() -> Settings {
        Settings {
            ttl_ms: 3_600_000,
            max_entry: MAX_ENTRY,
            max_temperature: None,
            single_only: false,
            generation: String::new(),
        }
    }
}

/// The longest answer that fits into a value of the state.
const MAX_ENTRY: u32 = (1 << 20) - crate::HEAD as u32;

/// Reads the settings, an object of plain values.
pub fn read(json: &str) -> Result<Settings, String> {
    let mut s = Settings::standard();
    for (name, value) in members(json).ok_or("settings are an object of plain values")? {
        match (name.as_str(), value) {
            ("store", Value::Text(t)) if t == "memory" || t == "shared" => {}
            ("store", Value::Text(t)) => return Err(format!("store {:?}: write memory or shared", t)),
            ("generation", Value::Text(t)) => s.generation = t,
            ("single_only", Value::Truth(b)) => s.single_only = b,
            ("ttl", Value::Text(t)) => match duration(&t) {
                Some(ms) if ms > 0 && ms <= 30 * 24 * 3_600_000 => s.ttl_ms = ms,
                _ => return Err("ttl: write a time from 1ms to 720h, such as 1h".into()),
            },
            ("max_entry_bytes", Value::Number(n)) if n >= 1.0 && n <= MAX_ENTRY as f64 => s.max_entry = n as u32,
            ("max_entry_bytes", _) => return Err(format!("max_entry_bytes: write 1 to {}", MAX_ENTRY)),
            ("max_temperature", Value::Number(n)) if (0.0..=2.0).contains(&n) => s.max_temperature = Some(n),
            ("max_temperature", _) => return Err("max_temperature: write a number from 0 to 2, or omit it".into()),
            (name, _) => {
                return Err(format!(
                    "{}: write store, ttl, max_entry_bytes, max_temperature, single_only or generation, with values of the stage cache",
                    name
                ))
            }
        }
    }
    Ok(s)
}

/// Reads a time as Go writes one: 1h30m, 250ms.
fn duration(text: &str) -> Option<i64> {
    let (sign, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text),
    };
    let mut ms = 0.0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let n: f64 = rest[..digits].parse().ok()?;
        rest = &rest[digits..];
        let units = [("ms", 1.0), ("h", 3_600_000.0), ("m", 60_000.0), ("s", 1000.0)];
        let (unit, worth) = units.iter().find(|(unit, _)| rest.starts_with(unit))?;
        ms += n * worth;
        rest = &rest[unit.len()..];
    }
    (!text.is_empty()).then(|| (sign * ms) as i64)
}

pub enum Value {
    Text(String),
    Number(f64),
    Truth(bool),
}

/// Reads the members of a JSON object whose values are plain.
fn members(json: &str) -> Option<Vec<(String, Value)>> {
    let mut out = Vec::new();
    let mut rest = json.trim().strip_prefix('{')?.trim_start();
    while !rest.starts_with('}') {
        let (name, behind) = string(rest)?;
        let behind = behind.trim_start().strip_prefix(':')?.trim_start();
        let (value, behind) = value(behind)?;
        out.push((name, value));
        let behind = behind.trim_start();
        rest = behind.strip_prefix(',').unwrap_or(behind).trim_start();
    }
    Some(out)
}

fn value(json: &str) -> Option<(Value, &str)> {
    if json.starts_with('"') {
        let (text, rest) = string(json)?;
        return Some((Value::Text(text), rest));
    }
    let end = json.find(|c: char| c == ',' || c == '}' || c.is_whitespace())?;
    let value = match &json[..end] {
        "true" => Value::Truth(true),
        "false" => Value::Truth(false),
        number => Value::Number(number.parse().ok()?),
    };
    Some((value, &json[end..]))
}

/// Reads a string without escapes, which none of the settings needs.
fn string(json: &str) -> Option<(String, &str)> {
    let rest = json.strip_prefix('"')?;
    let end = rest.find('"')?;
    let text = &rest[..end];
    (!text.contains('\\')).then(|| (text.to_string(), &rest[end + 1..]))
}
