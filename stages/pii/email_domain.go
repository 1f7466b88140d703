package pii

import "unicode/utf8"

// findDomainEnd returns the end of the domain at i, or i without one: the longest run of labels whose last can be a top-level
// domain, or begins with one before a '-' if no other follows: "kim@example.org-2", but "kim@mail.uni-west.example.org".
func (s *scan) findDomainEnd(i int) int {
	t := s.v.s
	limit := len(t)
	if n := i + emailDomainMax; n < limit {
		limit = n
	}
	end, label, labels := i, i, 0
	for j := i; ; {
		for j < limit && (isAlnum(t[j]) || t[j] == '-') {
			j++
		}
		r, n := rune(0), 0
		if j < limit {
			if r, n = rune(t[j]), 1; r >= utf8.RuneSelf {
				r, n = utf8.DecodeRuneInString(t[j:])
			}
		}
		if r >= utf8.RuneSelf && isWordRune(r) {
			j += n
			continue
		}
		if j == label || t[label] == '-' || j-label > 63 && t[label] < utf8.RuneSelf {
			return end
		}
		if labels++; labels > 1 {
			if k := findTopLevelEnd(t, label, j); k > label {
				end = k
				if k < j && t[k] != '-' {
					return end
				}
			}
		}
		if r != '.' || t[j-1] == '-' || j+1 >= limit {
			return end
		}
		j++
		label = j
	}
}

// findTopLevelEnd returns the end of the top-level domain in the label t[i:j], or i: two or more letters, or punycode.
// In scripts without spaces, running text may follow directly.
func findTopLevelEnd(t string, i, j int) int {
	if j-i > 4 && t[i]|0x20 == 'x' && t[i+1]|0x20 == 'n' && t[i+2] == '-' && t[i+3] == '-' {
		if t[j-1] == '-' {
			return i
		}
		return j
	}
	k := i
	for k < j && isLetterByte(t[k]) {
		k++
	}
	switch {
	case k == i && t[i] >= utf8.RuneSelf:
		for k < j && t[k] >= utf8.RuneSelf {
			k++
		}
		if k == j || t[k] == '-' {
			return k
		}
		return i
	case k-i < 2:
		return i
	case k == j || t[k] == '-':
		return k
	case t[k] >= utf8.RuneSelf:
		if r, _ := utf8.DecodeRuneInString(t[k:]); isUnspaced(r) {
			return k
		}
		return j
	}
	return i
}
