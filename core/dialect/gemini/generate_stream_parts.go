package gemini

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

func (c *chunk) readContent() {
	if c.s.Kind() != splice.Object {
		c.readAside(nil)
		return
	}
	o := openObject(c.s)
	for f, ok := o.readField(); ok; f, ok = o.readField() {
		if f == fRole {
			c.scanNonText()
			continue
		}
		if f != fParts {
			c.readAside(o.key)
			continue
		}
		for l := openList(c.s); l.moveToNext(); {
			c.readPart()
		}
	}
}

// readPart reads one part. The flag for a thought can follow its text.
func (c *chunk) readPart() {
	if c.s.Kind() != splice.Object {
		c.readAside(nil)
		return
	}
	from, text, thought, signed, call := len(c.ev.Deltas), false, false, false, false
	o := openObject(c.s)
	for f, ok := o.readField(); ok; f, ok = o.readField() {
		switch f {
		case fText:
			if c.s.Kind() != splice.String {
				c.readAside(o.key)
				continue
			}
			at, _ := c.s.String()
			if c.s.Err() == nil {
				c.ev.Deltas = append(c.ev.Deltas, core.Delta{Part: core.Part{Kind: core.KindText, Index: c.breaks}, Span: c.shiftSpan(at), Depth: 1})
			}
			text = true
		case fThought:
			at := c.s.Pos()
			thought = readTrue(c.s)
			c.addOddStrings(at)
		case fThoughtSignature:
			signed = true
			c.scanNonText()
		case fFunctionCall:
			call = true
			c.readCall()
		case fInlineData, fFileData:
			c.other = true
			c.scanNonText()
		default: // code, its output
			c.readAside(o.key)
		}
	}
	c.other = c.other || signed
	switch {
	case thought && signed: // what was signed stays, and comes after what is held
		c.ev.Deltas = c.ev.Deltas[:from]
		c.ev.Ends = append(c.ev.Ends, core.Part{Kind: core.KindReasoning, Index: c.breaks})
	case thought:
		for i := from; i < len(c.ev.Deltas); i++ {
			if c.ev.Deltas[i].Part.Kind == core.KindText {
				c.ev.Deltas[i].Part.Kind = core.KindReasoning
			}
		}
	case !text && !call && !signed: // code, its output, a picture: held text goes before it
		c.ev.Ends = append(c.ev.Ends, core.Part{Kind: core.KindText, Index: c.breaks}, core.Part{Kind: core.KindReasoning, Index: c.breaks})
		c.breaks++
	}
}

// readAside adds the texts of a member that is not known, as the scan of a whole answer
// does. Each is whole: with its quotes it is JSON of one string, of which nothing is held
// back.
func (c *chunk) readAside(key []byte) {
	c.other = true
	c.readUnknown(key)
}

// readUnknown is readAside for a member that is not worth its own event.
func (c *chunk) readUnknown(key []byte) {
	leaves.VisitTexts(c.s, c.doc, zerocopy.String(key), func(_ string, at splice.Span) { c.addAside(at) })
}

// addAside adds the content of a string as a whole text.
func (c *chunk) addAside(at splice.Span) {
	c.other = true
	c.ev.Deltas = append(c.ev.Deltas, core.Delta{
		Part: core.Part{Kind: core.KindOther, Choice: scan.Aside},
		Span: c.shiftSpan(splice.Span{Start: at.Start - 1, End: at.End + 1}), JSON: true,
	})
}

// scanNonText consumes a value that is not text, and shows what of it does not look like that.
func (c *chunk) scanNonText() {
	from := c.s.Pos()
	c.s.Skip()
	c.addOddStrings(from)
}

// addOddStrings shows what does not look like it should of a value that has been read; from is a
// place before it.
func (c *chunk) addOddStrings(from int) {
	if c.s.Err() == nil {
		scan.VisitOddStrings(c.doc, splice.Span{Start: from, End: c.s.Pos()}, c.addAside)
	}
}

// readCall reads a function call, which arrives whole.
func (c *chunk) readCall() {
	c.other = true
	if c.s.Kind() != splice.Object {
		c.readAside(nil)
		return
	}
	d := core.Delta{Part: core.Part{Kind: core.KindToolArgs, Index: *c.calls}, JSON: true}
	*c.calls++
	o := openObject(c.s)
	for f, ok := o.readField(); ok; f, ok = o.readField() {
		if f != fArgs || c.s.Kind() != splice.Object {
			c.readAside(o.key)
			continue
		}
		if at := c.s.Skip(); c.s.Err() == nil {
			d.Span = c.shiftSpan(at)
		}
	}
	c.ev.Deltas = append(c.ev.Deltas, d)
	c.ev.Ends = append(c.ev.Ends, d.Part)
}
