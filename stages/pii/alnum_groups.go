package pii

// A run is a sequence of groups of letters and digits with single separators: its characters in upper case without the
// separators, and the end of each group.
type run struct {
	start  int
	chars  [runChars]byte
	n      int    // characters
	digits uint32 // which of them are digits
	groups int
	ends   [runGroups]int  // of group i in chars
	at     [runGroups]int  // of group i in the folded text, exclusive
	sep    [runGroups]byte // behind group i, 0 at the end
	reach  int             // the folded offset before which everything was inspected
}

// separates reports whether c may be between the groups of a run.
func separates(c byte) bool {
	return c == ' ' || c == '-' || c == '.' || c == '/' || c == '+'
}

// load reads the run that begins at i.
func (r *run) load(t string, i int) {
	r.start, r.n, r.groups, r.digits = i, 0, 0, 0
	for j := i; ; {
		for j < len(t) && isAlnum(t[j]) {
			if r.n == runChars {
				r.drop(j) // the group is too long for every type
				return
			}
			c := t[j]
			switch {
			case c >= 'a':
				c &^= 0x20
			case c <= '9':
				r.digits |= 1 << r.n
			}
			r.chars[r.n] = c
			r.n++
			j++
		}
		g := r.groups
		r.ends[g], r.at[g], r.sep[g] = r.n, j, 0
		r.groups++
		if r.reach = j + 1; j < len(t) && (separates(t[j]) || t[j] == ':' || t[j] == '@') {
			r.reach = j + 2
		}
		if r.groups == runGroups || j+1 >= len(t) || !separates(t[j]) || !isAlnum(t[j+1]) {
			return
		}
		if t[j] == ' ' && isLetterByte(t[j+1]) && !r.isLeadAt(t, j+1) {
			return
		}
		r.sep[g] = t[j]
		j++
	}
}

// drop removes the unfinished group; the group before it ends the run.
func (r *run) drop(j int) {
	r.reach = j + 1
	if r.groups == 0 {
		r.n = 0
		return
	}
	r.n = r.ends[r.groups-1]
}

// isLeadAt reports whether a short group of capitals, or one letter, is at i:
// behind a space nothing longer belongs to a number.
func (r *run) isLeadAt(t string, i int) bool {
	j := i
	for j < len(t) && (isUpper(t[j]) || j == i) && j-i <= leadMax {
		j++
	}
	r.reach = j + 1
	return j-i <= leadMax && j > i && (j == len(t) || !isLetterByte(t[j]))
}

// closes reports whether a value may end with group g.
func (s *scan) closes(r *run, g int) bool {
	t, j := s.v.s, r.at[g]
	switch r.sep[g] {
	case 0:
	case ' ':
		return true
	default:
		return false
	}
	if j == len(t) {
		return true
	}
	c := t[j]
	if isWordByte(c) {
		return false
	}
	if j+1 < len(t) && isAlnum(t[j+1]) && (separates(c) && c != ' ' || c == ':' && isDigitByte(t[j+1]) || c == '@') {
		return false
	}
	return true
}
