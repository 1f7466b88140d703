//! The forms of values in conditions.

use crate::conditions::{unknown, Input, Op, Test};
use crate::json::Value;
use crate::truth::{Range, Window, DAY};

/// Reads a list of texts, or one text.
pub fn texts(name: &str, value: &Value) -> Result<Vec<String>, String> {
    let items = match value {
        Value::List(all) => all.as_slice(),
        one => std::slice::from_ref(one),
    };
    let out: Option<Vec<String>> = items.iter().map(Value::scalar).collect();
    match out {
        Some(out) if !out.is_empty() => Ok(out),
        _ => Err(format!("{}: write a list of texts, with at least one", name)),
    }
}

pub fn number(name: &str, value: &Value) -> Result<f64, String> {
    value.number().ok_or_else(|| format!("{}: write a number", name))
}

pub fn switch(name: &str, value: &Value) -> Result<bool, String> {
    match value {
        Value::Truth(b) => Ok(*b),
        _ => Err(format!("{}: write true or false", name)),
    }
}

/// Reads {gte: 0.8}, or 0.8, which means the same.
pub fn score(label: &str, bounds: &Value) -> Result<Test, String> {
    let mut range = Range::default();
    if let Some(n) = bounds.number() {
        range.low = Some(n);
    } else if bounds.members().is_empty() {
        return Err(format!("detector.score.{}: write {{gte: 0.8}}", label));
    }
    for (name, v) in bounds.members() {
        let n = Some(number(name, v)?);
        match name.as_str() {
            "gt" | "gte" => {
                range.low = n;
                range.open_low = name == "gt";
            }
            "lt" | "lte" => {
                range.high = n;
                range.open_high = name == "lt";
            }
            _ => return Err(unknown(name, "a comparison")),
        }
    }
    Ok(Test { input: Input::Score, key: label.into(), op: Op::Range(range) })
}

/// Reads a span of time in seconds: 30d, or 1h30m.
pub fn span(name: &str, v: &Value) -> Result<f64, String> {
    let text = v.scalar().unwrap_or_default();
    let (mut seconds, mut digits) = (0.0, String::new());
    for c in text.chars() {
        let unit = match c {
            'd' => 86_400.0,
            'h' => 3600.0,
            'm' => 60.0,
            's' => 1.0,
            _ => {
                digits.push(c);
                continue;
            }
        };
        seconds += unit * digits.parse::<f64>().unwrap_or(f64::NAN);
        digits.clear();
    }
    if digits.is_empty() && seconds > 0.0 {
        return Ok(seconds);
    }
    Err(format!("{}: {:?} is not a span of time; write it as 30d or 12h", name, text))
}

const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/// Reads {days, from, to}.
pub fn window(v: &Value) -> Result<Window, String> {
    let mut w = Window { days: [true; 7], from: 0, to: DAY };
    for (name, v) in v.members() {
        match name.as_str() {
            "days" => {
                w.days = [false; 7];
                for day in texts("time.window.days", v)? {
                    let at = DAYS.iter().position(|d| *d == day);
                    w.days[at.ok_or_else(|| format!("time.window.days: {:?} is not a day; write mon to sun", day))?] = true;
                }
            }
            "from" => w.from = clock(v)?,
            "to" => w.to = clock(v)?,
            "tz" if v.scalar().as_deref() == Some("UTC") => {}
            "tz" => return Err("time.window.tz: a plugin has no time zones; write times in UTC".into()),
            _ => return Err(unknown(name, "a key of time.window")),
        }
    }
    if w.from == w.to {
        return Err("time.window: from and to are equal; leave both out for the whole day".into());
    }
    Ok(w)
}

/// Reads a time of the day in minutes.
fn clock(v: &Value) -> Result<usize, String> {
    let text = v.scalar().unwrap_or_default();
    let read = |(h, m): (&str, &str)| Some((h.parse::<usize>().ok()?, m.parse::<usize>().ok()?));
    match text.split_once(':').and_then(read) {
        Some((h, m)) if m < 60 && h * 60 + m <= DAY => Ok(h * 60 + m),
        _ => Err(format!("time.window: {:?} is not a time of the day; write it as \"08:00\"", text)),
    }
}
