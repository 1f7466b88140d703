package pii

// A trigger is what in the text makes a detector look.
type trigger uint8

const (
	onNumber  trigger = iota // the first digit of a group of digits
	onAt                     // an '@', or one in a spelling of markup or URLs
	onColon                  // a ':'
	onUpper                  // a capital letter
	onMark                   // '_', '-' or '.', which prefixes of keys hold
	onEqual                  // '=', or the end of a tag or of a first argument
	onPercent                // '%' or ';', which begin the tracks of a card
	triggers
)

// marks says which trigger a byte of class isMark is.
var marks = makeMarks()

func makeMarks() (t [256]trigger) {
	for c := 'A'; c <= 'Z'; c++ {
		t[c] = onUpper
	}
	t['_'], t['-'], t['.'] = onMark, onMark, onMark
	t['='], t['"'], t['>'] = onEqual, onEqual, onEqual
	t['%'], t[';'] = onPercent, onPercent
	return t
}

// detector is one row of the table of types.
type detector struct {
	name string
	pack string
	off  bool // not looked for unless the type or its pack is asked for
	on   []trigger
	// find looks at the text around a trigger and answers the span of a value
	// in the folded text and its confidence; 0 means there is none.
	// For onNumber the groups of digits from there on are in s.num.
	// Its gate in gates.go or gates_marks.go must let through all it takes.
	find func(s *scan, at int) (from, to int, score float32)
	// formats and check are what find is for a type whose values are groups of
	// letters and digits: see format.go.
	formats []string
	check   func(v *value) float32
	// spoken is set when check never gives more than spokenScore, so that nothing counts
	// without a telling word before it.
	spoken bool
	// digits is how many the run from an onNumber trigger on must have at least.
	digits int
	// reach is how many bytes a value may have when it can be longer than numberMax.
	reach int
	// threshold is the confidence a match needs; defaultThreshold unless written.
	threshold float32
	// penalty is taken off when the nearest telling word speaks against.
	penalty float32
	// words before a value that make it likelier; hints, a little likelier; and
	// against, likelier to be something else. Lower case; the nearest word that
	// tells decides.
	words, hints, against []string
	// masked types are not stored: a mask takes the place of their values.
	masked bool

	row int // place in the table
}

// Scores follow one ladder: below 0.3 a mere format, 0.5 to 0.7 a format with
// its separators, 1 a checksum that holds. A telling word adds boost.
const (
	boost            = 0.35
	hintBoost        = 0.2
	defaultThreshold = 0.5
	// spokenScore is the most that a form is worth that many other things have too.
	spokenScore = 0.3
)

// builtin is the table of types. Earlier rows win a draw.
var builtin = concat(coreTypes, secretTypes, cardTypes, deviceTypes, bankTypes, documentTypes,
	usTypes, commonwealthTypes, europeTypes, latamTypes, asiaTypes, personTypes)

func concat(lists ...[]detector) (out []detector) {
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

// coreTypes are the six that nearly every text can hold.
var coreTypes = []detector{
	{name: "EMAIL", pack: packCore, on: []trigger{onAt}, find: findEmail, reach: 220},
	{name: "CREDIT_CARD", pack: packCore, on: []trigger{onNumber}, find: findCard, digits: 12, words: cardWords},
	{name: "US_SSN", pack: packCore, on: []trigger{onNumber}, find: findSSN, digits: 9, words: ssnWords},
	{name: "IBAN", pack: packCore, on: []trigger{onNumber}, find: findIBAN, digits: 2},
	{name: "IP_ADDRESS", pack: packCore, on: []trigger{onNumber, onColon}, find: findIP, digits: 4, penalty: 0.4, words: ipWords, against: versionWords},
	{name: "PHONE", pack: packCore, on: []trigger{onNumber}, find: findPhone, digits: 6, penalty: 0.25, words: phoneWords, hints: phoneHints, against: otherNumberWords},
}
