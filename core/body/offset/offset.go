// Package offset moves numbers that point into a text, such as those of citations, to the same place after edits of that
// text.
package offset

import (
	"bytes"
	"math"
	"sort"
	"strconv"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core/body/splice"
)

// Unit is what an offset counts.
type Unit uint8

// Units of offsets.
const (
	Runes Unit = iota // Unicode code points
	Bytes             // bytes of UTF-8
)

// Place names the text of a streamed answer that an offset points into.
type Place struct {
	Choice, Index int32
	Form          uint8
	// Joined is true if the offset counts through all texts of the choice, as if they were one. Index and Form are then 0.
	Joined bool
}

// Number is an offset in a document.
type Number struct {
	// At is where its digits are.
	At splice.Span
	// Text is the content of the string that it points into, in a whole answer.
	Text splice.Span
	// Texts are the contents of the strings that it counts through as if they were one, in a whole answer. If nil, it counts in Text.
	Texts []splice.Span
	// Document is the number of the document of the request that it points into; 0: it points into a text beside it.
	Document int
	// Place names the text that it points into, in an event.
	Place Place
	Unit  Unit
	IsEnd bool // it is the end of a stretch of text, which excludes the character there
}

// Finder finds the offsets in whole answers and events of one shape.
type Finder interface {
	// AppendOffsets appends the offsets in doc, a whole answer or the data of an event. Which members it appends does not
	// depend on the order of members in doc; their own order may differ from that in doc.
	AppendOffsets(dst []Number, doc []byte) []Number
}

// MayName reports whether one of the names can be the name of a member of doc. It looks at bytes only: an answer of 1 KB without
// offsets takes a tenth of what reading its members takes (BenchmarkAppendOffsets in core/dialect/openai). Reading is faster for
// documents that are mostly one long text. Names consist of ASCII letters and underscores; any of these written as an escape
// suffices for true.
func MayName(doc []byte, names ...string) bool {
	for _, name := range names {
		if bytes.Contains(doc, []byte(name)) {
			return true
		}
	}
	for {
		i := bytes.Index(doc, escapedASCII)
		if i < 0 || len(doc) < i+len(escapedASCII)+1 {
			return false
		}
		doc = doc[i+len(escapedASCII):]
		if '4' <= doc[0] && doc[0] <= '7' { // from U+0040 to U+007F: letters and the underscore
			return true
		}
	}
}

// escapedASCII begins the escape of an ASCII character.
var escapedASCII = []byte(`\u00`)

// maxDigits bounds the digits of an offset. Longer numbers are not offsets into a text.
const maxDigits = 9

// Read returns the value of the offset in doc. ok is false if it is not a whole number of a text's size.
func (n *Number) Read(doc []byte) (value int, ok bool) {
	digits := doc[n.At.Start:n.At.End]
	if len(digits) > maxDigits || bytes.ContainsAny(digits, "-+.eE") {
		return 0, false
	}
	value, err := strconv.Atoi(string(digits))
	return value, err == nil
}

// Length is the size of a text in both units.
type Length struct{ Bytes, Runes int }

// Measure returns the length of a text.
func Measure(text []byte) Length { return Length{len(text), utf8.RuneCount(text)} }

// Add returns the sum of two lengths.
func (l Length) Add(m Length) Length { return Length{l.Bytes + m.Bytes, l.Runes + m.Runes} }

// Subtract returns the difference of two lengths.
func (l Length) Subtract(m Length) Length { return Length{l.Bytes - m.Bytes, l.Runes - m.Runes} }

// Count returns the length in one unit.
func (l Length) Count(u Unit) int {
	if u == Bytes {
		return l.Bytes
	}
	return l.Runes
}

// Table holds the edits of a text in order, by the lengths of the text before them.
type Table struct{ edits []edit }

type edit struct {
	start, end Length // in the text before all edits
	with       Length // of the new text
	grown      Length // by what the edits before it lengthen the text
}

// maxEdits bounds the edits of a table. More become one, so that offsets behind them stay right.
const maxEdits = 1 << 12

// Add appends an edit that replaces the text from start to end, behind all earlier ones.
func (t *Table) Add(start, end, with Length) {
	if len(t.edits) == maxEdits {
		t.edits = append(t.edits[:0], t.join())
	}
	e := edit{start: start, end: end, with: with}
	if n := len(t.edits); n > 0 {
		e.grown = t.edits[n-1].growth()
	}
	t.edits = append(t.edits, e)
}

// Len returns the number of edits.
func (t *Table) Len() int { return len(t.edits) }

// Merge makes one edit of all, and returns by how many they have become fewer. It gives the memory of the others back.
func (t *Table) Merge() int {
	n := len(t.edits)
	if n < 2 {
		return 0
	}
	t.edits = []edit{t.join()}
	return n - 1
}

// join returns the edit that replaces all text from the first edit to the last.
func (t *Table) join() edit {
	first, last := &t.edits[0], &t.edits[len(t.edits)-1]
	whole := edit{start: first.start, end: last.end}
	whole.with = whole.end.Subtract(whole.start).Add(last.growth())
	return whole
}

// growth returns by what the text is longer behind the edit.
func (e *edit) growth() Length { return e.grown.Add(e.with).Subtract(e.end.Subtract(e.start)) }

// Shift returns the offset of the same place after the edits. An offset inside replaced text moves to the start of the
// new text, or to its end if it ends a stretch. Text that is inserted at the place is behind an end and before a start, so
// that no stretch becomes longer by what is inserted beside it.
func (t *Table) Shift(at int, u Unit, isEnd bool) int {
	k := sort.Search(len(t.edits), func(i int) bool {
		e := &t.edits[i]
		end := e.end.Count(u)
		return end > at || isEnd && end == at && e.start.Count(u) == at
	})
	if k < len(t.edits) && t.edits[k].start.Count(u) < at {
		e := &t.edits[k]
		at = e.start.Count(u) + e.grown.Count(u)
		if isEnd {
			at += e.with.Count(u)
		}
		return at
	}
	if k > 0 {
		moved := t.edits[k-1].growth()
		at += moved.Count(u)
	}
	return min(max(at, 0), math.MaxInt32)
}

// Invert returns the table of the edits that undo these.
func (t *Table) Invert() (undo Table) {
	undo.edits = make([]edit, len(t.edits))
	for i := range t.edits {
		e := &t.edits[i]
		start := e.start.Add(e.grown)
		undo.edits[i] = edit{start: start, end: start.Add(e.with), with: e.end.Subtract(e.start), grown: Length{}.Subtract(e.grown)}
	}
	return undo
}

// AppendCut appends the cut that rewrites an offset, unless it stays the same.
func AppendCut(cuts []splice.Cut, n *Number, was, is int) []splice.Cut {
	if was == is {
		return cuts
	}
	return append(cuts, splice.Cut{Span: n.At, With: strconv.Itoa(is)})
}
