package pii

// isInAtSign reports whether the digits t[i:j] are the middle of an '@' written
// for a URL or for markup: %40, &#64; or &#x40;, or in JSON: \u0040.
func isInAtSign(t string, i, j int) bool {
	_, _, ok := findAtSign(t, i, j)
	return ok
}

// findAtSign returns the span of the '@' at i in any spelling; for encoded spellings i is the first digit.
func findAtSign(t string, i, j int) (from, to int, ok bool) {
	if t[i] == '@' {
		return i, i + 1, true
	}
	if i+2 > len(t) || i == 0 {
		return 0, 0, false
	}
	switch t[i-1] {
	case '%':
		if t[i:i+2] == "40" {
			return i - 1, i + 2, true
		}
	case '#':
		if i >= 2 && t[i-2] == '&' && t[i:j] == "64" && j < len(t) && t[j] == ';' {
			return i - 2, j + 1, true
		}
	case 'u':
		if i >= 2 && t[i-2] == '\\' && len(t)-i >= 4 && t[i:i+4] == "0040" {
			return i - 2, i + 4, true
		}
	case 'x', 'X':
		if i >= 3 && t[i-2] == '#' && t[i-3] == '&' && t[i:j] == "40" && j < len(t) && t[j] == ';' {
			return i - 3, j + 1, true
		}
	}
	return 0, 0, false
}

// hasAtSignAt reports whether another '@' is at i.
func hasAtSignAt(t string, i int) bool {
	if i == len(t) {
		return false
	}
	switch t[i] {
	case '@':
		return true
	case '%':
		return hasFold(t, i+1, "40")
	case '&':
		return hasFold(t, i+1, "#64;") || hasFold(t, i+1, "#x40;")
	}
	return false
}
