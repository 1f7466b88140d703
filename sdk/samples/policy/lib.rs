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
mod redact;
mod rules;
mod truth;

use evaluate::{eval_rule, Result};
use actions::Action;
use conditions::Input;
use facts::{Facts, Moment};
use headgate::{Field, Held, Phase};
use redact::{redact_held, Outcome};
use rules::{Point, Rule};
use truth::Truth;

headgate::stage!(judge);
headgate::filter!(follow);
headgate::configure!(configure);

static mut RULES: Vec<Rule> = Vec::new();
/// The answer that this instance sees: it sees one.
static mut ANSWER: Answer = Answer { bytes: 0, held: Vec::new(), redacting: None };

struct Answer {
    /// Of its texts so far.
    bytes: u64,
    /// How many bytes of each part wait.
    held: Vec<(u32, usize)>,
    /// The places of the rules that redact a stream: those that fire or might. What depends on the rest of the answer is only known when
    /// the text has been sent, so they redact from the beginning.
    redacting: Option<Vec<usize>>,
}

impl Answer {
    /// The one of this instance, which makes one call at a time.
    fn get() -> &'static mut Answer {
        unsafe { &mut *std::ptr::addr_of_mut!(ANSWER) }
    }

    /// Counts the bytes of a text that are new, and records how many wait from then on.
    fn hold(&mut self, part: u32, bytes: usize) {
        self.held.retain(|(p, _)| *p != part);
        self.held.push((part, bytes));
    }

    fn count(&mut self, held: &Held) {
        let waited = self.held.iter().find(|(p, _)| *p == held.part).map_or(0, |(_, n)| *n);
        self.bytes += (held.text.len() - waited.min(held.text.len())) as u64;
    }
}

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
    let mut f = Facts::new(moment);
    decide(&mut f)?;
    if moment <= Moment::Target && withholds(&mut f)? {
        headgate::withhold();
    }
    Ok(())
}

/// Follows an answer. It holds back only values that a rule redacts and that are not complete.
fn follow(held: Held) -> std::result::Result<usize, String> {
    let answer = Answer::get();
    answer.count(&held);
    if !rules().iter().any(|r| r.at == Point::Answer) {
        return Ok(0);
    }
    let mut f = Facts::new(Moment::Answer);
    let fired = match decide(&mut f)? {
        Some(fired) => fired,
        None => return Ok(0), // denied
    };
    if f.moment == Moment::Answer && answer.redacting.is_none() {
        answer.redacting = Some(list_redacting(&mut f)?);
    }
    let redacting = match (&answer.redacting, f.moment) {
        (Some(rules), Moment::Answer) => rules,
        _ => &fired,
    };
    match redact_held(&held, redacting, &mut f)? {
        Outcome::Holds(bytes) => {
            answer.hold(held.part, bytes);
            Ok(bytes)
        }
        Outcome::Late(label) => {
            let message = format!("a policy takes {} out of answers, and one was found when its text had been sent", label);
            headgate::deny("POLICY_DENIED", &message);
            Ok(0)
        }
    }
}

/// The places of the rules that fire for a streamed answer, or may fire when more of it is known.
fn list_redacting(f: &mut Facts) -> Result<Vec<usize>> {
    let moment = std::mem::replace(&mut f.moment, Moment::Target); // nothing of the answer is known
    let all = rules().iter().enumerate();
    let list = all.filter(|(_, r)| r.at == Point::Answer && matches!(r.action, Action::Redact(_)));
    let may: Result<Vec<(usize, bool)>> = list.map(|(place, r)| Ok((place, may_fire(r, f)?))).collect();
    f.moment = moment;
    Ok(may?.into_iter().filter(|(_, may)| *may).map(|(place, _)| place).collect())
}

/// Reports whether a streamed answer must wait because a rule may deny it for its finish reason. Rules on the target are asked when there is one.
fn withholds(f: &mut Facts) -> Result<bool> {
    for r in rules() {
        let asked = r.at == Point::Answer && matches!(r.action, Action::Deny) && r.asks_for(|i| i == Input::Finish);
        let later = f.moment == Moment::Request && r.asks_for(Input::of_target);
        if asked && !later && may_fire(r, f)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Reports whether a rule fires by what is known, or may fire by what is not. Only a rule that certainly fires exempts from it.
fn may_fire(r: &Rule, f: &mut Facts) -> Result<bool> {
    let tenant = f.get(Field::Tenant)?;
    if !r.tenant.is_empty() && r.tenant != tenant || eval_rule(r, f)? == Truth::No {
        return Ok(false);
    }
    for place in &r.exempted_by {
        let allow = &rules()[*place];
        if (allow.tenant.is_empty() || allow.tenant == tenant) && eval_rule(allow, f)? == Truth::Yes {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Reports whether a rule is asked at a moment. At the target the model may have another name.
fn is_asked(r: &Rule, moment: Moment) -> bool {
    match moment {
        Moment::Request => r.at <= Point::Content,
        Moment::Target => r.at == Point::Content || r.at == Point::Target || r.asks_for_model(),
        Moment::Answer | Moment::End => r.at == Point::Answer,
    }
}

/// Evaluates the rules that are asked now, and carries out those that fire. It returns their places, or nothing if one denies.
fn decide(f: &mut Facts) -> Result<Option<Vec<usize>>> {
    let (all, moment) = (rules(), f.moment);
    if !all.iter().any(|r| is_asked(r, moment)) && moment != Moment::Request {
        return Ok(Some(Vec::new()));
    }
    f.answer_bytes = Answer::get().bytes;
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
        if concerned && is_asked(r, moment) && eval_rule(r, f)? == Truth::Yes && !is_exempted(r, &tenant, f)? {
            fired.push(place);
        }
    }
    Ok(match act::carry_out(&fired, f)? {
        true => None,
        false => Some(fired),
    })
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
