//! What is known of an exchange: fields of the host, each read once and only if a rule asks for it.

use crate::headgate::{self, field, segments, source, Field};
use crate::json::Value;

/// How far an exchange has come.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Moment {
    /// Links may still find something in the request.
    Request,
    Target,
    /// More of the answer may come.
    Answer,
    /// The answer is complete.
    End,
}

/// What is kept from the request for later calls.
#[derive(Clone, Default)]
pub struct Kept {
    /// Whether the three below are known.
    pub read: bool,
    pub prompt_tokens: u64,
    pub system_missing: bool,
    /// The model that the client asked for, without a provider's prefix, or empty.
    pub bare: String,
    /// The places of rules whose effects were recorded, as bits.
    pub told: Vec<u8>,
}

impl Kept {
    pub fn load() -> Kept {
        let mut buffer = Vec::new();
        let b = headgate::kept(&mut buffer);
        if b.len() < 11 {
            return Kept::default();
        }
        let mut tokens = [0; 8];
        tokens.copy_from_slice(&b[1..9]);
        let bare = 11 + u16::from_le_bytes([b[9], b[10]]) as usize;
        Kept {
            read: b[0] & 1 != 0,
            system_missing: b[0] & 2 != 0,
            prompt_tokens: u64::from_le_bytes(tokens),
            bare: String::from_utf8_lossy(&b[11..bare]).into_owned(),
            told: b[bare..].to_vec(),
        }
    }

    pub fn store(&self) {
        let mut b = vec![self.read as u8 | (self.system_missing as u8) << 1];
        b.extend(self.prompt_tokens.to_le_bytes());
        b.extend((self.bare.len() as u16).to_le_bytes());
        b.extend(self.bare.as_bytes());
        b.extend(&self.told);
        headgate::keep(&b);
    }

    /// Records, once in an exchange, that a rule took effect.
    pub fn record(&mut self, place: usize) {
        if !self.told(place) {
            headgate::rule(&crate::rules()[place].label, "");
            self.tell(place);
            self.store();
        }
    }

    pub fn told(&self, place: usize) -> bool {
        self.told.get(place / 8).map_or(false, |b| b >> (place % 8) & 1 != 0)
    }

    pub fn tell(&mut self, place: usize) {
        if self.told.len() <= place / 8 {
            self.told.resize(place / 8 + 1, 0);
        }
        self.told[place / 8] |= 1 << (place % 8);
    }
}

/// A token of English text has about four bytes.
pub const BYTES_PER_TOKEN: u64 = 4;
/// What a message adds to the tokens of its text.
const PER_MESSAGE: u64 = 3;

/// Findings of one label.
pub struct Label {
    pub name: String,
    pub count: f64,
    pub score: f64,
}

pub struct Facts {
    pub moment: Moment,
    pub kept: Kept,
    /// Of the answer so far.
    pub answer_bytes: u64,
    read: Vec<Option<String>>,
}

impl Facts {
    pub fn new(moment: Moment) -> Facts {
        Facts { moment, kept: Kept::load(), answer_bytes: 0, read: vec![None; 64] }
    }

    /// A field. It fails if the operator does not grant it: a rule on it would otherwise decide by nothing.
    pub fn get(&mut self, id: Field) -> Result<String, String> {
        let place = id as usize;
        if self.read[place].is_none() {
            let mut buffer = Vec::new();
            let value = field(id, &mut buffer).ok_or_else(|| format!("the field {} is not granted", place))?;
            self.read[place] = Some(value.to_string());
        }
        Ok(self.read[place].clone().unwrap_or_default())
    }

    pub fn number(&mut self, id: Field) -> Result<Option<f64>, String> {
        Ok(self.get(id)?.parse().ok())
    }

    pub fn json(&mut self, id: Field) -> Result<Value, String> {
        Ok(Value::parse(&self.get(id)?).unwrap_or(Value::Null))
    }

    pub fn list(&mut self, id: Field) -> Result<Vec<String>, String> {
        Ok(self.json(id)?.items().iter().filter_map(Value::scalar).collect())
    }

    /// Reads what the texts of the request tell. Later calls have other texts.
    pub fn read_request(&mut self) -> Result<(), String> {
        let (mut bytes, mut system) = (0, false);
        for s in segments() {
            bytes += s.len as u64;
            system = system || s.source == source::SYSTEM;
        }
        let messages = self.number(Field::Messages)?.unwrap_or(0.0) as u64;
        let talks = ["answer", "count"].contains(&self.get(Field::Task)?.as_str());
        let (model, bare) = (self.get(Field::Model)?, self.get(Field::BareModel)?);
        let k = &mut self.kept;
        k.prompt_tokens = (bytes + BYTES_PER_TOKEN - 1) / BYTES_PER_TOKEN + PER_MESSAGE * messages;
        k.system_missing = talks && !system;
        k.read = true;
        if model.ends_with(&format!("/{}", bare)) {
            k.bare = bare;
        }
        Ok(())
    }

    /// The estimated cost in USD, once the target and its price are known.
    pub fn cost(&mut self) -> Result<Option<f64>, String> {
        let price = self.json(Field::Price)?;
        let per_token = |name: &str| price.get(name).number();
        let (input, output) = match (per_token("input_token"), per_token("output_token")) {
            (Some(input), Some(output)) if self.kept.read => (input, output),
            _ => return Ok(None),
        };
        const ASSUMED: f64 = 4096.0; // tokens of an answer without a limit
        let most = self.number(Field::MaxTokens)?.unwrap_or(ASSUMED);
        let answers = self.json(Field::Reserve)?.get("answers").number().unwrap_or(1.0);
        Ok(Some((input * self.kept.prompt_tokens as f64 + output * most * answers) / 1e10))
    }

    /// What is left of the tightest budget, in per cent. It fails if the budgets cannot be read.
    pub fn budget(&mut self) -> Result<Option<f64>, String> {
        if self.get(Field::Budgets)?.is_empty() {
            return Err("the budgets cannot be read".into());
        }
        let mut least: Option<f64> = None;
        for b in self.json(Field::Budgets)?.items() {
            for part in [b.get("money"), b.get("tokens")] {
                if let (Some(limit), Some(left)) = (part.get("limit").number(), part.get("left").number()) {
                    let share = if limit > 0.0 { left / limit * 100.0 } else { 0.0 };
                    least = Some(least.map_or(share, |l| l.min(share)));
                }
            }
        }
        Ok(least)
    }

    /// What links found, by label: personal data, or what other detectors report.
    pub fn found(&mut self, kind: &str, phase: &str) -> Result<Vec<Label>, String> {
        let mut out: Vec<Label> = Vec::new();
        self.read[Field::Findings as usize] = None; // there may be more by now
        for f in self.json(Field::Findings)?.items() {
            let text = |name: &str| f.get(name).scalar().unwrap_or_default();
            if text("kind") != kind || text("phase") != phase {
                continue;
            }
            let (name, count) = (text("type"), f.get("count").number().unwrap_or(0.0));
            let score = f.get("score").number().unwrap_or(0.0);
            match out.iter_mut().find(|l| l.name == name) {
                Some(l) => {
                    l.count += count;
                    l.score = l.score.max(score);
                }
                None => out.push(Label { name, count, score }),
            }
        }
        Ok(out)
    }
}
