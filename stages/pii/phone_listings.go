package pii

import (
	"slices"
	"strings"
)

// inodeReach is how far behind the number of an inode the rights of its file are read.
const inodeReach = 28

// numbersInode reports whether the number t[from:end] stands first in its line, before the number of blocks and the rights of a file, as
// find -ls and ls -lis print them.
func numbersInode(s *scan, from, end int) bool {
	t := s.v.s
	k := from
	for k > 0 && from-k < 12 && t[k-1] == ' ' {
		k--
	}
	if k > 0 && t[k-1] != '\n' {
		return false
	}
	s.noteLookAhead(from, end+inodeReach)
	words := strings.Fields(t[end:min(len(t), end+inodeReach)])
	for n := 0; n < len(words) && n < 2; n++ {
		if w := words[n]; len(w) > 9 && isOneOf(w[0], "-dlbcps") && isOneOf(w[1], "r-") && isOneOf(w[2], "w-") && isOneOf(w[4], "r-") {
			return true
		}
	}
	return false
}

// hasSpaces reports whether a space follows each of the first count groups.
func (n *numbers) hasSpaces(count int) bool {
	for k := range count {
		if n.sep[k] != ' ' {
			return false
		}
	}
	return true
}

// beginsRow reports whether the groups stand first in their line and are more numbers with one space between them than a phone number
// has, as in the columns of a program: "15630412 18 1601216033".
func beginsRow(t string, n *numbers, from int) bool {
	return n.n > 2 && n.sep[0] == ' ' && n.sep[1] == ' ' && findByteBefore(t, from) == '\n' &&
		n.countDigits(0)+n.countDigits(1)+n.countDigits(2) > 15
}

// areModes reports whether two groups are the modes of a file in git, before and after a change: ":100644 100644 f93e6959".
func areModes(t string, n *numbers) bool {
	return n.sep[0] == ' ' && isInSet(fileModes, t[n.start[0]:n.end[0]]) && isInSet(fileModes, t[n.start[1]:n.end[1]])
}

var fileModes = buildSet("000000", "040000", "100644", "100755", "120000", "160000")

// isRevision reports whether the groups begin with the version of a package and its revision: "6.44-1 200".
func isRevision(t string, n *numbers) bool {
	return n.n > 2 && n.sep[0] == '.' && n.sep[1] == '-' && t[n.start[0]] != '0' && n.countDigits(0) < 3 && n.countDigits(2) < 3
}

// numbersEntry reports whether two groups are the number of an entry in a stream of Redis, milliseconds since 1970, or seconds in
// tests, and a count: "1692632647899-0". Behind a word for a phone they are its number and an extension.
func numbersEntry(s *scan, n *numbers) bool {
	if n.sep[0] != '-' || n.countDigits(1) > 2 {
		return false
	}
	switch n.countDigits(0) {
	case 13:
		return s.judgeContext(n.start[0], s.e.phone) != speaksFor
	case 10:
		return s.v.s[n.start[0]] == '1' && !s.isSpokenFor(n.start[0], s.e.phone)
	}
	return false
}

// setsConstant reports whether the number at from is the value of a constant in a program whose name does not end as that of a phone:
// "ERROR__CALL_DEPTH = 4615032".
func setsConstant(s *scan, from int) bool {
	t, low := s.v.s, s.v.stepBack(from, keyedBack)
	end := from
	for end > low && isOneOf(t[end-1], " =:") {
		end--
	}
	k := end
	for k > low && (isUpper(t[k-1]) || isDigitByte(t[k-1]) || t[k-1] == '_') {
		k--
	}
	cut := strings.LastIndexByte(t[k:end], '_')
	if end == from || cut < 1 || k > 0 && isWordByte(t[k-1]) {
		return false
	}
	last := strings.ToLower(t[k+cut+1 : end])
	return !slices.Contains(phoneWords, last) && !isInSet(numberNames, last)
}

// numberNames end names behind "phone" that say that its number follows.
var numberNames = buildSet("number", "numbers", "no", "nr", "num", "id", "to", "from", "us", "uk", "de", "")

// abbreviatesHash reports whether the number t[from:end] stands first in its line, and a hexadecimal number as long, with a
// letter, first in the line before: hashes of commits without a letter occur in every long history.
func abbreviatesHash(s *scan, from, end int) bool {
	t, low := s.v.s, s.v.stepBack(from, keyedBack)
	start := skipGraph(t, low, from)
	if end-from < 7 || start <= low || t[start-1] != '\n' {
		return false
	}
	k := start - 1
	for k > low && t[k-1] != '\n' {
		k--
	}
	if k == low && low > 0 {
		return false
	}
	for k < start && isOneOf(t[k], "*|/\\ ") {
		k++
	}
	j, letters := k, false
	for j < start && class[t[j]]&isHex != 0 {
		letters = letters || isLetterByte(t[j])
		j++
	}
	return j-k == end-from && letters && t[j] == ' '
}

// skipGraph returns where the branches of a graph begin that git draws before a commit at i, or i.
func skipGraph(t string, low, i int) int {
	for i > low && isOneOf(t[i-1], "*|/\\ ") {
		i--
	}
	return i
}
