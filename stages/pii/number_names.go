package pii

import "strings"

// findNameOfNumber returns the span of the name before the number at i with '=', ':' or '(' between them, and spaces and quotes.
func findNameOfNumber(s *scan, i int) (from, end int) {
	t, low := s.v.s, s.v.stepBack(i, keyedBack)
	end = i
	for end > low && i-end < 6 && isOneOf(t[end-1], "=: \"'(\\") {
		end--
	}
	if !strings.ContainsAny(t[end:i], "=:(") {
		return i, i
	}
	for from = end; from > low && isWordByte(t[from-1]); {
		from--
	}
	return from, end
}

// isNamedNumber reports whether the name of the number at i ends as that of a number of a program that is as long as a card:
// `"checksumSeed": 4539824553459855`.
func isNamedNumber(s *scan, i int) bool {
	from, end := findNameOfNumber(s, i)
	name := strings.ToLower(strings.ReplaceAll(s.v.s[from:end], "_", ""))
	for _, w := range [...]string{"seed", "checksum", "hash", "crc", "crc64", "nonce", "fnv", "prime", "score"} {
		if strings.HasSuffix(name, w) {
			return true
		}
	}
	return followsOrganisations(s.v.s, i) || namesOrganisation(s.v.s[from:end])
}

// followsOrganisations reports whether the number at i is that of an organisation by the path before it: "organizations/4539824553459855".
func followsOrganisations(t string, i int) bool {
	for _, w := range [...]string{"organizations/", "organisations/", "orgs/"} {
		if k := i - len(w); k >= 0 && hasFold(t, k, w) && (k == 0 || !isWordByte(t[k-1])) {
			return true
		}
	}
	return false
}

// namesOrganisation reports whether a name is two words, the last of them a number and the one before it an organisation: "orgId".
func namesOrganisation(name string) bool {
	if k := findLastWord(name); k > 0 {
		head := strings.TrimRight(name[:k], "_")
		return isInSet(numberWords, name[k:]) && isInSet(organisations, head[findLastWord(head):])
	}
	for w := range numberWords {
		if head, ok := strings.CutSuffix(strings.ToLower(name), w); ok && isInSet(organisations, head) {
			return true
		}
	}
	return false
}

// numberWords end the names of numbers, and organisations precede them.
var (
	numberWords   = buildSet("id", "number", "no", "nr", "num")
	organisations = buildSet("org", "organization", "organisation")
)

// isNamedTime reports whether the number t[i:end] are the seconds or milliseconds since 1970 of a day from 2001 to 2038, and its name says
// that they are: `"created":1782321616`.
func isNamedTime(s *scan, i, end int) bool {
	t := s.v.s
	if size := end - i; size != 10 && size != 13 || t[i:i+10] > "2147483647" || t[i] == '0' {
		return false
	}
	from, to := findNameOfNumber(s, i)
	name := t[from:to]
	if isInSet(timeNames, name) {
		return true
	}
	for k := len(name) - 1; k > 0 && strings.ContainsAny(t[to:i], "=:"); k-- {
		if name[k-1] == '_' || isUpper(name[k]) && !isUpper(name[k-1]) {
			return isInSet(timeNouns, strings.ToLower(name[k:]))
		}
	}
	return false
}

// isNamedMoment reports whether the number behind the '+' at i is one in one piece whose name has several words and ends in one for a time
// since 1970: `const maxTimestamp = +253402300799`. A word alone may end what somebody writes: "for 30 seconds: +14155552671".
func isNamedMoment(s *scan, i int) bool {
	if s.v.s[i] != '+' || s.num.n > 1 {
		return false
	}
	from, end := findNameOfNumber(s, i)
	name := s.v.s[from:end]
	k := findLastWord(name)
	return k > 0 && isInSet(momentNouns, name[k:]) && !holdsPhoneWord(name)
}

// isNamedCount reports whether the number at i has nine digits at most and no zero first, and its name ends in a word for how many
// there are of something and has none for a phone: "weight_count == 4080512".
func isNamedCount(s *scan, i int) bool {
	n := &s.num
	if n.n > 1 || n.countDigits(0) > 9 || s.v.s[i] == '0' {
		return false
	}
	from, end := findNameOfNumber(s, i)
	name := s.v.s[from:end]
	k := findLastWord(name)
	return k > 0 && isInSet(countNouns, name[k:]) && !holdsPhoneWord(name)
}

// countNouns end the names of counts and sizes.
var countNouns = buildSet("count", "counts", "size", "length", "len", "bytes", "offset", "total", "params", "width",
	"height", "limit", "rows", "lines")

// momentNouns end the names of times since 1970.
var momentNouns = buildSet("timestamp", "epoch", "millis", "milliseconds", "seconds", "nanoseconds", "nanos")

// timeNames are names of times, and timeNouns the last words of such names. People write "reach me at: 2125550187".
var (
	timeNames = buildSet("created", "updated", "modified", "expires", "timestamp", "epoch", "iat", "exp", "nbf", "ts", "mtime", "ctime")
	timeNouns = buildSet("created", "updated", "modified", "expires", "expiry", "timestamp", "time", "date", "since", "until", "at", "ts",
		"epoch", "seconds", "millis", "ms", "start", "end", "reset", "now")
)

// isIdentifierInPath reports whether the digits t[i:end], more than phone numbers with their country code have, are the
// last part of a path: "https://faq.example.com/539178204879377".
func isIdentifierInPath(t string, i, end int) bool {
	return end-i > 13 && findByteBefore(t, i) == '/'
}
