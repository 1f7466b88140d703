package gemini

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
)

func (c *chunk) readContent() {
	o := openObject(c.s)
	for f, ok := o.next(); ok; f, ok = o.next() {
		if f != fParts {
			c.s.Skip()
			continue
		}
		for l := eachValue(c.s); l.next(); {
			c.readPart()
		}
	}
}

// readPart reads one part. The flag for a thought can follow its text.
func (c *chunk) readPart() {
	from, thought, signed := len(c.ev.Deltas), false, false
	o := openObject(c.s)
	for f, ok := o.next(); ok; f, ok = o.next() {
		switch f {
		case fText:
			if c.s.Kind() != splice.String {
				c.s.Skip()
				continue
			}
			at, _ := c.s.String()
			if c.s.Err() == nil {
				c.ev.Deltas = append(c.ev.Deltas, core.Delta{Part: core.Part{Kind: core.KindText}, Span: c.shift(at), Depth: 1})
			}
		case fThought:
			thought = readTrue(c.s)
		case fThoughtSignature:
			signed = true
			c.s.Skip()
		case fFunctionCall:
			c.readCall()
		case fInlineData, fFileData:
			c.other = true
			c.s.Skip()
		default: // code, its output
			c.readAside(o.key)
		}
	}
	c.other = c.other || signed
	switch {
	case thought && signed: // what was signed stays, and comes after what is held
		c.ev.Deltas = c.ev.Deltas[:from]
		c.ev.Ends = append(c.ev.Ends, core.Part{Kind: core.KindReasoning})
	case thought:
		for i := from; i < len(c.ev.Deltas); i++ {
			if c.ev.Deltas[i].Part.Kind == core.KindText {
				c.ev.Deltas[i].Part.Kind = core.KindReasoning
			}
		}
	}
}

// aside is the choice of whole texts in members that are not known, so that they do not end
// the texts that arrive in pieces.
const aside = -1

// readAside adds the texts of a member that is not known, as the scan of a whole answer
// does. Each is whole: with its quotes it is JSON of one string, of which nothing is held
// back.
func (c *chunk) readAside(key []byte) {
	c.other = true
	leaves.Each(c.s, c.doc, zerocopy.String(key), func(_ string, at splice.Span) {
		c.ev.Deltas = append(c.ev.Deltas, core.Delta{
			Part: core.Part{Kind: core.KindOther, Choice: aside},
			Span: c.shift(splice.Span{Start: at.Start - 1, End: at.End + 1}), JSON: true,
		})
	})
}

// readCall reads a function call, which arrives whole.
func (c *chunk) readCall() {
	c.other = true
	d := core.Delta{Part: core.Part{Kind: core.KindToolArgs, Index: *c.calls}, JSON: true}
	*c.calls++
	o := openObject(c.s)
	for f, ok := o.next(); ok; f, ok = o.next() {
		if f != fArgs || c.s.Kind() != splice.Object {
			c.readAside(o.key)
			continue
		}
		if at := c.s.Skip(); c.s.Err() == nil {
			d.Span = c.shift(at)
		}
	}
	c.ev.Deltas = append(c.ev.Deltas, d)
	c.ev.Ends = append(c.ev.Ends, d.Part)
}
