//! Policies as their rules, in the order in which they are evaluated.

use crate::actions::{read_action, Action};
use crate::conditions::{read_all, unknown, Input, Op, Test};
use crate::json::Value;

/// When a rule is asked.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Point {
    Identity,
    /// What detectors find in the request is known.
    Content,
    Target,
    Answer,
}

pub struct Rule {
    pub id: String,
    /// The policy that it belongs to: its name and its id.
    policy: [String; 2],
    /// Empty: of the platform.
    pub tenant: String,
    pub label: String,
    pub priority: i64,
    /// One condition is enough.
    pub any: bool,
    pub conditions: Vec<Vec<Test>>,
    pub unless: Vec<Vec<Test>>,
    pub action: Action,
    /// What the caller of a denied request reads.
    pub denial: String,
    pub at: Point,
    /// The places of the rules that may exempt from this one.
    pub exempted_by: Vec<usize>,
}

impl Rule {
    pub fn asks_for_model(&self) -> bool {
        self.at < Point::Target && self.asks_for(|i| i == Input::Model)
    }

    /// Reports whether a condition or an exception has such an input.
    pub fn asks_for(&self, has: impl Fn(Input) -> bool) -> bool {
        self.conditions.iter().chain(&self.unless).flatten().any(|t| has(t.input))
    }
}

/// The longest name that the host records for a rule.
const LONGEST: usize = 64;
/// The longest message that the host lets through.
const MESSAGE: usize = 500;

/// Reads the settings, {policies: [...]}: each policy as docs/policy.md has it, older ones first.
pub fn read(json: &str) -> Result<Vec<Rule>, String> {
    let settings = Value::parse(json).ok_or("the settings are not JSON")?;
    if let Some((name, _)) = settings.members().iter().find(|(n, _)| n != "policies") {
        return Err(unknown(name, "a setting"));
    }
    let mut rules = Vec::new();
    match settings.get("policies") {
        Value::Null => {}
        Value::List(policies) => policies.iter().try_for_each(|p| read_policy(p, &mut rules))?,
        _ => return Err("policies: write a list of policies".into()),
    }
    rules.sort_by_key(|r| !r.tenant.is_empty()); // the platform's first; the sort is stable
    let exempts: Vec<(usize, usize)> = (0..rules.len())
        .flat_map(|a| (0..rules.len()).map(move |b| (a, b)))
        .filter(|(a, b)| a != b && exempts(&rules[*a], &rules[*b]))
        .collect();
    for (a, b) in exempts {
        rules[b].exempted_by.push(a);
        if rules[b].at != Point::Answer {
            rules[b].at = rules[b].at.max(rules[a].at); // it waits for the exemption
        }
    }
    Ok(rules)
}

/// Reports whether rule a may exempt from rule b: a tenant's rules concern its own alone.
fn exempts(a: &Rule, b: &Rule) -> bool {
    let names = match &a.action {
        Action::Allow(names) if a.tenant.is_empty() || a.tenant == b.tenant => names,
        _ => return false,
    };
    names.iter().any(|name| match name.split_once('/') {
        Some((policy, id)) => id == b.id && b.policy.iter().any(|p| p == policy),
        None => *name == b.id,
    })
}

fn read_policy(p: &Value, rules: &mut Vec<Rule>) -> Result<(), String> {
    let name = p.get("name").scalar().unwrap_or_else(|| "policy".into());
    let id = p.get("id").scalar().unwrap_or_else(|| name.clone());
    let scope = p.get("scope").scalar().unwrap_or_else(|| "platform".into());
    let tenant = match scope.strip_prefix("tenant:") {
        Some(tenant) if !tenant.is_empty() => tenant.to_string(),
        None if scope == "platform" => String::new(),
        _ => return Err(format!("scope: {:?} is neither platform nor tenant:<id>", scope)),
    };
    for (key, v) in p.members() {
        match key.as_str() {
            "name" | "id" | "scope" | "description" | "rules" => {}
            "version" if v.number() == Some(1.0) => {}
            "version" => return Err("version: write 1".into()),
            _ => return Err(unknown(key, "a key of a policy")),
        }
    }
    if p.get("rules").items().is_empty() {
        return Err(format!("the policy {} has no rules", name));
    }
    let first = rules.len();
    for v in p.get("rules").items() {
        let rule = read_rule(v, &[name.clone(), id.clone()], &tenant).map_err(|why| format!("policy {}: {}", name, why))?;
        if rules[first..].iter().any(|r| r.id == rule.id) {
            return Err(format!("policy {}: the id {} is used twice", name, rule.id));
        }
        rules.push(rule);
    }
    Ok(())
}

fn read_rule(v: &Value, policy: &[String; 2], tenant: &str) -> Result<Rule, String> {
    let text = |key: &str| v.get(key).scalar().unwrap_or_default();
    let id = text("id");
    let label = format!("{}/{}", policy[0], id);
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-/".contains(c);
    if id.is_empty() || label.len() > LONGEST || !label.chars().all(plain) {
        return Err(format!("the rule {:?}: policy/id must have up to {} letters, digits, dots, dashes and underscores", label, LONGEST));
    }
    let of_rule = |why: String| format!("rule {}: {}", id, why);
    for (key, v) in v.members() {
        match key.as_str() {
            "id" | "description" | "phase" | "priority" | "match" | "conditions" | "unless" | "action" | "params" | "deny_message" => {}
            "on_error" => drop(v), // about expressions, which there are not
            _ => return Err(of_rule(unknown(key, "a key of a rule"))),
        }
    }
    let conditions = read_all(v.get("conditions")).map_err(of_rule)?;
    let unless = read_all(v.get("unless")).map_err(of_rule)?;
    let name = text("action");
    let mut action = read_action(&name, v.get("params")).map_err(of_rule)?;
    if let Action::Redact(types) = &mut action {
        add_redacted(types, &conditions);
    }
    let inputs = || conditions.iter().chain(&unless).flatten().map(|t| t.input);
    let phase = read_choice(v, "phase", ["request", "response"]).map_err(of_rule)?;
    let at = find_point(inputs, &phase, &action).map_err(of_rule)?;
    let priority = match v.get("priority") {
        Value::Null => 0.0,
        Value::Number(n) if n.fract() == 0.0 => *n,
        _ => return Err(of_rule("priority: write a whole number".into())),
    };
    let denial = match text("deny_message") {
        said if said.len() > MESSAGE => return Err(of_rule(format!("deny_message is longer than {} bytes", MESSAGE))),
        said if !said.is_empty() => said,
        _ if action.requires() => {
            format!("the policy rule {} asks for what this request does not meet: {}", label, name.to_lowercase())
        }
        _ => format!("the policy rule {} does not allow this request", label),
    };
    Ok(Rule {
        priority: priority as i64,
        any: read_choice(v, "match", ["all", "any"]).map_err(of_rule)? == "any",
        policy: policy.clone(),
        tenant: tenant.into(),
        exempted_by: Vec::new(),
        id: id.clone(),
        label,
        conditions,
        unless,
        action,
        denial,
        at,
    })
}

/// Adds the types of a rule that names none: those of its conditions, or else all.
fn add_redacted(types: &mut Vec<String>, conditions: &[Vec<Test>]) {
    if !types.is_empty() {
        return;
    }
    for t in conditions.iter().flatten() {
        if let (Input::Personal | Input::AnswerPersonal, Op::Found { types: named, .. }) = (t.input, &t.op) {
            types.extend(named.iter().cloned());
        }
    }
    if types.is_empty() {
        types.push("*".into());
    }
}

/// A key of a rule that has one of two values, or is left out.
fn read_choice(rule: &Value, key: &str, choices: [&str; 2]) -> Result<String, String> {
    match rule.get(key) {
        Value::Null => Ok(String::new()),
        Value::Text(t) if choices.contains(&t.as_str()) => Ok(t.clone()),
        _ => Err(format!("{}: write {} or {}", key, choices[0], choices[1])),
    }
}

/// The earliest point at which all inputs of a rule are known.
fn find_point<I: Iterator<Item = Input>>(inputs: impl Fn() -> I, phase: &str, action: &Action) -> Result<Point, String> {
    let late = inputs().find(|i| i.of_answer());
    if phase == "request" {
        if let Some(input) = late {
            let name = if input == Input::AnswerTokens { "response.tokens" } else { "a condition on response" };
            return Err(format!("{} is known when there is an answer, but the rule runs on the request; write phase: response", name));
        }
    }
    let answers = late.is_some() || phase == "response";
    let targets = inputs().any(|i| i.of_target()) || matches!(action, Action::Region(_));
    match action {
        Action::Route { .. } | Action::Cap(_) if answers => Err("the rule runs on the answer, when the request was sent already".into()),
        _ if answers && action.requires() => Err("the action is about the request, but the rule runs on the answer".into()),
        Action::Route { .. } if targets => Err("ROUTE: a plugin knows providers, regions and costs when the target is chosen".into()),
        _ if answers => Ok(Point::Answer),
        _ if targets => Ok(Point::Target),
        Action::Redact(_) => Ok(Point::Content),
        _ if inputs().any(|i| i.of_content()) => Ok(Point::Content),
        _ => Ok(Point::Identity),
    }
}
