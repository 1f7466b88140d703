package pii

// isFormOfDigits reports whether v is the form of a number that others fill in, nine nines or more behind a country, "+7 (999)
// 999-99-99", or, without a '+', has eight digits or more, all of which are 0 and 1.
func isFormOfDigits(v string, plus bool) bool {
	nines, bits, others := 0, 0, 0
	for i := range len(v) {
		switch {
		case v[i] == '9':
			nines++
		case v[i] == '0', v[i] == '1':
			bits++
		case isDigitByte(v[i]):
			others++
		}
	}
	return nines > 8 && bits+others < 3 || !plus && bits > 7 && nines+others == 0
}

// numbersBill reports whether two groups are a year and a number of five digits that begins with 0, as bills have: "2024-00539".
func numbersBill(t string, n *numbers) bool {
	return n.sep[0] == '-' && isYear(t, n, 0) && n.countDigits(1) == 5 && t[n.start[1]] == '0'
}

// isCompactDate reports whether g is a date as "20240131".
func isCompactDate(g string) bool {
	return len(g) == 8 && (g[:2] == "19" || g[:2] == "20") && g[4:6] >= "01" && g[4:6] <= "12" && g[6:] >= "01" && g[6:] <= "31"
}
