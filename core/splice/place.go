package splice

import (
	"bytes"
	"errors"
	"unicode/utf8"
)

// Errors about edits of JSON text. They carry no input text.
var (
	// ErrStructure says that an edit touches a bracket, comma, colon, quote or
	// white space of JSON text, where no replacement could keep it JSON.
	ErrStructure = errors.New("splice: edit over the structure of JSON text")
	// ErrTruncated says that an edit touches a number or literal that the end of
	// the text may have cut, so that it cannot be quoted yet.
	ErrTruncated = errors.New("splice: edit over a value that may not be complete")
)

// Place is what a range of JSON text lies in.
type Place uint8

// The places. The zero Place says that nothing was looked up.
const (
	InString  Place = iota + 1 // the content of a string, a key too
	InNumber                   // a number, or one of true, false and null
	Structure                  // everything else, and ranges over several places
)

// PlaceAt rewrites edits of JSON text, such as the arguments of a tool call, so
// that the result is JSON text still, and appends them to dst in order of their
// place. They then go to [Cuts] like edits of any text.
//
// Inside a string, keys included, the replacement is escaped once. Over any part
// of a number or literal the edit grows to the whole of it, and what results is
// written quoted: 12345 with 34 replaced by x becomes "12x5". Anything else is
// [ErrStructure]. Whether two keys become equal by their edits is not checked.
//
// The text may be cut off at its end, as in a stream. Edits in a string are
// decided all the same; a number that ends the text inside an array or object
// gives [ErrTruncated]. Other errors are [ErrRange], [ErrOverlap], [ErrText],
// [ErrRune] for an offset inside an escape, and a [*SyntaxError] when the text up
// to the last edit is not JSON. On an error dst comes back unchanged.
func PlaceAt(jsonText []byte, edits []Edit, dst []Edit) ([]Edit, error) {
	if len(edits) == 0 {
		return dst, nil
	}
	edits = ordered(edits)
	if err := checkEdits(jsonText, edits); err != nil {
		return dst, err
	}
	l := openLeaves(jsonText)
	defer l.close()
	out := dst
	for len(edits) > 0 {
		lf, ok := l.next()
		switch {
		case !ok:
			if err := l.err(); err != nil {
				return dst, err
			}
			return dst, ErrStructure
		case edits[0].Start > lf.End:
			continue
		}
		n := 0
		for ; n < len(edits) && edits[n].Start <= lf.End; n++ {
			if edits[n].Start < lf.Start || edits[n].End > lf.End {
				return dst, ErrStructure
			}
		}
		var err error
		if lf.place == InString {
			out, err = placeInString(out, jsonText, lf, edits[:n])
		} else {
			out, err = placeInNumber(out, jsonText, lf, edits[:n])
		}
		if err != nil {
			return dst, err
		}
		edits = edits[n:]
	}
	return out, nil
}

// Locate tells what the bytes of at belong to in JSON text, and for [InString]
// and [InNumber] where that string's content or that number lies. It fails with
// [ErrRange], or a [*SyntaxError] when the text up to there is not JSON.
func Locate(jsonText []byte, at Span) (Place, Span, error) {
	if !at.within(len(jsonText)) {
		return 0, Span{}, ErrRange
	}
	l := openLeaves(jsonText)
	defer l.close()
	for {
		lf, ok := l.next()
		switch {
		case !ok:
			if err := l.err(); err != nil {
				return 0, Span{}, err
			}
			return Structure, Span{}, nil
		case at.Start > lf.End:
		case at.Start < lf.Start || at.End > lf.End:
			return Structure, Span{}, nil
		default:
			return lf.place, lf.Span, nil
		}
	}
}

// checkEdits refuses edits, in order already, that no place can make good.
func checkEdits(text []byte, edits []Edit) error {
	last := 0
	for i := range edits {
		e := &edits[i]
		switch {
		case !(Span{e.Start, e.End}).within(len(text)):
			return ErrRange
		case e.Start < last:
			return ErrOverlap
		case !utf8.ValidString(e.With):
			return ErrText
		}
		last = e.End
	}
	return nil
}

// placeInString escapes the replacements of edits that lie in one string.
func placeInString(dst []Edit, text []byte, lf leaf, edits []Edit) ([]Edit, error) {
	at := lf.Start
	for _, e := range edits {
		for _, to := range [2]int{e.Start, e.End} {
			if !characterEnds(text, at, to) {
				return nil, ErrRune
			}
			at = to
		}
		with, err := encoded(e.With, 1)
		if err != nil {
			return nil, err
		}
		dst = append(dst, Edit{e.Start, e.End, with})
	}
	return dst, nil
}

// characterEnds reports whether to is on a character boundary of string content,
// given that at, somewhere before it, is one.
func characterEnds(text []byte, at, to int) bool {
	for {
		slash := bytes.IndexByte(text[at:to], '\\')
		if slash < 0 {
			break
		}
		n, why := scanEscape(text, at+slash)
		if at += slash + n; why != "" || at > to {
			return false
		}
	}
	if to < len(text) {
		return utf8.RuneStart(text[to])
	}
	// Text that was cut off may end within a character.
	r, size := utf8.DecodeLastRune(text[at:to])
	return r != utf8.RuneError || size != 1
}

// placeInNumber makes one edit of all that lie in one number: its spelling with
// the edits applied, quoted.
func placeInNumber(dst []Edit, text []byte, lf leaf, edits []Edit) ([]Edit, error) {
	if lf.open {
		return nil, ErrTruncated
	}
	with, at := []byte{'"'}, lf.Start
	for _, e := range edits {
		with = append(with, text[at:e.Start]...)
		with = AppendEscaped(with, e.With)
		at = e.End
	}
	with = append(with, text[at:lf.End]...)
	return append(dst, Edit{lf.Start, lf.End, string(append(with, '"'))}), nil
}
