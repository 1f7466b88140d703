package pii

import "strings"

// nameLeads are words that precede a person's name, with the space behind them.
var nameLeads = []string{
	"mr. ",
	"mrs. ",
	"ms. ",
	"miss ",
	"dr. ",
	"prof. ",
	"mr ",
	"mrs ",
	"ms ",
	"dr ",
	"prof ",
	"sir ",
	"madam ",
	"herr ",
	"frau ",
	"señor ",
	"señora ",
	"sr. ",
	"sra. ",
	"monsieur ",
	"madame ",
	"mme ",
	"name is ",
	"named ",
	"name: ",
	"i am ",
	"i'm ",
	"call me ",
	"signed, ",
	"regards, ",
	"regards,\n",
	"sincerely, ",
	"sincerely,\n",
	"dear ",
	"patient ",
	"attn: ",
	"contact: ",
	"employee: ",
	"customer: ",
	"je m'appelle ",
	"mi nombre es ",
	"me llamo ",
	"ich heiße ",
	"mein name ist ",
}

// leadsBy maps the last byte but one to the leads.
var leadsBy = func() (t [256][]string) {
	for _, l := range nameLeads {
		c := l[len(l)-2] | 0x20
		t[c] = append(t[c], l)
	}
	return t
}()

// notNames look like names behind "I am".
var notNames = buildSet(
	"the",
	"a",
	"an",
	"not",
	"so",
	"very",
	"sorry",
	"sir",
	"madam",
	"customer",
	"support",
	"team",
	"all",
	"it",
	"ok",
	"okay",
	"here",
	"there",
	"this",
	"that",
	"from",
	"in",
	"at",
	"on",
	"your",
	"our",
	"my",
	"hiring",
	"no",
	"yes",
	"and",
	"or",
	"monday",
	"tuesday",
	"wednesday",
	"thursday",
	"friday",
	"saturday",
	"sunday",
	"english",
	"german",
	"french",
	"american",
	"british",
	"us",
	"usa",
	"uk",
	"ai",
	"chatgpt",
	"claude",
	"mr",
	"mrs",
	"ms",
	"dr",
	"prof",
	"professor",
	"herr",
	"frau",
	"madame",
	"monsieur",
	"miss",
	"señor",
	"señora",
)

// findPerson recognises one to four capitalised words behind an introduction. It misses names without an introduction,
// which need a language model.
func findPerson(s *scan, i int) (int, int, float32) {
	t := s.v.s
	if i < 3 || t[i-1] != ' ' && t[i-1] != '\n' || !s.isIntroduced(i) {
		return 0, 0, 0
	}
	end := s.findNameEnd(i)
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

// findNameEnd returns the end of one to four words with capitals from i on, or 0. Particles
// may be between them.
func (s *scan) findNameEnd(i int) (end int) {
	t, j := s.v.s, i
	for range 4 {
		k := j
		for k < len(t) && k-j < 24 && (isLetterByte(t[k]) || t[k] >= 0x80 || (t[k] == '\'' || t[k] == '-') && k > j) {
			k++
		}
		s.noteLookAhead(i, k+2)
		w := t[j:k]
		if w == "" || isLetterByte(w[0]) && !isUpper(w[0]) && !(end > 0 && isParticle(w)) || k-j == 24 || notNames[lowerShort(w)] {
			break
		}
		if !isParticle(w) {
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
	return end
}

func (s *scan) isIntroduced(i int) bool {
	t, low := s.v.s, s.v.stepBack(i, tokenBack)
	for _, l := range leadsBy[t[i-2]|0x20] {
		j := i - len(l)
		if j >= low && t[i-1] == l[len(l)-1] && hasFold(t, j, l) && (j == 0 || !isWordByte(t[j-1])) {
			return true
		}
	}
	return false
}

func isParticle(w string) bool {
	switch w {
	case "de", "van", "von", "der", "den", "da", "di", "la", "le", "del", "bin", "al":
		return true
	}
	return false
}
