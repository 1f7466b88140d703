//! JSON as values: the settings, and the fields of the host that are lists or objects.

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Null,
    Truth(bool),
    Number(f64),
    Text(String),
    List(Vec<Value>),
    Object(Vec<(String, Value)>),
}

const NULL: &Value = &Value::Null;

/// How deep values may nest. Deeper ones are not read.
const DEEPEST: usize = 64;

impl Value {
    pub fn parse(json: &str) -> Option<Value> {
        let mut r = Reader { json, at: 0, depth: 0 };
        let value = r.value()?;
        r.peek().is_none().then(|| value)
    }

    /// The member of that name, or null.
    pub fn get(&self, name: &str) -> &Value {
        self.members().iter().find(|(n, _)| n == name).map_or(NULL, |(_, v)| v)
    }

    pub fn members(&self) -> &[(String, Value)] {
        match self {
            Value::Object(all) => all,
            _ => &[],
        }
    }

    pub fn items(&self) -> &[Value] {
        match self {
            Value::List(all) => all,
            _ => &[],
        }
    }

    pub fn number(&self) -> Option<f64> {
        match self {
            Value::Number(n) => Some(*n),
            _ => None,
        }
    }

    /// A text, number or switch as patterns spell it. None: it is null, a list or an object.
    pub fn scalar(&self) -> Option<String> {
        match self {
            Value::Text(t) => Some(t.clone()),
            Value::Number(n) => Some(n.to_string()),
            Value::Truth(b) => Some(b.to_string()),
            _ => None,
        }
    }
}

struct Reader<'a> {
    json: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn peek(&mut self) -> Option<u8> {
        let bytes = self.json.as_bytes();
        while *bytes.get(self.at)? <= b' ' {
            self.at += 1;
        }
        Some(bytes[self.at])
    }

    /// Steps over a byte if it is next.
    fn take(&mut self, byte: u8) -> bool {
        let is = self.peek() == Some(byte);
        self.at += is as usize;
        is
    }

    fn value(&mut self) -> Option<Value> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let value = match self.peek()? {
            b'{' => self.object()?,
            b'[' => self.list()?,
            b'"' => Value::Text(self.text()?),
            _ => self.word()?,
        };
        self.depth -= 1;
        Some(value)
    }

    fn object(&mut self) -> Option<Value> {
        let mut all = Vec::new();
        self.at += 1;
        while !self.take(b'}') {
            if !all.is_empty() && !self.take(b',') || self.peek()? != b'"' {
                return None;
            }
            let name = self.text()?;
            if !self.take(b':') {
                return None;
            }
            all.push((name, self.value()?));
        }
        Some(Value::Object(all))
    }

    fn list(&mut self) -> Option<Value> {
        let mut all = Vec::new();
        self.at += 1;
        while !self.take(b']') {
            if !all.is_empty() && !self.take(b',') {
                return None;
            }
            all.push(self.value()?);
        }
        Some(Value::List(all))
    }

    fn word(&mut self) -> Option<Value> {
        let rest = &self.json[self.at..];
        let end = rest.find(|c: char| ",]}".contains(c) || c <= ' ').unwrap_or(rest.len());
        self.at += end;
        match &rest[..end] {
            "null" => Some(Value::Null),
            "true" => Some(Value::Truth(true)),
            "false" => Some(Value::Truth(false)),
            number => number.parse().ok().map(Value::Number),
        }
    }

    /// Reads a string from its first quote.
    fn text(&mut self) -> Option<String> {
        let mut out = String::new();
        self.at += 1;
        loop {
            let rest = &self.json[self.at..];
            let plain = rest.find(|c| c == '"' || c == '\\')?;
            out.push_str(&rest[..plain]);
            self.at += plain + 1;
            if rest.as_bytes()[plain] == b'"' {
                return Some(out);
            }
            let escape = *rest.as_bytes().get(plain + 1)?;
            self.at += 1;
            match escape {
                b'n' => out.push('\n'),
                b't' => out.push('\t'),
                b'r' => out.push('\r'),
                b'b' => out.push('\u{8}'),
                b'f' => out.push('\u{c}'),
                b'u' => out.push(self.unit()?),
                other if other.is_ascii() => out.push(other as char),
                _ => return None,
            }
        }
    }

    /// Reads the digits of \u, and those of the second half of a pair.
    fn unit(&mut self) -> Option<char> {
        let high = self.hex()?;
        if !(0xD800..0xDC00).contains(&high) || !self.json[self.at..].starts_with("\\u") {
            return Some(char::from_u32(high).unwrap_or('\u{FFFD}'));
        }
        self.at += 2;
        let low = self.hex()?;
        let code = 0x10000 + ((high - 0xD800) << 10) + (low & 0x3FF);
        Some(char::from_u32(code).unwrap_or('\u{FFFD}'))
    }

    fn hex(&mut self) -> Option<u32> {
        let digits = self.json.get(self.at..self.at + 4)?;
        self.at += 4;
        u32::from_str_radix(digits, 16).ok()
    }
}
