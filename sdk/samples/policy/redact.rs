//! Values that other links found, and that rules take out of texts.

use crate::actions::Action;
use crate::evaluate::Result;
use crate::facts::Facts;
use crate::headgate::{self, Field, Held};
use crate::rules::Rule;
use crate::truth::fits;

/// Where a link found a value, as the host lists it.
struct Place {
    number: u32,
    label: String,
    personal: bool,
    start: usize,
    end: usize,
    /// Its text was sent.
    late: bool,
    /// More text may belong to it.
    open: bool,
}

fn list_places(f: &mut Facts) -> Result<Vec<Place>> {
    let list = f.json(Field::Places)?;
    let read = |(number, v): (usize, &crate::json::Value)| {
        let flag = |name: &str| v.get(name) == &crate::json::Value::Truth(true);
        let offset = |name: &str| v.get(name).number().unwrap_or(0.0) as usize;
        Place {
            number: number as u32,
            label: v.get("type").scalar().unwrap_or_default(),
            personal: v.get("kind").scalar().as_deref() == Some("pii"),
            start: offset("start"),
            end: offset("end"),
            late: flag("late"),
            open: flag("open"),
        }
    };
    Ok(list.items().iter().enumerate().map(read).collect())
}

/// Reports whether a rule takes a value out: matching personal data, or any label that it names in full and that can name a placeholder.
fn wants(r: &Rule, p: &Place) -> bool {
    let plain = |(k, c): (usize, char)| c.is_ascii_uppercase() || k > 0 && (c.is_ascii_digit() || c == '_');
    let types = match &r.action {
        Action::Redact(types) => types,
        _ => return false,
    };
    let valid = !p.label.is_empty() && p.label.chars().enumerate().all(plain);
    valid && types.iter().any(|t| fits(t, &p.label) && (p.personal || *t == p.label))
}

/// The first of the rules that takes a value out.
fn find_rule(places: &[usize], p: &Place) -> Option<usize> {
    places.iter().copied().find(|r| wants(&crate::rules()[*r], p))
}

/// Takes values out of the texts of this call.
pub fn redact_all(rules: &[usize], f: &mut Facts) -> Result<()> {
    for p in list_places(f)? {
        if find_rule(rules, &p).is_some() {
            headgate::redact_found(p.number); // one that overlaps another is gone with it
        }
    }
    Ok(())
}

/// What becomes of a text of an answer.
pub enum Outcome {
    /// So many bytes at its end wait for more text.
    Holds(usize),
    /// A value of this type was found when its text had been sent.
    Late(String),
}

/// Takes values out of a text of an answer, with the rules that do it by place. Values that are not complete wait, and so do those
/// that overlap them.
pub fn redact_held(held: &Held, rules: &[usize], f: &mut Facts) -> Result<Outcome> {
    if rules.is_empty() {
        return Ok(Outcome::Holds(0));
    }
    let places = list_places(f)?;
    let mut clear = held.text.len();
    for p in places.iter().rev() {
        if p.start < clear && (p.open || p.end > clear) && find_rule(rules, p).is_some() {
            clear = p.start;
        }
    }
    for p in &places {
        let rule = match find_rule(rules, p) {
            Some(rule) => rule,
            None => continue,
        };
        if p.late {
            return Ok(Outcome::Late(p.label.clone()));
        }
        if p.end <= clear && headgate::redact_found(p.number) {
            f.kept.record(rule);
        }
    }
    Ok(Outcome::Holds(held.text.len() - clear))
}
