//! Values under the comparison of a test.

use crate::conditions::Op;
use crate::facts::Label;
use crate::json::Value;
use crate::truth::{fits, fits_any, Truth};

/// Compares one text.
pub fn text(op: &Op, value: &str) -> Truth {
    match op {
        Op::In(list) => Truth::of(fits_any(list, value)),
        Op::NotIn(list) => Truth::of(!fits_any(list, value)),
        Op::Is(set) => Truth::of(!value.is_empty() == *set),
        _ => Truth::No,
    }
}

/// Compares a text that may be absent.
pub fn present(op: &Op, value: &str) -> Truth {
    Truth::of(!value.is_empty()).and(text(op, value))
}

pub fn flag(op: &Op, value: bool) -> Truth {
    Truth::of(matches!(op, Op::Is(set) if *set == value))
}

pub fn number(op: &Op, value: Option<f64>, settled: bool) -> Truth {
    match (op, value) {
        (Op::Range(r), Some(v)) => r.holds_until(v, settled),
        _ => Truth::No,
    }
}

pub fn list(op: &Op, values: &[String]) -> Truth {
    Truth::of(match op {
        Op::Any(globs) => values.iter().any(|v| fits_any(globs, v)),
        Op::Other(globs) => values.iter().any(|v| !fits_any(globs, v)),
        Op::All(globs) => globs.iter().all(|g| values.iter().any(|v| fits(g, v))),
        _ => false,
    })
}

/// Compares a value of metadata: a plain one, or a list of which one element matches.
pub fn value(op: &Op, v: &Value) -> Truth {
    match v {
        Value::List(all) => Truth::of(all.iter().any(|v| value(op, v) == Truth::Yes)),
        v => v.scalar().map_or(Truth::No, |s| text(op, &s)),
    }
}

/// Compares findings that have the score.
pub fn found(op: &Op, labels: &[Label], settled: bool) -> Truth {
    let (types, least, range) = match op {
        Op::Found { types, least, range } => (types, *least, range),
        _ => return Truth::No,
    };
    let counts = |l: &&Label| l.score as f32 >= least && (types.is_empty() || fits_any(types, &l.name));
    let n: f64 = labels.iter().filter(counts).map(|l| l.count).sum();
    match range {
        Some(range) => range.holds_until(n, settled),
        None => Truth::of(n > 0.0).until(settled),
    }
}
