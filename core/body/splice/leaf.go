package splice

// FindLeaf reads a string that lies in objects of one member each, and appends the keys that lead to it to path, with dots
// between them. ok is false for any other form; the caller must then read the document again.
func (s *Scanner) FindLeaf(path []byte) (keys []byte, at Span, escaped, ok bool) {
	switch s.Kind() {
	case String:
		at, escaped = s.String()
		return path, at, escaped, s.Err() == nil
	case Object:
	default:
		return path, at, false, false
	}
	members := 0
	s.Enter()
	for s.Next() {
		if members++; members > 1 {
			return path, at, false, false
		}
		if len(path) > 0 {
			path = append(path, '.')
		}
		if path, at, escaped, ok = s.FindLeaf(append(path, s.Key()...)); !ok {
			return path, at, false, false
		}
	}
	return path, at, escaped, ok
}

// ReadTextAt returns a copy of the text of the string at a place in doc.
func ReadTextAt(doc []byte, at Span, escaped bool) string {
	if escaped {
		return string(AppendText(nil, doc[at.Start:at.End]))
	}
	return string(doc[at.Start:at.End])
}
