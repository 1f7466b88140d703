package pii

// A trigger declares one context in which a value of a type can occur: a byte at
// which the scanner stops, and what must surround it. Every type lists its
// triggers in its row of the table of types (see builtin). NewEngine compiles the
// triggers of the requested types into the set of bytes that the scanner looks for
// and into one table lookup per stop.
//
// A trigger must hold wherever the type finds a value. It then changes no result: it
// saves calls. TestTriggersChangeNoResult compares the engine with one whose triggers
// always hold.
type trigger struct {
	// at has the bytes at which the scanner stops. A trigger at digits applies to a whole number: before and behind are the
	// bytes around its first group of digits.
	at string
	// before and behind must contain the bytes next to the stop. Before the start of the text the byte is 0. At its end any
	// byte may follow, so behind holds there, and for digits within gateTail bytes of it.
	before, behind byteSet
	// look checks more of the text around a stop than two bytes. Optional.
	look func(t string, i int) bool
	// names restricts the name in "name = value", see keyed. Optional.
	names []nameKind
	// number narrows a trigger at digits.
	number numberForm
	// find replaces the type's find. Optional.
	find func(s *scan, at int) (from, to int, score float32)
	// beside is set for triggers that are too frequent in prose for an engine of the first six types alone: they are used
	// only together with another type. See writtenForms.
	beside bool
	// why explains the role of the stop in a value, and example is a text with such a value.
	why, example string
}

// A numberForm is the form that a number must have for a trigger to hold.
type numberForm struct {
	digits int    // minimum of digits in all groups together
	first  [2]int // minimum and maximum in the first group; zero: any number
	groups int    // minimum of groups
	joined bool   // a letter touches the first group, or it has joinedDigits
	// early is set for a type that records how far it looked (see ahead) before it checks first, which then holds within
	// gateTail bytes of the end of the text.
	early bool
	// country is set for a type whose numbers have a country and a space before them: see isAloneAt.
	country bool
}

// Bytes at which triggers stop.
const (
	digits09  = "0123456789"
	lettersAZ = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

// A byteSet is a set of bytes. The zero value contains all.
type byteSet struct {
	bytes    string
	classes  uint8
	table    *[256]bool // further bytes; optional
	excluded bool       // the set is all other bytes
}

var aHexDigit = byteSet{classes: isHex}

// newAlnumOr returns the set of ASCII letters, digits and the given bytes.
func newAlnumOr(bytes string) byteSet { return byteSet{classes: isLetter | isDigit, bytes: bytes} }

// newNoWordNor returns the set of bytes that do not continue a word, without the given ones.
func newNoWordNor(bytes string) byteSet {
	return byteSet{classes: isLetter | isDigit, bytes: "_" + bytes, excluded: true}
}

// newNoWordButEscaped is newNoWordNor plus the letters that may end a JSON escape or a coded '+': "\\n4539", "%2B49". A value
// found behind them must check that one does.
func newNoWordButEscaped(bytes string) byteSet {
	return byteSet{table: &insideWord, bytes: bytes, excluded: true}
}

// insideWord has the bytes that continue a word and end no escape.
var insideWord = func() (t [256]bool) {
	for c := range 256 {
		t[c] = isWordByte(byte(c)) && !isOneOf(byte(c), "ntrBb")
	}
	return t
}()

func (s byteSet) coversAll() bool { return s.bytes == "" && s.classes == 0 && s.table == nil }

func (s byteSet) has(c byte) bool {
	if s.coversAll() {
		return true
	}
	in := isOneOf(c, s.bytes) || class[c]&s.classes != 0 || s.table != nil && s.table[c]
	return in != s.excluded
}
