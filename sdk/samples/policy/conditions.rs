//! The named conditions of docs/policy.md, and what they compare.

use crate::forms::{number, score, span, switch, texts, window};
use crate::json::Value;
use crate::truth::{spell_provider, Range, Window};

/// What a test looks at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[rustfmt::skip]
pub enum Input {
    Model, Provider, Region, Tenant, TenantMetadata, Key, Scopes, Tags, KeyMetadata, Expiry, User, Shape, Stream, HasTools,
    Images, Effort, Temperature, ToolNames, ToolTypes, ToolCount, Messages, SystemMissing, PromptTokens, MaxTokens,
    MaxMissing, Cost, BudgetLeft, BudgetExceeded, Clock, Metadata, Personal, Detectors, Score, AnswerPersonal,
    AnswerTokens, Finish,
}

impl Input {
    /// It is known when the request has a target.
    pub fn of_target(self) -> bool {
        matches!(self, Input::Provider | Input::Region | Input::Cost)
    }

    /// It depends on what detectors find in the request.
    pub fn of_content(self) -> bool {
        matches!(self, Input::Personal | Input::Detectors | Input::Score)
    }

    pub fn of_answer(self) -> bool {
        matches!(self, Input::AnswerPersonal | Input::AnswerTokens | Input::Finish)
    }
}

/// How a test compares.
pub enum Op {
    /// The value fits one of the patterns.
    In(Vec<String>),
    NotIn(Vec<String>),
    /// An element of the list fits one.
    Any(Vec<String>),
    /// An element fits none.
    Other(Vec<String>),
    /// Each pattern has an element.
    All(Vec<String>),
    Range(Range),
    Is(bool),
    Window(Window),
    /// Findings of these types (empty: any) with at least that score; their number, if there is a range.
    Found { types: Vec<String>, least: f32, range: Option<Range> },
}

pub struct Test {
    pub input: Input,
    /// Of metadata and scores.
    pub key: String,
    pub op: Op,
}

fn test(input: Input, op: Op) -> Vec<Test> {
    vec![Test { input, key: String::new(), op }]
}

/// What other stages can and a plugin cannot. The settings refuse it, because a rule without it would decide something else.
const BEYOND: [(&str, &str); 8] = [
    ("headers", "plugins see no headers that could name the caller"),
    ("request.has_files", "files are not a field, and the capability body cannot be had with rules on answers"),
    ("response.schema_invalid", "what the stage schema found is not a field"),
    ("tool.", "a call of a tool has no arguments that a plugin sees"),
    ("agent.", "the method of a call of an agent is not a field"),
    ("REQUIRE_APPROVAL", "a plugin cannot ask people"),
    ("when", "this sample has no expressions"),
    ("keep_if_unavailable", "a plugin does not know who serves a model"),
];

/// The error for a word that this sample does not have.
pub fn unknown(word: &str, what: &str) -> String {
    match BEYOND.iter().find(|(w, _)| word == *w || w.ends_with('.') && word.starts_with(w)) {
        Some((_, why)) => format!("{}: only the compiled-in stage has it: {}", word, why),
        None => format!("{} is not known as {}; see docs/policy.md", word, what),
    }
}

/// Reads patterns by name, as of metadata.
pub fn keyed(input: Input, name: &str, value: &Value) -> Result<Vec<Test>, String> {
    if value.members().is_empty() {
        return Err(format!("{}: write {{name: pattern}}", name));
    }
    let read = |(key, v): &(String, Value)| Ok(Test { input, key: key.clone(), op: Op::In(texts(name, v)?) });
    value.members().iter().map(read).collect()
}

/// Reads the conditions of a rule. Each is a list of tests that must all hold.
pub fn read_all(value: &Value) -> Result<Vec<Vec<Test>>, String> {
    let list = match value {
        Value::Object(all) => all.as_slice(),
        Value::Null => &[],
        _ => return Err("conditions are an object".into()),
    };
    let mut out = list.iter().map(|(name, v)| read(name, v)).collect::<Result<Vec<_>, String>>()?;
    share(&mut out, value)?;
    Ok(out)
}

/// Adds to conditions on personal data what the other ones say: the score that counts, and the types that are counted.
fn share(out: &mut [Vec<Test>], value: &Value) -> Result<(), String> {
    let said = value.get("pii.min_confidence").number().unwrap_or(0.0) as f32;
    let counted = match value.get("pii.types_any") {
        Value::Null => Vec::new(),
        list => texts("pii.types_any", list)?,
    };
    for t in out.iter_mut().flatten().filter(|t| t.input == Input::Personal) {
        if let Op::Found { types, least, .. } = &mut t.op {
            *least = said;
            *types = counted.clone();
        }
    }
    Ok(())
}

#[rustfmt::skip]
fn read(name: &str, v: &Value) -> Result<Vec<Test>, String> {
    use Input::*;
    let list = || texts(name, v);
    let above = || Ok::<Op, String>(Op::Range(Range::above(number(name, v)?)));
    let below = || Ok::<Op, String>(Op::Range(Range::below(number(name, v)?)));
    let is = || Ok::<Op, String>(Op::Is(switch(name, v)?));
    let found = |types| Op::Found { types, least: 0.0, range: None };
    Ok(match name {
        "model.denylist" | "model.in" => test(Model, Op::In(list()?)),
        "model.allowlist" => test(Model, Op::NotIn(list()?)),
        "provider.denylist" | "provider.in" => test(Provider, Op::In(spell_all(list()?))),
        "provider.allowlist" => test(Provider, Op::NotIn(spell_all(list()?))),
        "region.denylist" | "region.in" => test(Region, Op::In(list()?)),
        "region.allowlist" => test(Region, Op::NotIn(list()?)),
        "tenant.in" => test(Tenant, Op::In(list()?)),
        "tenant.metadata" => keyed(TenantMetadata, name, v)?,
        "key.in" => test(Key, Op::In(list()?)),
        "key.scopes_any" => test(Scopes, Op::Any(list()?)),
        "key.scopes_all" => test(Scopes, Op::All(list()?)),
        "key.tags_any" => test(Tags, Op::Any(list()?)),
        "key.metadata" => keyed(KeyMetadata, name, v)?,
        "key.expires_within" => test(Expiry, Op::Range(Range { high: Some(span(name, v)?), ..Range::default() })),
        "user.in" => test(User, Op::In(list()?)),
        "user.missing" => test(User, Op::Is(!switch(name, v)?)),
        "request.shape_in" => test(Shape, Op::In(list()?)),
        "request.stream" => test(Stream, is()?),
        "request.has_tools" => test(HasTools, is()?),
        "request.has_images" => test(Images, is()?),
        "request.effort_in" => test(Effort, Op::In(list()?)),
        "request.temperature_gt" => test(Temperature, above()?),
        "tools.denylist" => test(ToolNames, Op::Any(list()?)),
        "tools.allowlist" => test(ToolNames, Op::Other(list()?)),
        "tools.types_any" => test(ToolTypes, Op::Any(list()?)),
        "tools.count_gt" => test(ToolCount, above()?),
        "messages.count_gt" => test(Messages, above()?),
        "messages.system_missing" => test(SystemMissing, is()?),
        "tokens.prompt_gt" => test(PromptTokens, above()?),
        "tokens.prompt_lt" => test(PromptTokens, below()?),
        "tokens.max_gt" => test(MaxTokens, above()?),
        "tokens.max_missing" => test(MaxMissing, is()?),
        "cost.estimated_usd_gt" => test(Cost, above()?),
        "budget.remaining_pct_lt" => test(BudgetLeft, below()?),
        "budget.exceeded" => test(BudgetExceeded, is()?),
        "time.window" => test(Clock, Op::Window(window(v)?)),
        "metadata" => keyed(Metadata, name, v)?,
        "pii.types_any" => test(Personal, found(list()?)),
        "pii.count_gt" => {
            let range = Some(Range::above(number(name, v)?));
            test(Personal, Op::Found { types: Vec::new(), least: 0.0, range })
        }
        "pii.min_confidence" => number(name, v).map(|_| test(Personal, found(Vec::new())))?,
        "detector.labels_any" => test(Detectors, found(list()?)),
        "detector.score" => v.members().iter().map(|(label, bounds)| score(label, bounds)).collect::<Result<_, _>>()?,
        "response.finish_reason_in" => test(Finish, Op::In(list()?)),
        "response.tokens_gt" => test(AnswerTokens, above()?),
        "response.pii_types_any" => test(AnswerPersonal, found(list()?)),
        _ => return Err(unknown(name, "a condition")),
    })
}

fn spell_all(names: Vec<String>) -> Vec<String> {
    names.iter().map(|n| spell_provider(n).to_string()).collect()
}
