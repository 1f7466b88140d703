//! The effects of rules that fired, through the imports of the host.

use crate::actions::Action;
use crate::evaluate::{eval_requirement, Result};
use crate::facts::{Facts, Moment};
use crate::headgate::{self, annotate, Field};
use crate::redact::redact_all;
use crate::rules::{Point, Rule};
use crate::truth::Truth;

/// The most rules that the host records in one call.
const MOST_TOLD: usize = 64;

/// Carries out the rules that fired, together. It reports whether one denies.
pub fn carry_out(fired: &[usize], f: &mut Facts) -> Result<bool> {
    let all = crate::rules();
    let (mut denier, mut route, mut cap) = (None, None, None);
    let fresh: Vec<usize> = fired.iter().copied().filter(|p| !f.kept.told(*p)).take(MOST_TOLD).collect();
    let mut warned = all.iter().enumerate().any(|(p, r)| matches!(r.action, Action::Warn(_)) && f.kept.told(p));
    for place in &fresh {
        headgate::rule(&all[*place].label, "");
        f.kept.tell(*place);
        if let (Action::Warn(message), false) = (&all[*place].action, warned) {
            warned = true;
            warn(message);
        }
    }
    if !fresh.is_empty() || f.moment == Moment::Request {
        f.kept.store();
    }
    for place in fired.iter().copied() {
        let r = &all[place];
        let denies = match &r.action {
            Action::Deny => true,
            a if a.requires() => eval_requirement(a, f)? == Truth::No,
            Action::Cap(n) => {
                cap = Some(cap.map_or(*n, |c: i64| c.min(*n)));
                false
            }
            Action::Route { .. } => {
                if route.map_or(true, |other: usize| r.priority > all[other].priority) {
                    route = Some(place);
                }
                false
            }
            _ => false,
        };
        if denies && denier.map_or(true, |other: usize| comes_before(r, &all[other])) {
            denier = Some(place);
        }
    }
    if let Some(place) = denier {
        headgate::deny("POLICY_DENIED", &all[place].denial);
        return Ok(true);
    }
    if let Some(place) = route {
        apply_route(&all[place], fresh.contains(&place), f)?;
    }
    if let Some(n) = cap {
        headgate::cap_tokens(n);
    }
    if f.moment <= Moment::Target {
        redact_all(fired, f)?; // answers are redacted text by text
    }
    Ok(false)
}

/// Reports whether a later rule is reported rather than an earlier one: the platform's, then that of higher priority.
fn comes_before(later: &Rule, earlier: &Rule) -> bool {
    later.tenant.is_empty() == earlier.tenant.is_empty() && later.priority > earlier.priority
}

/// The longest value of a header that the host takes.
const LONGEST_HEADER: usize = 256;

/// Sets the headers of WARN_AGENT. Bytes other than printable ASCII become blanks.
fn warn(message: &str) {
    annotate("x-budget-warning", "true");
    let plain = |b: u8| if (b' '..=b'~').contains(&b) { b as char } else { ' ' };
    let value: String = message.bytes().take(LONGEST_HEADER).map(plain).collect();
    if !value.is_empty() {
        annotate("x-budget-warning-message", &value);
    }
}

/// Routes a request. Behind the choice of the target it is too late for that.
fn apply_route(r: &Rule, fresh: bool, f: &mut Facts) -> Result<()> {
    let (model, provider, region) = match &r.action {
        Action::Route { model, provider, region } => (model, provider, region),
        _ => return Ok(()),
    };
    if f.moment != Moment::Request {
        if fresh && r.at == Point::Content {
            headgate::rule("route_too_late", "");
        }
        return Ok(());
    }
    let mut name = model.clone();
    if !provider.is_empty() {
        let bare = if model.is_empty() { f.get(Field::BareModel)? } else { model.clone() };
        name = format!("{}/{}", provider, bare);
    }
    match region.is_empty() {
        true => headgate::set_model(&name),
        false => headgate::route(&name, region, 1),
    }
    Ok(())
}
