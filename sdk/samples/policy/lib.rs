//! policy is the compiled-in stage `policy` as a plugin: it evaluates the policies in its settings,
//! with the stage's order, exemptions and three-valued conditions. See README.md.

mod act;
mod actions;
mod compare;
mod conditions;
mod evaluate;
mod facts;
mod forms;
#[path = "../../rust/headgate.rs"]
mod headgate;
mod json;
mod rules;
mod truth;

use evaluate::{eval_rule, Result};
use facts::{Facts, Moment};
use headgate::{Field, Held, Phase};
use rules::{Point, Rule};
use truth::Truth;

headgate::stage!(judge);
headgate::filter!(follow);
headgate::configure!(configure);

static mut RULES: Vec<Rule> = Vec::new();
/// How many bytes of the answer this instance has seen: it sees one answer.
static mut SEEN: u64 = 0;

fn configure(json: &str) -> Result<()> {
    let read = rules::read(json)?;
    unsafe { RULES = read };
    Ok(())
}

pub fn rules() -> &'static [Rule] {
    unsafe { &*std::ptr::addr_of!(RULES) }
}

fn judge(phase: Phase, _: &mut Vec<u8>) -> Result<()> {
    let moment = match phase {
        Phase::Request => Moment::Request,
        Phase::Target => Moment::Target,
        Phase::StreamEnd => Moment::End,
        _ => return Ok(()),
    };
    decide(moment)
}

/// Follows an answer without holding it back.
fn follow(held: Held) -> std::result::Result<usize, String> {
    unsafe { SEEN += held.text.len() as u64 };
    if rules().iter().any(|r| r.at == Point::Answer) {
        decide(Moment::Answer)?;
    }
    Ok(0)
}

/// Reports whether a rule is asked at a moment. At the target the model may have another name.
fn is_asked(r: &Rule, moment: Moment) -> bool {
    match moment {
        Moment::Request => r.at <= Point::Content,
        Moment::Target => r.at == Point::Content || r.at == Point::Target || r.asks_for_model(),
        Moment::Answer | Moment::End => r.at == Point::Answer,
    }
}

fn decide(moment: Moment) -> Result<()> {
    let all = rules();
    if !all.iter().any(|r| is_asked(r, moment)) && moment != Moment::Request {
        return Ok(());
    }
    let mut f = Facts::new(moment);
    f.answer_bytes = unsafe { SEEN };
    if moment == Moment::Answer && f.get(Field::Stream)? == "0" {
        f.moment = Moment::End; // a whole answer comes at once
    }
    if moment == Moment::Request {
        f.read_request()?;
    }
    let tenant = f.get(Field::Tenant)?;
    let mut fired = Vec::new();
    for (place, r) in all.iter().enumerate() {
        let concerned = r.tenant.is_empty() || r.tenant == tenant;
        if concerned && is_asked(r, moment) && eval_rule(r, &mut f)? == Truth::Yes && !is_exempted(r, &tenant, &mut f)? {
            fired.push(place);
        }
    }
    act::carry_out(&fired, &mut f)
}

/// Reports whether an ALLOW rule takes a rule out. Where detectors still look at the request, an exemption that
/// depends on them may come later, and the rule waits for it.
fn is_exempted(r: &Rule, tenant: &str, f: &mut Facts) -> Result<bool> {
    for place in &r.exempted_by {
        let allow = &rules()[*place];
        if !allow.tenant.is_empty() && allow.tenant != tenant {
            continue;
        }
        match eval_rule(allow, f)? {
            Truth::Yes => return Ok(true),
            Truth::Unknown if f.moment == Moment::Request && allow.at <= Point::Content => return Ok(true),
            _ => {}
        }
    }
    Ok(false)
}
