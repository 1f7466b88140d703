package splice

// Key consumes the key of the member that [Scanner.Next] moved to, and the colon
// behind it. It returns the key decoded. Do not change it; it is valid until the
// object's closing bracket is consumed. A key the object had before is an error.
func (s *Scanner) Key() []byte {
	at, escaped, ok := s.readKeySpan()
	if !ok {
		return nil
	}
	limit := s.MaxKeys
	if limit == 0 {
		limit = DefaultMaxKeys
	}
	if len(s.names.all) >= limit {
		s.fail(at.Start-1, ReasonTooManyKeys)
		return nil
	}
	s.key = at
	key, off := s.doc[at.Start:at.End], at.Start
	if escaped {
		off = len(s.names.decoded)
		s.names.decoded = AppendText(s.names.decoded, key)
		key = s.names.decoded[off:]
	}
	if !s.names.add(s.doc, &s.stack[len(s.stack)-1].scope, key, off, escaped) {
		s.fail(at.Start-1, ReasonDuplicateKey)
		return nil
	}
	return key[:len(key):len(key)]
}

// KeySpan tells where the content of the key lies that [Scanner.Key] read last. It
// reports false unless the value of that key comes next.
func (s *Scanner) KeySpan() (Span, bool) {
	if s.key.Start == 0 || s.Kind() == 0 || s.key.End >= s.pos {
		return Span{}, false
	}
	for i := s.key.End + 1; i < s.pos; i++ {
		if c := s.doc[i]; c != ':' && c > ' ' {
			return Span{}, false
		}
	}
	return s.key, true
}

// readKeySpan consumes a key and its colon and tells where the key's content lies,
// also when the key is whole and only the colon is missing. It leaves the
// comparison with other keys to the caller.
func (s *Scanner) readKeySpan() (at Span, escaped, ok bool) {
	if s.err != nil {
		return Span{}, false, false
	}
	if s.want != wantKey {
		return Span{}, false, s.fail(s.pos, ReasonOrder)
	}
	start := s.pos + 1
	end, escaped, why := scanText(s.doc, start)
	if why != "" {
		return Span{}, false, s.fail(end, why)
	}
	s.pos = end + 1
	if s.peek() != ':' && s.skipSpace() != ':' {
		return Span{start, end}, false, s.fail(s.pos, ReasonSyntax)
	}
	s.pos++
	s.want = wantValue
	return Span{start, end}, escaped, true
}

// String consumes a string. The span is its content, the bytes between the
// quotes; escaped says whether they hold a backslash, so that [AppendText] is
// needed to read them.
func (s *Scanner) String() (content Span, escaped bool) {
	if s.Kind() != String {
		s.failType()
		return Span{}, false
	}
	return s.readText()
}

// readText does what String does for a string that has been seen.
func (s *Scanner) readText() (content Span, escaped bool) {
	start := s.pos + 1
	end, escaped, why := scanText(s.doc, start)
	if why != "" {
		s.fail(end, why)
		return Span{}, false
	}
	s.pos = end + 1
	s.want = wantMore
	return Span{start, end}, escaped
}

// Number consumes a number. Its spelling is kept, its size is not limited.
func (s *Scanner) Number() Span {
	if s.Kind() != Number {
		s.failType()
		return Span{}
	}
	return s.readNumber()
}

// readNumber does what Number does for a number that has been seen.
func (s *Scanner) readNumber() Span {
	start := s.pos
	end, why := scanNumber(s.doc, start)
	if why != "" {
		s.fail(end, why)
		return Span{}
	}
	s.pos = end
	s.want = wantMore
	return Span{start, end}
}

// Bool consumes true or false and returns which.
func (s *Scanner) Bool() bool {
	switch s.Kind() {
	case True:
		return s.consumeLiteral("true")
	case False:
		s.consumeLiteral("false")
	default:
		s.failType()
	}
	return false
}

// Null consumes null.
func (s *Scanner) Null() {
	if s.Kind() != Null {
		s.failType()
		return
	}
	s.consumeLiteral("null")
}

// Skip consumes the next value of any kind. All of it is validated, the keys of
// its objects included. The span covers the whole value, a string's quotes too.
func (s *Scanner) Skip() Span {
	kind := s.Kind()
	start, depth := s.pos, len(s.stack)
	for {
		switch kind {
		case Object, Array:
			s.enter(kind)
		case String:
			s.readText()
		case Number:
			s.readNumber()
		case Null:
			s.consumeLiteral("null")
		case True:
			s.consumeLiteral("true")
		case False:
			s.consumeLiteral("false")
		}
		for len(s.stack) > depth && !s.Next() {
			if s.err != nil {
				return Span{}
			}
		}
		if s.err != nil {
			return Span{}
		}
		if len(s.stack) == depth {
			return Span{start, s.pos}
		}
		if s.want == wantKey {
			s.Key()
		}
		kind = s.Kind()
	}
}

// consumeLiteral consumes one of the three words, whose first letter has been seen.
func (s *Scanner) consumeLiteral(word string) bool {
	rest := s.doc[s.pos:]
	for i := range len(word) {
		if i >= len(rest) || rest[i] != word[i] {
			return s.fail(s.pos+i, ReasonSyntax)
		}
	}
	s.pos += len(word)
	s.want = wantMore
	return true
}

// failType sets the error for a value of another kind than the one asked for,
// unless there is an error that explains it.
func (s *Scanner) failType() { s.fail(s.pos, ReasonWrongType) }
