//! Tests and rules under the facts.

use crate::actions::Action;
use crate::compare::{flag, found, list, number, present, text, value};
use crate::conditions::{Input, Op, Test};
use crate::facts::{Facts, Moment, BYTES_PER_TOKEN};
use crate::headgate::{now_ms, Field};
use crate::json::Value;
use crate::rules::Rule;
use crate::truth::{fits_any, fits_model, spell_provider, Truth};

pub type Result<T> = std::result::Result<T, String>;

/// Reports whether a rule fires.
pub fn eval_rule(r: &Rule, f: &mut Facts) -> Result<Truth> {
    let mut t = match r.any && !r.conditions.is_empty() {
        true => {
            let mut any = Truth::No;
            for c in &r.conditions {
                any = any.or(eval_all(c, f)?);
            }
            any
        }
        false => eval_each(&r.conditions, f)?,
    };
    if t != Truth::No && !r.unless.is_empty() {
        t = t.and(eval_each(&r.unless, f)?.not());
    }
    Ok(t)
}

fn eval_each(conditions: &[Vec<Test>], f: &mut Facts) -> Result<Truth> {
    let mut t = Truth::Yes;
    for c in conditions {
        t = t.and(eval_all(c, f)?);
        if t == Truth::No {
            break; // the other inputs are not read
        }
    }
    Ok(t)
}

fn eval_all(tests: &[Test], f: &mut Facts) -> Result<Truth> {
    let mut t = Truth::Yes;
    for test in tests {
        t = t.and(eval_test(test, f)?);
    }
    Ok(t)
}

/// Reports whether the requirement of an action is met.
pub fn eval_requirement(action: &Action, f: &mut Facts) -> Result<Truth> {
    Ok(match action {
        Action::Region(regions) if f.moment >= Moment::Target => {
            let region = f.get(Field::Region)?;
            Truth::of(!region.is_empty() && fits_any(regions, &region))
        }
        Action::Region(_) => Truth::Unknown,
        Action::Scope(wanted) => {
            let scopes = f.list(Field::Scopes)?;
            Truth::of(wanted.iter().all(|w| scopes.contains(w)))
        }
        Action::User => Truth::of(!f.get(Field::User)?.is_empty()),
        Action::Schema => Truth::of(f.get(Field::Format)? == "schema"),
        Action::Metadata(tests) => eval_all(tests, f)?,
        _ => Truth::No,
    })
}

/// Compares all names of the model. A list of allowed models must contain the name that the client asked for and, in one
/// spelling, the name that is sent.
fn model(op: &Op, f: &mut Facts) -> Result<Truth> {
    let asked = [f.get(Field::Model)?, f.kept.bare.clone()];
    let bare = f.get(Field::BareModel)?;
    let mut sent = Vec::new();
    if f.moment >= Moment::Target {
        sent = vec![bare, f.get(Field::Target)?];
    } else if !asked.contains(&bare) {
        sent = vec![bare]; // an earlier link has chosen it
    }
    let has = |globs: &[String], names: &[String]| {
        names.iter().any(|n| !n.is_empty() && globs.iter().any(|g| fits_model(g, n)))
    };
    Ok(Truth::of(match op {
        Op::In(globs) => has(globs, &asked) || has(globs, &sent),
        Op::NotIn(globs) => !has(globs, &asked) || !sent.is_empty() && !has(globs, &sent),
        _ => false,
    }))
}

/// The temperature, wherever the shape has it.
fn temperature(f: &mut Facts) -> Result<Option<f64>> {
    let params = f.json(Field::Params)?;
    let nested = ["generationConfig", "generation_config"].iter().map(|c| params.get(c).get("temperature"));
    Ok(std::iter::once(params.get("temperature")).chain(nested).find_map(Value::number))
}

/// The tokens of the answer so far: the provider's count, or an estimate.
fn answer_tokens(f: &mut Facts) -> Result<(f64, bool)> {
    let usage = f.json(Field::Usage)?;
    let estimate = (f.answer_bytes / BYTES_PER_TOKEN) as f64;
    let reported = usage.get("reported") == &Value::Truth(true);
    let counted = usage.get("output").number().unwrap_or(0.0);
    let whole = f.get(Field::Stream)? == "0";
    Ok(match reported {
        true if whole => (counted, true),
        true => (counted.max(estimate), f.moment == Moment::End), // counts at the beginning of a stream are low
        false => (estimate, f.moment == Moment::End),
    })
}

fn eval_test(t: &Test, f: &mut Facts) -> Result<Truth> {
    let op = &t.op;
    let unknown = t.input.of_target() && f.moment < Moment::Target || t.input.of_answer() && f.moment < Moment::Answer;
    if unknown || matches!(t.input, Input::PromptTokens | Input::SystemMissing) && !f.kept.read {
        return Ok(Truth::Unknown);
    }
    let settled = f.moment >= Moment::Target;
    Ok(match t.input {
        Input::Model => model(op, f)?,
        Input::Provider => text(op, spell_provider(&f.get(Field::Provider)?)),
        Input::Region => text(op, &f.get(Field::Region)?),
        Input::Tenant => text(op, &f.get(Field::Tenant)?),
        Input::TenantMetadata => value(op, f.json(Field::TenantMetadata)?.get(&t.key)),
        Input::Key => text(op, &f.get(Field::KeyId)?).or(text(op, &f.get(Field::Lineage)?)),
        Input::Scopes => list(op, &f.list(Field::Scopes)?),
        Input::Tags => list(op, &f.list(Field::KeyTags)?),
        Input::KeyMetadata => value(op, f.json(Field::KeyMetadata)?.get(&t.key)),
        Input::Expiry => {
            let left = f.number(Field::KeyExpires)?.map(|ms| ((ms - now_ms() as f64) / 1000.0).trunc());
            number(op, left, true)
        }
        Input::User => match op {
            Op::Is(_) => text(op, &f.get(Field::User)?),
            _ => present(op, &f.get(Field::User)?),
        },
        Input::Shape => text(op, &f.get(Field::Dialect)?),
        Input::Stream => flag(op, f.get(Field::Stream)? == "1"),
        Input::Images => flag(op, f.get(Field::Images)? == "1"),
        Input::Effort => present(op, &f.get(Field::Effort)?),
        Input::Temperature => number(op, temperature(f)?, true),
        Input::ToolNames => list(op, &f.list(Field::Tools)?),
        Input::ToolTypes => list(op, &tool_types(f)?.0),
        Input::HasTools => flag(op, !f.list(Field::Tools)?.is_empty() || tool_types(f)?.1 > 0.0),
        Input::ToolCount => number(op, Some(tool_types(f)?.1.max(f.list(Field::Tools)?.len() as f64)), true),
        Input::Messages => number(op, f.number(Field::Messages)?, true),
        Input::SystemMissing => flag(op, f.kept.system_missing),
        Input::PromptTokens => number(op, Some(f.kept.prompt_tokens as f64), true),
        Input::MaxTokens => number(op, f.number(Field::MaxTokens)?, true),
        Input::MaxMissing => flag(op, f.number(Field::MaxTokens)?.is_none()),
        Input::Cost => match f.cost()? {
            None => Truth::Unknown,
            usd => number(op, usd, true),
        },
        Input::BudgetLeft => number(op, f.budget()?, true),
        Input::BudgetExceeded => flag(op, f.budget()?.map_or(false, |left| left <= 0.0)),
        Input::Clock => Truth::of(matches!(op, Op::Window(w) if w.holds(now_ms()))),
        Input::Metadata => value(op, f.json(Field::Metadata)?.get(&t.key)),
        Input::Personal => found(op, &f.found("pii", "request")?, settled),
        Input::Detectors => found(op, &f.found("detector", "request")?, settled),
        Input::Score => {
            let labels = f.found("detector", "request")?;
            number(op, Some(labels.iter().find(|l| l.name == t.key).map_or(0.0, |l| l.score)), settled)
        }
        Input::AnswerPersonal => found(op, &f.found("pii", "response")?, f.moment == Moment::End),
        Input::AnswerTokens => {
            let (tokens, settled) = answer_tokens(f)?;
            number(op, Some(tokens), settled)
        }
        Input::Finish => match f.get(Field::Finish)? {
            none if none.is_empty() => Truth::No.until(f.moment == Moment::End),
            reason => text(op, &reason),
        },
    })
}

/// The types of the tools that are offered, and how many there are.
fn tool_types(f: &mut Facts) -> Result<(Vec<String>, f64)> {
    let types = f.json(Field::ToolTypes)?;
    let count = types.members().iter().filter_map(|(_, n)| n.number()).sum();
    Ok((types.members().iter().map(|(name, _)| name.clone()).collect(), count))
}
