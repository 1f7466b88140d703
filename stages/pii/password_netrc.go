package pii

// followsLogin reports whether the word "password" at i follows the login of a file .netrc: "login kim password x", with an
// account between them or not.
func followsLogin(s *scan, i int) bool {
	t, low := s.v.s, s.v.stepBack(i, lookBack)
	for range 2 {
		a, end := findTokenBefore(t, i, low)
		b, keyword := findTokenBefore(t, a, low)
		switch t[b:keyword] {
		case "login":
			return end > a
		case "account":
			i = b
		default:
			return false
		}
	}
	return false
}

// findTokenBefore returns the span of the word before i, and of no text where none begins behind low.
func findTokenBefore(t string, i, low int) (from, end int) {
	for i > low && isOneOf(t[i-1], " \t\n\r") {
		i--
	}
	end = i
	for i > low && t[i-1] > ' ' {
		i--
	}
	if i == low && low > 0 {
		return end, end
	}
	return i, end
}

// findNetrcPassword recognises the password behind the "password " of a file .netrc, whose value begins at from.
func findNetrcPassword(s *scan, from int) (int, int, float32) {
	t, to := s.v.s, from
	for to < len(t) && to-from <= 128 && t[to] > ' ' && !isOneOf(t[to], "`\"'\\") {
		to++
	}
	s.noteLookAhead(from, to+2)
	if v := t[from:to]; len(v) < 4 || len(v) > 128 || standsForSecret(v) || isPlainWord(v) {
		return 0, 0, 0
	}
	return from, to, 0.8
}
