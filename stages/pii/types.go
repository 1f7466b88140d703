package pii

// A trigger is what in the text makes a detector look.
type trigger uint8

const (
	onNumber trigger = iota // the first digit of a group of digits
	onAt                    // an '@', or one in a spelling of markup or URLs
	onColon                 // a ':'
	triggers
)

// detector is one row of the table of types.
type detector struct {
	name string
	on   []trigger
	// find looks at the text around a trigger and answers the span of a value
	// in the folded text and its confidence; 0 means there is none.
	// For onNumber the groups of digits from there on are in s.num.
	find func(s *scan, at int) (from, to int, score float32)
	// digits is how many the run from an onNumber trigger on must have at least.
	digits int
	// threshold is the confidence a match needs.
	threshold float32
	// penalty is taken off when the nearest telling word speaks against.
	penalty float32
	// words before a value that make it likelier; hints, a little likelier; and
	// against, likelier to be something else. Lower case; the nearest word that
	// tells decides.
	words, hints, against []string

	row int // place in the table
}

// Scores follow one ladder: below 0.3 a mere format, 0.5 to 0.7 a format with
// its separators, 1 a checksum that holds. A telling word adds boost.
const (
	boost            = 0.35
	hintBoost        = 0.2
	defaultThreshold = 0.5
)

// builtin is the table of types. Earlier rows win a draw.
var builtin = []detector{
	{name: "EMAIL", on: []trigger{onAt}, find: findEmail, threshold: defaultThreshold},
	{name: "CREDIT_CARD", on: []trigger{onNumber}, find: findCard, digits: 12, threshold: defaultThreshold, words: cardWords},
	{name: "US_SSN", on: []trigger{onNumber}, find: findSSN, digits: 9, threshold: defaultThreshold, words: ssnWords},
	{name: "IBAN", on: []trigger{onNumber}, find: findIBAN, digits: 2, threshold: defaultThreshold},
	{name: "IP_ADDRESS", on: []trigger{onNumber, onColon}, find: findIP, digits: 4, threshold: defaultThreshold, penalty: 0.4, words: ipWords, against: versionWords},
	{name: "PHONE", on: []trigger{onNumber}, find: findPhone, digits: 6, threshold: defaultThreshold, penalty: 0.25, words: phoneWords, hints: phoneHints, against: otherNumberWords},
}
