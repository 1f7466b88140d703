package gemini

import (
	"bytes"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/sse"
)

// keepJoined is the size of the largest buffer for events of several data lines
// that is kept for the next one.
const keepJoined = 64 << 10

// ScanEvent reads one event of a streamed answer: a whole answer's shape with a
// piece of its text. There is no end marker: the candidate's finish reason, or the
// reason why a prompt was blocked, is the end.
func (Generate) ScanEvent(x *core.Exchange, ev *core.Event) error {
	n := notesOf(x)
	doc := ev.Raw
	lo, hi, lines := sse.Data(doc)
	switch {
	case lines == 0 && bare(doc):
		lo, hi = 0, len(doc)
	case lines == 0: // a comment, or a blank line
		return nil
	case lines > 1:
		n.joined = sse.Join(n.joined[:0], doc)
		doc, ev.Joined = n.joined, n.joined
		lo, hi, _ = sse.Data(doc)
		if cap(n.joined) > keepJoined {
			n.joined = nil
		}
	}
	if len(bytes.TrimSpace(doc[lo:hi])) == 0 { // as good as a comment
		return nil
	}
	c := chunk{x: x, ev: ev, s: &x.Scanner, doc: doc[lo:hi], base: lo, calls: &n.calls}
	c.s.Reset(c.doc)
	if c.s.Kind() != splice.Object {
		if err := c.s.Err(); err != nil {
			return err
		}
		return errNoObject
	}
	c.object()
	c.s.End()
	if err := c.s.Err(); err != nil {
		return err
	}
	ev.Bare = len(ev.Deltas) > 0 && !c.other
	return nil
}

// bare reports whether an event without data is JSON all the same: Google's
// servers put an error like that into a stream that has begun.
func bare(ev []byte) bool {
	ev = bytes.TrimLeft(ev, " \r\n")
	return len(ev) > 0 && ev[0] == '{'
}

type chunk struct {
	x     *core.Exchange
	ev    *core.Event
	s     *splice.Scanner
	doc   []byte
	base  int    // where doc begins in the event
	calls *int32 // function calls seen in the stream
	other bool   // something that is worth sending without text
}

func (c *chunk) object() {
	o := open(c.s)
	for f, ok := o.next(); ok; f, ok = o.next() {
		switch f {
		case fCandidates:
			c.ev.Like = true
			for l := each(c.s); l.next(); {
				c.candidate()
			}
		case fUsageMetadata:
			if u, ok := usage(c.s, c.doc); ok {
				c.x.Usage = u
			}
		case fPromptFeedback:
			c.feedback()
		case fError:
			c.ev.Failed = c.ev.Failed || c.s.Kind() != splice.Null
			c.s.Skip()
		default:
			c.s.Skip()
		}
	}
}

// feedback reads what became of the prompt. One that was blocked has no answer.
func (c *chunk) feedback() {
	c.other = true
	o := open(c.s)
	for f, ok := o.next(); ok; f, ok = o.next() {
		if f == fBlockReason && c.s.Kind() != splice.Null {
			c.ev.Done = true
		}
		c.s.Skip()
	}
}

// candidate reads one candidate. Its index may come after its content.
func (c *chunk) candidate() {
	from, tied, ends, index, finished, why := len(c.ev.Deltas), len(c.ev.Tied), len(c.ev.Ends), int32(0), false, splice.Span{}
	o := open(c.s)
	for f, ok := o.next(); ok; f, ok = o.next() {
		switch f {
		case fIndex:
			index = int32(min(count(c.s, c.doc), 1<<30))
		case fContent:
			c.content()
		case fFinishReason:
			if c.s.Kind() != splice.String {
				c.s.Skip()
				break
			}
			at, _ := c.s.String()
			why, finished = c.moved(at), c.s.Err() == nil && at.Len() > 0 && string(c.doc[at.Start:at.End]) != unspecified
		case fLogprobsResult, fGroundingMetadata:
			c.tied()
		default: // what we do not know goes with the text
			c.s.Skip()
		}
	}
	for i := from; i < len(c.ev.Deltas); i++ {
		c.ev.Deltas[i].Part.Choice = index
	}
	for i := tied; i < len(c.ev.Tied); i++ {
		c.ev.Tied[i].Message = index
	}
	for i := ends; i < len(c.ev.Ends); i++ {
		c.ev.Ends[i].Choice = index
	}
	if finished {
		c.other = true
		c.ev.Closes = append(c.ev.Closes, index)
		c.ev.Done = true
		if index == 0 {
			c.ev.Finish = why
		}
	}
}

// tied reads a value that spells the text once more.
func (c *chunk) tied() {
	null := c.s.Kind() == splice.Null
	at := c.s.Skip()
	if c.s.Err() == nil && !null {
		c.ev.Tied = append(c.ev.Tied, core.Tied{Span: c.moved(at)})
	}
}

func (c *chunk) moved(at splice.Span) splice.Span {
	return splice.Span{Start: at.Start + c.base, End: at.End + c.base}
}
