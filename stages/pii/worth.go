package pii

// worth reports whether a mark at i can be the trigger of anything. It looks at
// the bytes beside it only, so that capitals, hyphens and full stops in prose
// cost next to nothing.
func (e *Engine) worth(t string, i int, c byte) bool {
	before, behind := byte(0), byte(0)
	if i > 0 {
		before = t[i-1]
	}
	last := i+1 >= len(t)
	if !last {
		behind = t[i+1]
	}
	if anchorAt(t, i, before, behind) != 0 {
		return true
	}
	switch c {
	case 'J', 'K':
		return before == 'y' || before == 'l' || e.initials && !word(before)
	case 'Q':
		return behind == '~' || last || e.initials && !word(before)
	case '-':
		return before == '-' && (behind == 'B' || last) || class[before]&isHex != 0 && i >= 2 && class[t[i-2]]&isHex != 0 ||
			e.email != nil && behind|0x20 == 'a' && isJoined(t, i)
	case '_':
		return i >= 6 && alnum(before) && alnum(t[i-6]) && (i == 6 || !alnum(t[i-7])) ||
			e.email != nil && behind|0x20 == 'a' && isJoined(t, i)
	case '.':
		return behind == 'e' || last || i >= 14 && alnum(before) && alnum(t[i-14]) || class[before]&isHex != 0 && class[behind]&isHex != 0 && i >= 4 || e.hosts && alnum(behind) ||
			e.email != nil && letter(behind) && alnum(before) && atBefore(t, i)
	case '"':
		return behind == ',' || last
	case '%':
		return behind|0x20 == 'b' || last
	case ';':
		return digit(behind) || last
	case '=', '>':
		return true
	}
	return e.initials && !word(before) // a capital
}

// stopAt says at which bytes the scanner stops: those that a rule looks at, but
// of the capitals only those at which worth can say yes.
func (e *Engine) stopAt() {
	for i := range e.stops {
		c := byte(i)
		marked := class[c]&isMark != 0 && len(e.on[marks[c]]) > 0 &&
			(!upper(c) || e.initials || within(c, "JKQ") || anchorOf[anchorRow[c]] != [256]uint8{})
		if marked || class[c]&isTrigger != 0 {
			e.stops[i] = 1
		}
		if e.wide && e.email != nil && opens(c) {
			e.stops[i] = 1
		}
	}
	e.lower, e.near = noneSmall(&e.stops), allNear(&e.stops)
}

// opens reports whether c is a bracket in which an '@' may be written out.
func opens(c byte) bool { return c == '(' || c == '[' || c == '{' || c == '<' }
