package pii

import "strings"

// streetWords are the last words of street names, in lower case.
var streetWords = buildSet(
	"street",
	"st",
	"avenue",
	"ave",
	"av",
	"road",
	"rd",
	"boulevard",
	"blvd",
	"lane",
	"ln",
	"drive",
	"dr",
	"court",
	"ct",
	"circle",
	"cir",
	"square",
	"sq",
	"place",
	"pl",
	"terrace",
	"ter",
	"way",
	"parkway",
	"pkwy",
	"highway",
	"hwy",
	"crescent",
	"cres",
	"close",
	"row",
	"alley",
	"plaza",
	"trail",
	"loop",
	"mews",
	"gardens",
	"quay",
	"turnpike",
	"expressway",
	"grove",
	"heights",
)

// unitWords may follow a street, with a number behind.
var unitWords = buildSet("apt", "apartment", "suite", "ste", "unit", "flat", "floor", "fl", "room", "rm")

// streetReach is how many bytes behind the house number are inspected.
const streetReach = 72

// findStreet recognises "12 Some Name Street, Apt 4": a number, one to four capitalised words or ordinals, and a word for a
// street. It misses streets of other patterns.
func findStreet(s *scan, i int) (int, int, float32) {
	t, n := s.v.s, &s.num
	if n.n == 0 || n.countDigits(0) > 5 || n.prev != 0 && n.prev != ' ' || i > 0 && (isWordByte(t[i-1]) || isOneOf(t[i-1], ".-+$#/,")) {
		return 0, 0, 0
	}
	j := n.end[0]
	if j < len(t) && isLetterByte(t[j]) && (j+1 == len(t) || !isWordByte(t[j+1])) {
		j++ // 12b
	}
	end := s.findStreetEnd(i, j)
	if end == 0 {
		return 0, 0, 0
	}
	return i, s.findUnit(i, end), 0.6
}

// findStreetEnd returns the end of the name of a street behind the house number t[i:j], or 0.
func (s *scan) findStreetEnd(i, j int) (end int) {
	t := s.v.s
	for words := 0; words < 6; words++ {
		if j >= len(t) || t[j] != ' ' {
			s.noteLookAhead(i, j+1)
			break
		}
		k := j + 1
		for k < len(t) && k-i < streetReach && (isAlnum(t[k]) || t[k] >= 0x80 || t[k] == '\'') {
			k++
		}
		s.noteLookAhead(i, k+2)
		w := t[j+1 : k]
		if w == "" || k-i >= streetReach {
			break
		}
		if words > 0 && streetWords[lowerShort(w)] {
			if end = k; k < len(t) && t[k] == '.' {
				end++
			}
		} else if end > 0 || isLetterByte(w[0]) && !isUpper(w[0]) || isDigitByte(w[0]) && !isOrdinal(w) {
			break
		}
		if j = k; k < len(t) && t[k] == '.' {
			j++
		}
	}
	return end
}

// findUnit returns the end of the apartment behind a street.
func (s *scan) findUnit(from, i int) int {
	t, j := s.v.s, i
	if j < len(t) && t[j] == ',' {
		j++
	}
	s.noteLookAhead(from, j+24)
	if j >= len(t) || t[j] != ' ' {
		return i
	}
	k := j + 1
	for k < len(t) && k-j < 12 && isLetterByte(t[k]) {
		k++
	}
	if !unitWords[lowerShort(t[j+1:k])] {
		return i
	}
	if k < len(t) && t[k] == '.' {
		k++
	}
	if k >= len(t) || t[k] != ' ' {
		return i
	}
	e := k + 1
	for e < len(t) && e-k < 8 && isAlnum(t[e]) {
		e++
	}
	if e == k+1 || !isDigitByte(t[k+1]) && e-k > 3 {
		return i
	}
	return e
}

func isOrdinal(w string) bool {
	return len(w) >= 3 && isDigitByte(w[0]) && isOneOf(w[len(w)-1]|0x20, "tdh") && isLetterByte(w[len(w)-2])
}

// lowerShort returns a short word in lower case, or "" for a long one.
func lowerShort(w string) string {
	if len(w) > 14 {
		return ""
	}
	for i := range len(w) {
		if isUpper(w[i]) {
			return strings.ToLower(w)
		}
	}
	return w
}
