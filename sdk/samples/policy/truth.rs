//! Three-valued truth, patterns, ranges and times of the week: what conditions compare with.

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Truth {
    No,
    Yes,
    Unknown,
}

use Truth::*;

impl Truth {
    pub fn of(b: bool) -> Truth {
        match b {
            true => Yes,
            false => No,
        }
    }

    pub fn and(self, other: Truth) -> Truth {
        match (self, other) {
            (No, _) | (_, No) => No,
            (Yes, Yes) => Yes,
            _ => Unknown,
        }
    }

    pub fn or(self, other: Truth) -> Truth {
        self.not().and(other.not()).not()
    }

    pub fn not(self) -> Truth {
        match self {
            No => Yes,
            Yes => No,
            Unknown => Unknown,
        }
    }

    /// What is true stays true when more becomes known; what is not may still become so.
    pub fn until(self, settled: bool) -> Truth {
        match (self, settled) {
            (No, false) => Unknown,
            _ => self,
        }
    }
}

/// Reports whether a name fits a pattern, in which * stands for any text and ? for any byte.
pub fn fits(pattern: &str, name: &str) -> bool {
    let (p, n) = (pattern.as_bytes(), name.as_bytes());
    let (mut i, mut k) = (0, 0);
    let mut back: Option<(usize, usize)> = None; // behind the last star, and where its text ends
    while k < n.len() {
        if i < p.len() && p[i] == b'*' {
            back = Some((i + 1, k));
            i += 1;
        } else if i < p.len() && (p[i] == b'?' || p[i] == n[k]) {
            i += 1;
            k += 1;
        } else if let Some((star, end)) = back {
            back = Some((star, end + 1));
            i = star;
            k = end + 1;
        } else {
            return false;
        }
    }
    p[i..].iter().all(|c| *c == b'*')
}

pub fn fits_any(patterns: &[String], name: &str) -> bool {
    patterns.iter().any(|p| fits(p, name))
}

/// Compares names of models: without regard to case, with azure/ for azure-openai/, and never a
/// model with the name of a tool or an agent (mcp/, a2a/).
pub fn fits_model(pattern: &str, model: &str) -> bool {
    let (p, m) = (spell_model(pattern), spell_model(model));
    let is_tool = |s: &str| s.starts_with("mcp/") || s.starts_with("a2a/");
    is_tool(&p) == is_tool(&m) && fits(&p, &m)
}

fn spell_model(name: &str) -> String {
    let name = name.to_lowercase();
    match name.strip_prefix("azure/") {
        Some(rest) if !rest.is_empty() => format!("azure-openai/{}", rest),
        _ => name,
    }
}

/// The name that a provider's alias stands for.
pub fn spell_provider(name: &str) -> &str {
    match name {
        "azure" => "azure-openai",
        _ => name,
    }
}

/// A range of numbers.
#[derive(Clone, Copy, Default)]
pub struct Range {
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// The bound itself is outside.
    pub open_low: bool,
    pub open_high: bool,
}

impl Range {
    pub fn above(low: f64) -> Range {
        Range { low: Some(low), open_low: true, ..Range::default() }
    }

    pub fn below(high: f64) -> Range {
        Range { high: Some(high), open_high: true, ..Range::default() }
    }

    pub fn holds(&self, v: f64) -> bool {
        !self.low.map_or(false, |low| v < low || self.open_low && v == low) && !self.exceeded(v)
    }

    /// The same for a number that can still grow, unless it is settled.
    pub fn holds_until(&self, v: f64, settled: bool) -> Truth {
        match () {
            _ if settled => Truth::of(self.holds(v)),
            _ if self.exceeded(v) => No,
            _ if self.high.is_none() => Truth::of(self.holds(v)).until(false),
            _ => Unknown,
        }
    }

    fn exceeded(&self, v: f64) -> bool {
        self.high.map_or(false, |high| v > high || self.open_high && v == high)
    }
}

pub const DAY: usize = 24 * 60;

/// A time of the day on some days of the week, in UTC. It may cross midnight; then it belongs to the
/// day on which it begins.
#[derive(Clone)]
pub struct Window {
    /// Monday first.
    pub days: [bool; 7],
    /// In minutes.
    pub from: usize,
    pub to: usize,
}

impl Window {
    pub fn holds(&self, now_ms: i64) -> bool {
        let minutes = (now_ms.max(0) / 60_000) as usize;
        let (day, at) = ((minutes / DAY + 3) % 7, minutes % DAY); // 1970 began on a Thursday
        if self.from < self.to {
            return self.days[day] && at >= self.from && at < self.to;
        }
        self.days[day] && at >= self.from || self.days[(day + 6) % 7] && at < self.to
    }
}
