package splice

import (
	"cmp"
	"errors"
	"slices"
	"unicode/utf8"
)

// Errors about edits of decoded text. They carry no input text.
var (
	// ErrRune says that an offset lies inside a character: between the bytes of
	// its UTF-8 form, or within the escape or surrogate pair that spells it.
	ErrRune = errors.New("splice: offset inside a character")
	// ErrText says that a replacement is not valid UTF-8.
	ErrText = errors.New("splice: replacement is not valid UTF-8")
	// ErrDepth says that text lies under more string escapes than [MaxEscapes].
	ErrDepth = errors.New("splice: too many levels of escapes")
)

// MaxEscapes is the largest depth [AppendCuts] accepts. Each level can double the
// length of what is written, and no client API shape needs more than two.
const MaxEscapes = 4

// Edit replaces bytes of a decoded text by With, which is plain text too. Start
// and End are byte offsets on character boundaries, half open. An empty range
// inserts.
type Edit struct {
	Start, End int
	With       string
}

// AppendCuts translates edits of a segment's decoded text into cuts of the document and
// appends them to dst, in order of their place. at is where the segment's raw
// bytes lie in doc, without the outermost quotes.
//
// depth is the number of string escapes around the text: 0 when the raw bytes are the text, as with an object in the
// document itself; 1 for an ordinary string; 2 for a string inside JSON text that a string holds. Replacements are
// escaped depth times.
//
// Edits may come in any order. It fails with [ErrRange], [ErrOverlap], [ErrRune],
// [ErrText] or [ErrDepth], and dst then comes back unchanged.
func AppendCuts(dst []Cut, doc []byte, at Span, depth uint8, edits []Edit) ([]Cut, error) {
	return AppendCutsAlong(dst, doc, at, depth, nil, edits)
}

// AppendCutsAlong is [AppendCuts] for a segment whose escapes [ReadTextAlong] has noted; with nil it searches for them.
func AppendCutsAlong(dst []Cut, doc []byte, at Span, depth uint8, escapes []uint32, edits []Edit) ([]Cut, error) {
	if len(edits) == 0 {
		return dst, nil
	}
	if !at.isWithin(len(doc)) {
		return dst, ErrRange
	}
	if depth > MaxEscapes {
		return dst, ErrDepth
	}
	edits = sortEdits(edits)
	w := walker{raw: doc[at.Start:at.End], depth: depth, known: escapes != nil, escapes: escapes}
	w.findSlash()
	out, last := dst, 0
	for i := range edits {
		e := &edits[i]
		if e.Start < 0 || e.End < e.Start {
			return dst, ErrRange
		}
		if e.Start < last {
			return dst, ErrOverlap
		}
		last = e.End
		start, err := w.advanceTo(e.Start)
		if err != nil {
			return dst, err
		}
		end, err := w.advanceTo(e.End)
		if err != nil {
			return dst, err
		}
		with, err := encodeReplacement(e.With, depth)
		if err != nil {
			return dst, err
		}
		out = append(out, Cut{Span{at.Start + start, at.Start + end}, with})
	}
	return out, nil
}

// sortEdits returns the edits sorted by position. It copies them only if they were unsorted.
func sortEdits(edits []Edit) []Edit {
	for i := 1; i < len(edits); i++ {
		if a, b := &edits[i-1], &edits[i]; a.Start > b.Start || a.Start == b.Start && a.End > b.End {
			edits = slices.Clone(edits)
			slices.SortStableFunc(edits, compareEdits)
			return edits
		}
	}
	return edits
}

func compareEdits(a, b Edit) int {
	return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
}

// walker finds the raw offsets of decoded offsets in rising order.
type walker struct {
	raw   []byte
	depth uint8
	at    int // raw offset reached
	text  int // decoded offset that belongs to it
	slash int // raw offset of the next backslash, or len(raw)

	known   bool
	escapes []uint32 // the raw offsets of the backslashes to come, where they are known
}

func (w *walker) findSlash() {
	w.slash = len(w.raw)
	switch {
	case w.known:
		if len(w.escapes) > 0 {
			w.slash = int(w.escapes[0])
			w.escapes = w.escapes[1:]
		}
	case w.depth > 0:
		w.slash = w.at + measurePlainRun(w.raw[w.at:])
	}
}

// advanceTo returns the raw offset of the decoded offset text, which must not decrease between calls.
func (w *walker) advanceTo(text int) (int, error) {
	for {
		if run := w.slash - w.at; text-w.text <= run {
			w.at += text - w.text
			w.text = text
			if w.at < len(w.raw) && !utf8.RuneStart(w.raw[w.at]) {
				return 0, ErrRune
			}
			return w.at, nil
		}
		w.text += w.slash - w.at
		w.at = w.slash
		if w.at == len(w.raw) {
			return 0, ErrRange
		}
		if w.depth == 1 && w.at+1 < len(w.raw) && shortEscapes[w.raw[w.at+1]] != 0 {
			w.text++
			w.at += 2
		} else {
			r, n := decodeUnit(w.raw[w.at:], w.depth)
			w.text += utf8.RuneLen(r)
			w.at += n
		}
		if w.text > text {
			return 0, ErrRune
		}
		w.findSlash()
	}
}
