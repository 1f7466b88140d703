package pii

// detector is one row of the table of types.
type detector struct {
	name string
	pack string
	off  bool // found only if the type or its pack is requested
	// triggers say where in a text find is called.
	triggers []trigger
	// find looks at the text around a stop and returns the span of a value in the
	// folded text and its confidence, or 0 without a match. At digits, the groups
	// that start there are in s.num.
	find func(s *scan, at int) (from, to int, score float32)
	// formats and check replace find for a type whose values are groups of
	// letters and digits: see format.go.
	formats []string
	check   func(v *value) float32
	// spoken is set if check never returns more than spokenScore, so that no match counts
	// without a telling word before it.
	spoken bool
	// reach is the maximum length of a value in bytes, if it exceeds numberMax.
	reach int
	// threshold is the confidence that a match needs; by default defaultThreshold.
	threshold float32
	// penalty is subtracted if the nearest telling word is in against.
	penalty float32
	// words before a value make it likelier; hints make it a little likelier; and against make it likelier to be something
	// else. Lower case. The nearest telling word decides.
	words, hints, against []string
	// masked types are not stored: a mask replaces their values.
	masked bool

	row int // index in the table
}

// Scores follow one ladder: below 0.3 a mere format, 0.5 to 0.7 a format with
// its separators, 1 a checksum that holds. A telling word adds boost.
const (
	boost            = 0.35
	hintBoost        = 0.2
	defaultThreshold = 0.5
	// spokenScore is the highest score of a format that many other things share.
	spokenScore = 0.3
)

// builtin is the table of types. Earlier rows win a draw.
var builtin = concatDetectors(coreTypes, secretTypes, cardTypes, deviceTypes, bankTypes, documentTypes,
	usTypes, commonwealthTypes, europeTypes, latamTypes, asiaTypes, personTypes)

func concatDetectors(lists ...[]detector) (out []detector) {
	for _, l := range lists {
		out = append(out, l...)
	}
	for i := range out {
		out[i].row = i
		if out[i].threshold == 0 {
			out[i].threshold = defaultThreshold
		}
	}
	return out
}

// coreTypes are the six types that nearly every text can contain.
var coreTypes = []detector{
	{
		name: "EMAIL", pack: packCore, find: findEmail, reach: 220,
		triggers: []trigger{
			{at: "@", why: "between the local part and the domain", example: "anna.k@example.org"},
			{
				at: "([{<", look: mayBracketAt, find: findBracketedAt, beside: true,
				why: "opens the brackets around a written-out '@'", example: "anna.k (at) example.org",
			},
			{
				at: "_-", behind: byteSet{bytes: "aA"}, look: isJoined, find: findJoinedAt, beside: true,
				why: "stands before a written-out '@'", example: "anna.k_at_example.org",
			},
			{
				at: ".", before: newAlnumOr(""), behind: byteSet{classes: isLetter}, look: followsAtWord, find: findPlainAt, beside: true,
				why: "the first dot of a domain behind the word \"at\"", example: "mail me: anna.k at example.org",
			},
		},
	},
	{
		name: "CREDIT_CARD", pack: packCore, find: findCard, words: cardWords,
		triggers: []trigger{{
			at: digits09, before: newNoWordButEscaped(""), number: numberForm{digits: 12, first: [2]int{1, 19}},
			why: "the first group of the number", example: "4539 8245 5345 9855",
		}},
	},
	{
		name: "US_SSN", pack: packCore, find: findSSN, words: ssnWords,
		triggers: []trigger{{
			at: digits09, before: newNoWordButEscaped(".+"), number: numberForm{digits: 9, first: [2]int{3, 9}},
			why: "the area, or the whole number", example: "536-22-8726",
		}},
	},
	{
		name: "IBAN", pack: packCore, find: findIBAN,
		triggers: []trigger{
			{
				at: digits09, before: byteSet{classes: isLetter}, number: numberForm{digits: 2, first: [2]int{2, groupDigits}},
				why: "the check digits behind the country", example: "DE75370400440513110086",
			},
			{
				at: digits09, before: byteSet{bytes: " "}, find: findSpacedIBAN,
				number: numberForm{digits: 1, first: [2]int{2, 2}, early: true, country: true},
				why:    "the check digits behind the country and a space", example: "DE 75 3704 0044 0513 1100 86",
			},
		},
	},
	{
		name: "IP_ADDRESS", pack: packCore, find: findIP, penalty: 0.4, words: ipWords, hints: ipHints, against: versionWords,
		triggers: []trigger{
			{
				at: digits09, behind: byteSet{bytes: "."}, number: numberForm{digits: 4, first: [2]int{1, 3}, groups: 4},
				why: "the first part of an IPv4 address", example: "203.0.113.77",
			},
			{at: ":", before: aHexDigit, why: "the first colon of an IPv6 address", example: "2001:db8::ff00:42:8329"},
			{at: ":", behind: byteSet{bytes: ":"}, why: "begins a shortened IPv6 address", example: "ping6 ::1 now"},
		},
	},
	{
		name: "PHONE", pack: packCore, find: findPhone, penalty: 0.25, words: phoneWords, hints: phoneHints, against: otherNumberWords,
		triggers: []trigger{{
			at: digits09, before: newNoWordButEscaped(".-#$"), number: numberForm{digits: 6},
			why: "the first group of the number", example: "+49 30 901820",
		}},
	},
}
