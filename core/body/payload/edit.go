package payload

import "github.com/headgate-dev/headgate/core/body/splice"

// Edit replaces bytes [Start, End) of a segment's decoded text. Offsets lie on
// rune boundaries.
type Edit struct {
	Segment    int
	Start, End int
	// With is the new text. It is ignored when Type is set.
	With string
	// Type, when set, asks for a reversible placeholder of that type: the chain
	// mints it through Tokens.
	Type string
	// Value is the value of the placeholder, when that is more than the
	// edited span holds: a value split over two segments.
	Value string
}

// Repetition is a value that repeats the text of a message or choice in another form,
// as log probabilities do. When that text is changed the value is replaced by
// null: it would tell what was taken out.
type Repetition struct {
	Message int32
	Span    splice.Span // of the whole value
	// Loose is true when the value says more than the text: other words, or those of
	// another text. It is replaced wherever a guard judges the text.
	Loose bool
}
