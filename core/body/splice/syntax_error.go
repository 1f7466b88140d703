package splice

import "strconv"

// Reason says in a few fixed words why a document was refused. It never holds
// input.
type Reason string

// The reasons a [Scanner] gives.
const (
	ReasonSyntax       Reason = "syntax"
	ReasonTruncated    Reason = "truncated"
	ReasonNumber       Reason = "malformed number"
	ReasonEscape       Reason = "malformed escape"
	ReasonSurrogate    Reason = "lone surrogate"
	ReasonControl      Reason = "control character in string"
	ReasonInvalidUTF8  Reason = "invalid UTF-8"
	ReasonDuplicateKey Reason = "duplicate key"
	ReasonTooDeep      Reason = "nested too deeply"
	ReasonTooManyKeys  Reason = "too many keys"
	ReasonTooLarge     Reason = "document too large"
	ReasonTrailing     Reason = "data after the value"
	ReasonWrongType    Reason = "wrong type"
	// ReasonOrder is a mistake of the calling code, not of the document: a
	// method was called where the grammar has no place for it.
	ReasonOrder Reason = "scanner called out of order"
)

// SyntaxError tells where and why a document was refused. Its text holds no
// part of the document.
type SyntaxError struct {
	Offset int // bytes from the start of the document
	Reason Reason
}

var _ error = (*SyntaxError)(nil)

func (e *SyntaxError) Error() string {
	return "invalid JSON at byte " + strconv.Itoa(e.Offset) + ": " + string(e.Reason)
}
