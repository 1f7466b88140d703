//! What rules do, and its parameters.

use crate::conditions::{keyed, unknown, Input, Op, Test};
use crate::forms::texts;
use crate::json::Value;
use crate::truth::spell_provider;

pub enum Action {
    Deny,
    /// Exempts from rules, by their names.
    Allow(Vec<String>),
    Warn(String),
    Flag,
    /// Takes out values of these types.
    Redact(Vec<String>),
    Route { model: String, provider: String, region: String },
    Cap(i64),
    /// The rule denies unless these hold.
    Region(Vec<String>),
    Scope(Vec<String>),
    User,
    Schema,
    Metadata(Vec<Test>),
}

impl Action {
    pub fn requires(&self) -> bool {
        matches!(self, Action::Region(_) | Action::Scope(_) | Action::User | Action::Schema | Action::Metadata(_))
    }
}

pub fn read_action(name: &str, params: &Value) -> Result<Action, String> {
    let known: &[&str] = match name {
        "ALLOW" => &["exempts"],
        "WARN_AGENT" => &["message"],
        "FLAG" => &["severity"],
        "ROUTE" => &["model", "provider", "region"],
        "CAP_TOKENS" => &["max_tokens"],
        "REDACT" => &["types"],
        "REQUIRE_REGION" => &["regions"],
        "REQUIRE_SCOPE" => &["scopes"],
        "REQUIRE_METADATA" => &["keys"],
        _ => &[],
    };
    if let Some((key, _)) = params.members().iter().find(|(key, _)| !known.contains(&key.as_str())) {
        return Err(unknown(key, "a parameter of the action"));
    }
    let text = |key: &str| params.get(key).scalar().unwrap_or_default();
    let list = |key: &str| texts(key, params.get(key));
    Ok(match name {
        "DENY" => Action::Deny,
        "REDACT" => Action::Redact(if params.get("types") == &Value::Null { Vec::new() } else { list("types")? }),
        "ALLOW" => Action::Allow(list("exempts")?),
        "WARN_AGENT" => Action::Warn(text("message")),
        "FLAG" => Action::Flag,
        "ROUTE" => {
            let (model, provider, region) = (text("model"), spell_provider(&text("provider")).to_string(), text("region"));
            if model.is_empty() && provider.is_empty() && region.is_empty() {
                return Err("ROUTE needs params: {model: …}, {provider: …} or {region: …}".into());
            }
            Action::Route { model, provider, region }
        }
        "CAP_TOKENS" => match params.get("max_tokens").number() {
            Some(n) if n >= 1.0 && n.fract() == 0.0 => Action::Cap(n as i64),
            _ => return Err("CAP_TOKENS needs params: {max_tokens: …}".into()),
        },
        "REQUIRE_REGION" => Action::Region(list("regions")?),
        "REQUIRE_SCOPE" => Action::Scope(list("scopes")?),
        "REQUIRE_USER" => Action::User,
        "REQUIRE_SCHEMA" => Action::Schema,
        "REQUIRE_METADATA" => Action::Metadata(match params.get("keys") {
            named @ Value::Object(_) => keyed(Input::Metadata, "keys", named)?,
            _ => list("keys")?.iter().map(|key| any_value(key)).collect(),
        }),
        _ => return Err(unknown(name, "an action")),
    })
}

/// The test that metadata has an entry.
fn any_value(key: &str) -> Test {
    Test { input: Input::Metadata, key: key.into(), op: Op::In(vec!["*".into()]) }
}
