package pii

import "strings"

// streetWords end the name of a street, in lower case.
var streetWords = toSet("street", "st", "avenue", "ave", "av", "road", "rd", "boulevard", "blvd", "lane", "ln", "drive", "dr", "court", "ct", "circle", "cir", "square", "sq", "place", "pl", "terrace", "ter",
	"way", "parkway", "pkwy", "highway", "hwy", "crescent", "cres", "close", "row", "alley", "plaza", "trail", "loop", "mews", "gardens", "quay", "turnpike", "expressway", "grove", "heights")

// unitWords may follow a street, with a number behind.
var unitWords = toSet("apt", "apartment", "suite", "ste", "unit", "flat", "floor", "fl", "room", "rm")

// streetReach is how many bytes behind the house number are looked at.
const streetReach = 72

// findStreet recognises "12 Some Name Street, Apt 4": a number, one to four
// words with capitals or ordinals, and a word for a street. Streets of other
// patterns are missed.
func findStreet(s *scan, i int) (int, int, float32) {
	t, n := s.v.s, &s.num
	if n.n == 0 || n.digits(0) > 5 || n.prev != 0 && n.prev != ' ' || i > 0 && (word(t[i-1]) || within(t[i-1], ".-+$#/,")) {
		return 0, 0, 0
	}
	j := n.end[0]
	if j < len(t) && letter(t[j]) && (j+1 == len(t) || !word(t[j+1])) {
		j++ // 12b
	}
	end := 0
	for words := 0; words < 6; words++ {
		if j >= len(t) || t[j] != ' ' {
			s.ahead(i, j+1)
			break
		}
		k := j + 1
		for k < len(t) && k-i < streetReach && (alnum(t[k]) || t[k] >= 0x80 || t[k] == '\'') {
			k++
		}
		s.ahead(i, k+2)
		w := t[j+1 : k]
		if w == "" || k-i >= streetReach {
			break
		}
		if words > 0 && streetWords[lowered(w)] {
			if end = k; k < len(t) && t[k] == '.' {
				end++
			}
		} else if end > 0 || letter(w[0]) && !upper(w[0]) || digit(w[0]) && !ordinal(w) {
			break
		}
		if j = k; k < len(t) && t[k] == '.' {
			j++
		}
	}
	if end == 0 {
		return 0, 0, 0
	}
	return i, s.unit(i, end), 0.6
}

// unit answers where the apartment behind a street ends.
func (s *scan) unit(from, i int) int {
	t, j := s.v.s, i
	if j < len(t) && t[j] == ',' {
		j++
	}
	s.ahead(from, j+24)
	if j >= len(t) || t[j] != ' ' {
		return i
	}
	k := j + 1
	for k < len(t) && k-j < 12 && letter(t[k]) {
		k++
	}
	if !unitWords[lowered(t[j+1:k])] {
		return i
	}
	if k < len(t) && t[k] == '.' {
		k++
	}
	if k >= len(t) || t[k] != ' ' {
		return i
	}
	e := k + 1
	for e < len(t) && e-k < 8 && alnum(t[e]) {
		e++
	}
	if e == k+1 || !digit(t[k+1]) && e-k > 3 {
		return i
	}
	return e
}

func ordinal(w string) bool {
	return len(w) >= 3 && digit(w[0]) && within(w[len(w)-1]|0x20, "tdh") && letter(w[len(w)-2])
}

// lowered is a short word in lower case, "" for a long one.
func lowered(w string) string {
	if len(w) > 14 {
		return ""
	}
	for i := range len(w) {
		if upper(w[i]) {
			return strings.ToLower(w)
		}
	}
	return w
}

// nameLeads stand before a person's name, with the space behind them.
var nameLeads = []string{
	"mr. ", "mrs. ", "ms. ", "miss ", "dr. ", "prof. ", "mr ", "mrs ", "ms ", "dr ", "prof ", "sir ", "madam ", "herr ", "frau ", "señor ", "señora ", "sr. ", "sra. ", "monsieur ", "madame ", "mme ",
	"name is ", "named ", "name: ", "i am ", "i'm ", "call me ", "signed, ", "regards, ", "regards,\n", "sincerely, ", "sincerely,\n", "dear ", "patient ", "attn: ", "contact: ", "employee: ", "customer: ", "je m'appelle ", "mi nombre es ", "me llamo ", "ich heiße ", "mein name ist ",
}

// leadsBy has them by their last byte but one.
var leadsBy = func() (t [256][]string) {
	for _, l := range nameLeads {
		c := l[len(l)-2] | 0x20
		t[c] = append(t[c], l)
	}
	return t
}()

// notNames begin sentences and look like names behind "I am".
var notNames = toSet("the", "a", "an", "not", "so", "very", "sorry", "sir", "madam", "customer", "support", "team", "all", "it", "ok", "okay", "here", "there", "this", "that", "from", "in", "at", "on", "your", "our", "my", "hiring", "no", "yes", "and", "or",
	"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "english", "german", "french", "american", "british", "us", "usa", "uk", "ai", "chatgpt", "claude")

// findPerson recognises one to four words with capitals behind what introduces
// a name. Names without an introduction are missed: this is no language model.
func findPerson(s *scan, i int) (int, int, float32) {
	t := s.v.s
	if i < 3 || t[i-1] != ' ' && t[i-1] != '\n' || !s.introduced(i) {
		return 0, 0, 0
	}
	end, j := 0, i
	for range 4 {
		k := j
		for k < len(t) && k-j < 24 && (letter(t[k]) || t[k] >= 0x80 || (t[k] == '\'' || t[k] == '-') && k > j) {
			k++
		}
		s.ahead(i, k+2)
		w := t[j:k]
		if w == "" || letter(w[0]) && !upper(w[0]) && !(end > 0 && particle(w)) || k-j == 24 || notNames[lowered(w)] {
			break
		}
		if !particle(w) {
			end = k
		}
		if k-j == 1 && k < len(t) && t[k] == '.' {
			k++ // an initial
		}
		if k >= len(t) || t[k] != ' ' {
			break
		}
		j = k + 1
	}
	if end == 0 || end-i < 2 {
		return 0, 0, 0
	}
	for end > i && (t[end-1] == '\'' || t[end-1] == '-') {
		end--
	}
	if strings.HasSuffix(t[i:end], "'s") {
		end -= 2
	}
	return i, end, 0.6
}

func (s *scan) introduced(i int) bool {
	t, low := s.v.s, s.v.back(i, tokenBack)
	for _, l := range leadsBy[t[i-2]|0x20] {
		j := i - len(l)
		if j >= low && t[i-1] == l[len(l)-1] && hasFold(t, j, l) && (j == 0 || !word(t[j-1])) {
			return true
		}
	}
	return false
}

func particle(w string) bool {
	switch w {
	case "de", "van", "von", "der", "den", "da", "di", "la", "le", "del", "bin", "al":
		return true
	}
	return false
}

const typeURL = "URL"

// urlMax bounds a URL.
const urlMax = 2000

// findURL recognises URLs with a scheme of the web, and hosts that begin with
// "www." or stand with a path behind them.
func findURL(s *scan, i int) (int, int, float32) {
	t := s.v.s
	if t[i] != ':' {
		return s.bareHost(i)
	}
	a := schemeStart(t, i)
	if a == i || a > 0 && word(t[a-1]) {
		return 0, 0, 0
	}
	if i+3 > len(t) {
		if strings.HasPrefix("://", t[i:]) {
			s.ahead(a, len(t)+1)
		}
		return 0, 0, 0
	}
	if t[i+1] != '/' || t[i+2] != '/' {
		return 0, 0, 0
	}
	switch lowered(t[a:i]) {
	case "http", "https", "ftp", "ftps", "sftp", "ws", "wss", "file":
	default:
		return 0, 0, 0
	}
	if i < s.urlTo { // in another one
		return 0, 0, 0
	}
	end := s.urlEnd(a, i+3)
	s.urlTo = end
	if end-i < 6 {
		return 0, 0, 0
	}
	return a, end, 0.9
}

// urlEnd answers where a URL ends, without the punctuation of the sentence.
func (s *scan) urlEnd(from, i int) int {
	t, j := s.v.s, i
	for j < len(t) && j-from < urlMax && t[j] > ' ' && !within(t[j], "\"'<>`{}|\\^") {
		j++
	}
	s.ahead(from, j+1)
	for j > i && within(t[j-1], ".,;:!?)]") {
		if t[j-1] == ')' && strings.Contains(t[i:j], "(") {
			break
		}
		j--
	}
	return j
}

// topLevels are the ends of hosts without a scheme that count.
var topLevels = toSet("com", "org", "net", "edu", "gov", "io", "co", "de", "uk", "fr", "es", "it", "nl", "eu", "us", "ca", "au", "in", "jp", "cn", "br", "ch", "at", "be", "se", "no", "fi", "dk", "pl", "ru", "info", "biz", "dev", "app", "ai", "me", "tv", "il", "mx", "nz", "ie", "pt", "gr", "cz", "kr", "za")

// bareHost recognises a host at its first '.'.
func (s *scan) bareHost(i int) (int, int, float32) {
	t := s.v.s
	if t[i] != '.' || i == 0 || !alnum(t[i-1]) {
		return 0, 0, 0
	}
	a := s.back(i, dashes, 63)
	if a == i || a > 0 && (within(t[a-1], "@/.:=#%\\$") || word(t[a-1]) || t[a-1] >= 0x80) {
		return 0, 0, 0
	}
	last, labels, j := i, 0, i
	for j < len(t) && t[j] == '.' && j-a < 200 {
		k := j + 1
		for k < len(t) && k-j < 64 && (alnum(t[k]) || t[k] == '-') {
			k++
		}
		if k == j+1 {
			break
		}
		last, j = j, k
		labels++
	}
	s.ahead(a, j+2)
	www := hasFold(t, a, "www.")
	if labels == 0 || !topLevels[lowered(t[last+1:j])] || t[j-1] == '-' || www && labels < 2 || j < len(t) && (t[j] == '@' || t[j] == '_' || t[j] == '(') {
		return 0, 0, 0
	}
	end := j
	if j < len(t) && (t[j] == '/' || t[j] == '?' || t[j] == ':' && j+1 < len(t) && digit(t[j+1])) {
		end = s.urlEnd(a, j)
	}
	return a, end, pick(www, 0.9, 0.6)
}

// findUsername recognises what stands behind the name of a user name.
func findUsername(s *scan, i int) (int, int, float32) {
	t := s.v.s
	kind, from, to := s.keyed(i)
	if kind != namesUser {
		return 0, 0, 0
	}
	for to > from && within(t[to-1], ".,:") {
		to--
	}
	if to-from < 3 || to-from > 32 || !letter(t[from]) && t[from] < 0x80 || placeholderWord(t[from:to]) || trailingDigits(t[from:to]) > 8 {
		return 0, 0, 0
	}
	for k := from; k < to; k++ {
		if keySet[t[k]]>>dots&1 == 0 && t[k] < 0x80 {
			return 0, 0, 0
		}
	}
	return from, to, 0.6
}
