package pii

import "strings"

// dumpGroups is how many groups of one size make a row of a dump: more than the parts of a card or of a phone number in pairs.
const dumpGroups = 6

// isInDumpRow reports whether the number at from is in a row of a dump of bytes, as xxd, hexdump and od write it: an offset that ends
// in 0, or with a ':' and a tab, and groups of hexadecimal or octal digits of one size, or characters in columns.
func isInDumpRow(s *scan, from int) bool {
	t, low := s.v.s, s.v.stepBack(from, keyedBack)
	begin := from
	for begin > low && t[begin-1] != '\n' {
		begin--
	}
	if begin > 0 && t[begin-1] != '\n' {
		return false
	}
	for begin < from && isOneOf(t[begin], " \t") {
		begin++
	}
	offset := findDumpOffset(t, begin)
	if offset == begin {
		end := readBareRow(t, begin)
		s.noteLookAhead(from, end+dumpReach)
		return from < end
	}
	groups, end, letters := readDumpGroups(t, offset)
	if groups < dumpGroups && !letters && !(groups > 2 && endsOctal(t[begin:end])) || groups < 3 {
		groups, end = readDumpCells(t, offset)
	}
	if groups < 3 {
		groups, end = readDumpColumns(t, offset)
	}
	s.noteLookAhead(from, end+dumpReach)
	return groups >= 3 && from < end
}

// findDumpOffset returns where the offset at i ends, or i if there is none.
func findDumpOffset(t string, i int) int {
	j := i
	for j < len(t) && j-i < 17 && class[t[j]]&isHex != 0 {
		j++
	}
	size := j - i
	if size < 3 || size > 16 || j >= len(t) {
		return i
	}
	if t[j] == ':' && findByteAt(t, j+1) == '\t' {
		return j + 1
	}
	if size < 6 || t[i] != '0' || t[j-1] != '0' && !(size == 7 && countsSixteens(t[i:j])) {
		return i
	}
	if t[j] == ':' {
		j++
	}
	return j
}

// countsSixteens reports whether v is a decimal number of whole rows of a dump, as od -A d writes offsets.
func countsSixteens(v string) bool {
	return strings.Trim(v, digits09) == "" && parseDecimal(v)%16 == 0
}

// readDumpGroups counts the groups of digits at i that have the size of the first, with one or two spaces or a tab before each, and
// returns where they end and whether one of them has a letter.
func readDumpGroups(t string, i int) (groups, end int, letters bool) {
	size := 0
	for end = i; groups < 2*dumpGroups+4; groups++ {
		j := end
		for j < len(t) && j-end < 2 && isOneOf(t[j], " \t") {
			j++
		}
		k, letterly := j, false
		for k < len(t) && k-j < 17 && class[t[k]]&isHex != 0 {
			letterly = letterly || isLetterByte(t[k])
			k++
		}
		if j == end || k == j || size > 0 && k-j != size || k < len(t) && isWordByte(t[k]) {
			return groups, end, letters
		}
		if size = k - j; size == 1 || size == 5 || size == 7 {
			return 0, end, false
		}
		end, letters = k, letters || letterly
	}
	return groups, end, letters
}

// endsOctal reports whether row is a row of od in its usual form: an offset of seven octal digits, and words of six. The last one is
// short.
func endsOctal(row string) bool {
	words := strings.Fields(row)
	for k, w := range words {
		if k == 0 && len(w) != 7 || k > 0 && (len(w) != 6 || w[0] > '1') || strings.Trim(w, "01234567") != "" {
			return false
		}
	}
	return true
}

// bareDigits is how many digits a row of a dump without an offset has at least: 16 bytes in hexadecimal.
const bareDigits = 32

// readBareRow returns where the row of a dump without an offset ends that begins behind a space at i, as od -A n writes it: 16 bytes in
// groups of one size, of which one has a letter or two are zeros. It returns i if there is none. Two cards have as many digits.
func readBareRow(t string, i int) int {
	if i == 0 || t[i-1] != ' ' {
		return i
	}
	groups, end, letters := readDumpGroups(t, i-1)
	if groups == 0 || end-i+1-groups < bareDigits || !letters && strings.Count(t[i-1:end], " 0000")+strings.Count(t[i-1:end], " 00 00") < 2 {
		return i
	}
	return end
}

// readDumpColumns counts the decimal numbers at i in columns of the width of the first, as od writes them, and returns where they end.
func readDumpColumns(t string, i int) (cells, end int) {
	width := 0
	for end = i; cells < 2*dumpGroups+4; cells++ {
		k := end
		for k < len(t) && k-end < 12 && isOneOf(t[k], " -") {
			k++
		}
		first := k
		for k < len(t) && k-end < 12 && isDigitByte(t[k]) {
			k++
		}
		if k == first || first == end || width > 0 && k-end != width {
			break
		}
		width, end = k-end, k
	}
	if cells < dumpGroups && !(width > 10 && cells > 3) {
		return 0, end
	}
	return cells, end
}

// readDumpCells counts the cells at i of four columns with one character, an escape or three octal digits at their right.
func readDumpCells(t string, i int) (cells, end int) {
	escapes := false
	for end = i; end+4 <= len(t) && cells < 2*dumpGroups+4; end += 4 {
		c := t[end : end+4]
		if c[0] != ' ' || c[3] == ' ' || c[3] == '\n' || c[1] != ' ' && (c[2] == ' ' || !isDigitByte(c[1])) {
			break
		}
		escapes = escapes || c[2] == '\\' || c[1] == ' ' && c[2] == ' '
		cells++
	}
	if cells < dumpGroups || !escapes {
		return 0, end
	}
	return cells, end
}
