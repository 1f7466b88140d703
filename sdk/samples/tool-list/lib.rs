//! tool-list refuses requests that offer the model a tool that is not on the
//! operator's list.
//!
//!     settings: {allow: [get_weather, search]}

#[path = "../../rust/headgate.rs"]
mod headgate;
use headgate::{deny, field, Field, Phase};

headgate::stage!(judge);
headgate::configure!(configure);

static mut ALLOWED: Option<Vec<String>> = None;

fn configure(json: &str) -> Result<(), String> {
    let list = json
        .trim()
        .strip_prefix('{')
        .and_then(|rest| rest.trim_start().strip_prefix("\"allow\""))
        .and_then(|rest| rest.trim_start().strip_prefix(':'))
        .and_then(|rest| rest.strip_suffix('}'))
        .and_then(strings);
    match list {
        Some(list) => unsafe { ALLOWED = Some(list) },
        None => {
            return Err(String::from(
                "write settings as {allow: [get_weather, search]}",
            ))
        }
    }
    Ok(())
}

/// Reads a JSON array of strings.
fn strings(json: &str) -> Option<Vec<String>> {
    let mut rest = json.trim().strip_prefix('[')?.strip_suffix(']')?.trim();
    let mut out = Vec::new();
    while !rest.is_empty() {
        let (word, behind) = string(rest.strip_prefix('"')?)?;
        out.push(word);
        rest = behind.trim_start();
        if !rest.is_empty() {
            rest = rest.strip_prefix(',')?.trim_start();
            if rest.is_empty() {
                return None;
            }
        }
    }
    Some(out)
}

/// Reads a string from behind its first quote; gives what stands behind it, too.
fn string(json: &str) -> Option<(String, &str)> {
    let mut out = String::new();
    let mut chars = json.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((out, &json[at + 1..])),
            '\\' => match chars.next()?.1 {
                'n' => out.push('\n'),
                't' => out.push('\t'),
                'r' => out.push('\r'),
                'b' => out.push('\u{8}'),
                'f' => out.push('\u{c}'),
                'u' => {
                    let mut code = 0;
                    for _ in 0..4 {
                        code = code * 16 + chars.next()?.1.to_digit(16)?;
                    }
                    out.push(char::from_u32(code)?);
                }
                other => out.push(other),
            },
            c => out.push(c),
        }
    }
    None
}

fn judge(phase: Phase, buffer: &mut Vec<u8>) -> Result<(), String> {
    if phase != Phase::Request {
        return Ok(());
    }
    let allowed = match unsafe { &*std::ptr::addr_of!(ALLOWED) } {
        Some(list) => list,
        None => return Err(String::from("there are no settings")),
    };
    let tools = field(Field::Tools, buffer).ok_or("the field tools is not granted")?;
    if tools.is_empty() {
        return Ok(());
    }
    let tools = strings(tools).ok_or("the names of the tools could not be read")?;
    if tools.iter().any(|tool| !allowed.contains(tool)) {
        deny(
            "POLICY_DENIED",
            "The request offers a tool that is not allowed here.",
        );
    }
    Ok(())
}
