package pii

// appSecret is the length of the secret in an access token of an app of Facebook, "214748364712345|q8Zr2LmX0vTn4KpW9sBdQ7fHc3y".
const appSecret = 27

// followsAppNumber reports whether fourteen digits precede i.
func followsAppNumber(t string, i int) bool {
	return i >= 14 && isDigitByte(t[i-14]) && isDigitByte(t[i-7])
}

// findAppToken recognises the access token of an app of Facebook at the '|' between the number of the app and its secret.
func findAppToken(s *scan, i int) (int, int, float32) {
	t := s.v.s
	a := i
	for a > 0 && i-a < 18 && isDigitByte(t[a-1]) {
		a--
	}
	if n := i - a; n < 14 || n > 17 || a > 0 && (isWordByte(t[a-1]) || t[a-1] == '|') {
		return 0, 0, 0
	}
	j := i + 1
	for j < len(t) && j-i <= appSecret+1 && keySet[t[j]]>>dashes&1 != 0 {
		j++
	}
	if j-i-1 < appSecret && len(t)-j > 1 {
		return 0, 0, 0 // it ends here, whatever follows
	}
	s.noteLookAhead(a, j+1)
	if secret := t[i+1 : j]; len(secret) != appSecret || !isWildlyMixed(secret) || looksLikeName(secret) || isFilled(secret) {
		return 0, 0, 0
	}
	return a, j, 0.9
}
