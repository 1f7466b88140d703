package payload

import (
	"net/http"

	"github.com/headgate-dev/headgate/core/body/offset"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// Payload is a body and what was found in it.
type Payload struct {
	// Status is the HTTP status of a response; 0 in requests.
	Status int
	// Header is the client's on a request. It is read only.
	Header http.Header
	// Peer is the network address that sent a request, without the port; "" if it is not known.
	Peer string
	// Path is the decoded path of a request's URL; "" if it is not known.
	Path string
	// Raw is the body. It is never changed in place: the rewrites of a phase make
	// a new one when all links have been asked. Until then the texts of the
	// segments are ahead of it.
	Raw []byte
	// Segments are the runs of text in Raw, in the order of the document.
	Segments []Segment
	// Marks are places in Raw that the dialect wants to find again after the
	// chain has rewritten it; the chain moves them along with the segments.
	Marks []splice.Span
	// Repetition are values in Raw that repeat text of Segments.
	Tied []Repetition
	// Offsets finds numbers in Raw that point into texts of Segments. A flush moves them along with the edits. Optional.
	Offsets offset.Finder

	// Lists are what the scan of the body has noted of its lists.
	Lists Lists

	documents documents
	origin    *Payload // the request whose documents Offsets may point into; nil if they are as the client sent them

	scratch []byte   // decoded text of the segments
	full    [][]byte // what scratch was before, full of text in use
	bufs    [][]byte // rewritten bodies, kept for reuse
	used    int      // how many of bufs hold a body of this exchange

	edits editList // edits that Raw does not hold yet
	// dropsLoose is true when the next Flush replaces the loose tied values.
	dropsLoose bool
	cuts       []splice.Cut
	cutsMade   bool     // cuts are those of all edits
	escapes    []uint32 // of the segments that have been decoded, one after the other

	stretches stretches
	hasher    Hasher // that made the sums of segments
	summing   []byte // of sumEdits

	leaves []splice.Edit // of AddJSON, kept for reuse
	bare   []bool
}

// ReadText gives the decoded text of segment i. It is decoded once, when first
// asked for, and may alias the body: it must not be kept beyond the exchange.
func (p *Payload) ReadText(i int) string {
	s := &p.Segments[i]
	if !s.decoded {
		if s.Base64 {
			s.text, _ = p.readFileText(s)
		} else {
			s.text, s.escapes = p.decode(s.Span, s.Depth)
		}
		s.decoded = true
	}
	return s.text
}

// AddText adds a segment whose text is known, to a payload without a body: of code that is
// shown texts, and not where they stand. The text must stay as it is.
func (p *Payload) AddText(s Segment, text string) {
	s.text, s.decoded, s.ahead = text, true, true
	p.Segments = append(p.Segments, s)
}

// Run is text that is scanned as one: a segment, or adjacent text parts of one
// message.
type Run struct {
	First, N int // the segments First … First+N-1
	Text     string
}

// FindRun gives the run that starts at segment i.
func (p *Payload) FindRun(i int) Run {
	n := 1
	for i+n < len(p.Segments) && p.Segments[i+n].Joined {
		n++
	}
	if n == 1 {
		return Run{First: i, N: 1, Text: p.ReadText(i)}
	}
	total := 0
	for j := i; j < i+n; j++ {
		total += len(p.ReadText(j))
	}
	b := make([]byte, 0, total)
	for j := i; j < i+n; j++ {
		b = append(b, p.ReadText(j)...)
	}
	return Run{First: i, N: n, Text: string(b)}
}

// AppendEdits appends the edits that replace Text[start:end] of the run. A span that
// crosses segments is replaced in one of them and cut out of the others, and
// Value keeps it whole for the token. There are providers that refuse a message with an empty
// part, so that one is the first that would be left empty, or else the first; what would be
// empty besides in a request gets an ellipsis.
func (p *Payload) AppendEdits(dst []Edit, r Run, start, end int, with, typ string) []Edit {
	if r.N == 1 {
		return append(dst, Edit{Segment: r.First, Start: start, End: end, With: with, Type: typ})
	}
	base, from := 0, len(dst)
	at := -1 // the edit that replaces
	fill := ""
	if p.Status == 0 && (with != "" || typ != "") {
		fill = "…"
	}
	for j := r.First; j < r.First+r.N; j++ {
		n := len(p.ReadText(j))
		lo, hi := max(start-base, 0), min(end-base, n)
		if lo < hi {
			e := Edit{Segment: j, Start: lo, End: hi}
			if lo == 0 && hi == n {
				if e.With = fill; at < 0 {
					at = len(dst)
				}
			}
			dst = append(dst, e)
		}
		base += n
	}
	if at < 0 {
		at = from
	}
	if at < len(dst) {
		e := &dst[at]
		e.With, e.Type, e.Value = with, typ, r.Text[start:end]
	}
	return dst
}
