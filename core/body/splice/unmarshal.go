package splice

import (
	"encoding/json"
	"errors"
	"unicode/utf8"
)

// ErrUTF8 says that a document is not valid UTF-8, and so no JSON.
var ErrUTF8 = errors.New("the document is not valid UTF-8")

// Unmarshal is json.Unmarshal for documents that have not been scanned. Where bytes
// are not UTF-8 it gives ErrUTF8, as a Scanner gives an error: json puts U+FFFD in their
// place, and what the one read of a document would not be what the other did.
func Unmarshal(doc []byte, v any) error {
	if !utf8.Valid(doc) {
		return ErrUTF8
	}
	return json.Unmarshal(doc, v)
}
