//! Requests as equal bytes: members of objects sorted by name, without white space. Strings and
//! numbers keep their spelling: two spellings of one text are two requests, which costs a call and
//! never gives a wrong answer. Members below "properties" keep their order, because a model writes
//! the fields of a schema in that order.

/// How deep the JSON of a request may nest. A deeper one is not cached.
const DEEPEST: usize = 100;

pub struct Canonical<'a> {
    doc: &'a [u8],
    at: usize,
    depth: usize,
    skip: &'a [&'a str],
    pub out: Vec<u8>,
    /// The values of these members as spelled, or empty.
    pub temperature: Vec<u8>,
    pub count: Vec<u8>,
}

/// A member of an object: its name, and where it lies in `out`.
struct Member<'a> {
    name: &'a [u8],
    start: usize,
    end: usize,
}

impl<'a> Canonical<'a> {
    /// Reads a request, without the members named in `skip` at its top. None: the host would not
    /// have let it through, or it nests too deep.
    pub fn of(doc: &'a [u8], skip: &'a [&'a str]) -> Option<Canonical<'a>> {
        let mut c = Canonical {
            doc,
            at: 0,
            depth: 0,
            skip,
            out: Vec::with_capacity(doc.len()),
            temperature: Vec::new(),
            count: Vec::new(),
        };
        c.value(false, false)?;
        Some(c)
    }

    fn peek(&mut self) -> Option<u8> {
        while *self.doc.get(self.at)? <= b' ' {
            self.at += 1;
        }
        Some(self.doc[self.at])
    }

    /// Writes one value. `ordered`: its members keep their order. `config`: it is Gemini's
    /// generationConfig.
    fn value(&mut self, ordered: bool, config: bool) -> Option<()> {
        match self.peek()? {
            b'{' => self.nested(|c| c.object(ordered, config)),
            b'[' => self.nested(|c| c.array()),
            b'"' => {
                let text = self.text()?;
                self.out.extend(text);
                Some(())
            }
            _ => {
                let start = self.at;
                let ends = |b: &u8| *b <= b' ' || b",}]:\"".contains(b);
                while self.at < self.doc.len() && !ends(&self.doc[self.at]) {
                    self.at += 1;
                }
                self.out.extend(&self.doc[start..self.at]);
                (self.at > start).then(|| ())
            }
        }
    }

    fn nested(&mut self, read: impl FnOnce(&mut Self) -> Option<()>) -> Option<()> {
        self.at += 1;
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        read(self)?;
        self.depth -= 1;
        Some(())
    }

    /// Reads a string with its quotes.
    fn text(&mut self) -> Option<&'a [u8]> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.doc.get(self.at)? {
                b'"' => break,
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        Some(&self.doc[start..self.at])
    }

    fn array(&mut self) -> Option<()> {
        self.out.push(b'[');
        loop {
            match self.peek()? {
                b']' => break,
                b',' => {
                    self.at += 1;
                    self.out.push(b',');
                }
                _ => self.value(false, false)?,
            }
        }
        self.at += 1;
        self.out.push(b']');
        Some(())
    }

    fn object(&mut self, ordered: bool, config: bool) -> Option<()> {
        self.out.push(b'{');
        let from = self.out.len();
        let mut members: Vec<Member<'a>> = Vec::new();
        loop {
            match self.peek()? {
                b'}' => break,
                b',' => self.at += 1,
                b'"' => members.extend(self.member(config)?),
                _ => return None,
            }
        }
        self.at += 1;
        let by_name = |a: &Member, b: &Member| a.name.cmp(b.name);
        if !ordered && members.windows(2).any(|w| w[0].name > w[1].name) {
            members.sort_by(by_name);
            let moved: Vec<u8> = members.iter().flat_map(|m| self.out[m.start..m.end].to_vec()).collect();
            self.out[from..].copy_from_slice(&moved);
        }
        if members.is_empty() {
            self.out.push(b'}');
        } else {
            *self.out.last_mut()? = b'}'; // in place of the last comma
        }
        Some(())
    }

    /// Writes one member and a comma. It gives nothing for one that is skipped.
    fn member(&mut self, config: bool) -> Option<Option<Member<'a>>> {
        let start = self.out.len();
        let name = self.text()?;
        if self.peek()? != b':' {
            return None;
        }
        self.at += 1;
        self.out.extend(name);
        self.out.push(b':');
        let at = self.out.len();
        let bare = &name[1..name.len() - 1];
        let top = self.depth == 1;
        self.value(bare == b"properties", top && bare == b"generationConfig")?;
        if top || config {
            let value = self.out[at..].to_vec();
            match bare {
                b"temperature" => self.temperature = value,
                b"n" | b"best_of" | b"candidateCount" => self.count = value,
                _ => {}
            }
        }
        if top && self.skip.iter().any(|s| s.as_bytes() == bare) {
            self.out.truncate(start);
            return Some(None);
        }
        self.out.push(b',');
        let end = self.out.len();
        Some(Some(Member { name, start, end }))
    }
}
