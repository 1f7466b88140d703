package pii

import "github.com/headgate-dev/headgate/core/body/zerocopy"

// findIBAN recognises an International Bank Account Number of ISO 13616: the
// length of its country and the check of ISO 7064 mod 97-10; in one piece or
// in groups of four, in either case. It starts from the two check digits.
func findIBAN(s *scan, i int) (int, int, float32) {
	t := s.v.s
	if i < 2 || i+2 > len(t) || !isLetterByte(t[i-1]) || !isLetterByte(t[i-2]) || s.num.countDigits(0) < 2 {
		return 0, 0, 0
	}
	if !canBeginIBAN(t, i-2) {
		return 0, 0, 0
	}
	size := findIBANLength(t[i-2], t[i-1])
	if size == 0 {
		return 0, 0, 0
	}
	end, ok := findIBANBody(t, i-2, size)
	if !ok || end < len(t) && isWordByte(t[end]) && !precedesBIC(t, end) || !passesMod97(t[i-2:end]) {
		return findLooseIBAN(s, i-2, size)
	}
	return i - 2, end, 1
}

// findSpacedIBAN recognises an IBAN with a space between the country, in capitals, and the check digits at i.
func findSpacedIBAN(s *scan, i int) (int, int, float32) {
	t := s.v.s
	if i < 3 || t[i-1] != ' ' || !isUpper(t[i-2]) || !isUpper(t[i-3]) || !canBeginIBAN(t, i-3) {
		return 0, 0, 0
	}
	size, digits := findIBANLength(t[i-3], t[i-2]), s.num.countDigits(0)
	if size == 0 || digits > 2 {
		return 0, 0, 0
	}
	if s.noteLookAhead(i-3, i+3); digits < 2 {
		return 0, 0, 0
	}
	return findLooseIBAN(s, i-3, size)
}

// precedesBIC reports whether the word BIC follows without a space.
func precedesBIC(t string, i int) bool { return hasFold(t, i, "bic") || hasFold(t, i, "swift") }

// ibanGap bounds what stands between two groups of a loosely written IBAN.
const ibanGap = 6

// findLooseIBAN reads size letters and digits from i on with any of the usual
// separators, or a tag, before any of them.
func findLooseIBAN(s *scan, i, size int) (int, int, float32) {
	t := s.v.s
	var c [34]byte
	j, gaps := i, 0
	for k := 0; k < size; k++ {
		gap := j
		for k > 0 && j < len(t) && j-gap < ibanGap {
			if e := findTagEnd(t, j); e > j {
				j = min(e, len(t))
			} else if separates(t[j]) || t[j] == '_' {
				j++
			} else {
				break
			}
		}
		if j > gap {
			gaps++
		}
		if j >= len(t) {
			s.noteLookAhead(i, len(t)+1)
			return 0, 0, 0
		}
		if !isAlnum(t[j]) {
			s.noteLookAhead(i, j+tagMax)
			return 0, 0, 0
		}
		c[k] = t[j]
		j++
	}
	s.noteLookAhead(i, j+6)
	if gaps == 0 || j < len(t) && isWordByte(t[j]) && !precedesBIC(t, j) || !hasDigits(c[:size]) || !passesMod97(zerocopy.String(c[:size])) {
		return 0, 0, 0
	}
	return i, j, 0.9
}

// canBeginIBAN reports whether an IBAN may begin at i: at a boundary, or directly
// behind the word IBAN.
func canBeginIBAN(t string, i int) bool {
	if i == 0 || !isWordByte(t[i-1]) || isGlued(t, i) {
		return true
	}
	return i >= 4 && t[i-4]|0x20 == 'i' && t[i-3]|0x20 == 'b' && t[i-2]|0x20 == 'a' && t[i-1]|0x20 == 'n' && (i == 4 || !isWordByte(t[i-5]))
}

// findIBANBody reads size letters and digits from i on, with the same separator
// after every fourth or none at all, and returns where they end.
func findIBANBody(t string, i, size int) (end int, ok bool) {
	group, sep := size, byte(0)
	if i+4 < len(t) && (t[i+4] == ' ' || t[i+4] == '-') {
		group, sep = 4, t[i+4]
	}
	for {
		n := min(group, size)
		if len(t)-i < n {
			return 0, false
		}
		for _, c := range []byte(t[i : i+n]) {
			if !isAlnum(c) {
				return 0, false
			}
		}
		i += n
		if size -= n; size == 0 {
			return i, true
		}
		if i >= len(t) || t[i] != sep {
			return 0, false
		}
		i++
	}
}

// passesMod97 checks the number in t, which may hold separators: the country and the check digits
// count as its last. No IBAN has 00, 01 or 99 as its check digits: they are 98 less a remainder.
func passesMod97(t string) bool {
	if check := t[2:4]; check == "00" || check == "01" || check == "99" {
		return false
	}
	return computeRest97(computeRest97(0, t[4:]), t[:4])%97 == 1
}

// hasDigits reports whether two in five characters are digits. Words have fewer, and one in 97 of them passes mod97.
func hasDigits(c []byte) bool {
	n := 0
	for _, b := range c {
		if isDigitByte(b) {
			n++
		}
	}
	return n*5 >= len(c)*2
}

// computeRest97 appends the digits of t to n and returns a number with the same remainder modulo 97.
func computeRest97(n uint64, t string) uint64 {
	for i := range len(t) {
		switch c := t[i]; {
		case isDigitByte(c):
			n = n*10 + uint64(c-'0')
		case isLetterByte(c):
			n = n*100 + uint64(c|0x20-'a') + 10
		}
		if n >= 1e17 {
			n %= 97
		}
	}
	return n
}

// findIBANLength returns the length of the IBANs of a country, 0 if it has none.
func findIBANLength(a, b byte) int {
	return int(ibanLengths[a&^0x20-'A'][b&^0x20-'A'])
}

// ibanLengths comes from the IBAN registry that SWIFT keeps for ISO 13616,
// release 99, and for the last line from the countries that use the format
// without being in it.
var ibanLengths = makeIBANLengths(map[string]uint8{
	"AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BI": 27, "BR": 29, "BY": 28,
	"CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DJ": 27, "DK": 18, "DO": 28, "EE": 20, "EG": 29, "ES": 24, "FI": 18,
	"FK": 18, "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28, "HN": 28, "HR": 21, "HU": 28,
	"IE": 22, "IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LC": 32, "LI": 21, "LT": 20,
	"LU": 20, "LV": 21, "LY": 25, "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MN": 20, "MR": 27, "MT": 31, "MU": 30, "NI": 28,
	"NL": 18, "NO": 15, "OM": 23, "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22, "RU": 33, "SA": 24,
	"SC": 31, "SD": 18, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "SO": 23, "ST": 25, "SV": 28, "TL": 23, "TN": 24, "TR": 26,
	"UA": 29, "VA": 22, "VG": 24, "XK": 20, "YE": 30,
	"AO": 25, "BF": 28, "BJ": 28, "CF": 27, "CG": 27, "CI": 28, "CM": 27, "CV": 25, "DZ": 26, "GA": 27, "GQ": 27, "GW": 25,
	"IR": 26, "KM": 27, "MA": 28, "MG": 27, "ML": 28, "MZ": 25, "NE": 28, "SN": 28, "TD": 27, "TG": 28,
})

func makeIBANLengths(m map[string]uint8) (t [26][26]uint8) {
	for c, n := range m {
		t[c[0]-'A'][c[1]-'A'] = n
	}
	return t
}
