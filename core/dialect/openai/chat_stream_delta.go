package openai

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

func (c *chunk) readDelta() {
	if c.s.Kind() != splice.Object {
		c.readAuxiliary()
		return
	}
	c.s.Enter()
	for c.s.Next() {
		switch string(c.s.Key()) {
		case "content":
			c.readText(core.Part{Kind: core.KindText}, false)
		case "refusal":
			c.readText(core.Part{Kind: core.KindRefusal}, false)
		case "reasoning_content":
			c.readText(core.Part{Kind: core.KindReasoning}, false)
		case "reasoning":
			c.readText(core.Part{Kind: core.KindReasoning, Form: formReasoning}, false)
		case "tool_calls":
			c.readCalls()
		case "function_call":
			c.readCall(legacyCall)
		case "annotations":
			c.ev.Offsets = chatOffsets{}
			c.readAuxiliary()
		default:
			c.readAuxiliary()
		}
	}
}

// Forms of a part: which of two fields of the same kind holds its text.
const (
	formReasoning = 1 // "reasoning", not "reasoning_content"
	formCustom    = 1 // a custom tool's "input", not a function's "arguments"
)

// legacyCall is the index used for a "function_call", which has none.
const legacyCall = -1

// readAuxiliary reads a value that makes the event worth sending even without its text.
func (c *chunk) readAuxiliary() {
	if c.s.Kind() != splice.Null {
		c.scan.other = true
	}
	c.readAside()
}

// readAside adds the texts of a member that is not known, as the scan of a whole answer
// does. Each is whole: with its quotes it is JSON of one string, of which nothing is held
// back.
func (c *chunk) readAside() {
	name := ""
	if at, ok := c.s.KeySpan(); ok {
		name = zerocopy.String(c.doc[at.Start:at.End])
	}
	chatLeaves.VisitTexts(c.s, c.doc, name, func(_ string, at splice.Span) { c.addAside(at) })
}

// addAside adds the content of a string as a whole text.
func (c *chunk) addAside(at splice.Span) {
	c.scan.other = true
	c.ev.Deltas = append(c.ev.Deltas, core.Delta{
		Part: core.Part{Kind: core.KindOther, Choice: scan.Aside},
		Span: scan.ShiftSpan(splice.Span{Start: at.Start - 1, End: at.End + 1}, c.base), JSON: true,
	})
}

// scanNonText consumes a value that is not text, and shows what of it does not look like that.
func (c *chunk) scanNonText() splice.Span {
	from := c.s.Pos()
	at := c.s.Skip()
	c.addOddStrings(from)
	return at
}

// addOddStrings shows what does not look like it should of a value that has been read; from is a
// place before it.
func (c *chunk) addOddStrings(from int) {
	if c.s.Err() == nil {
		scan.VisitOddStrings(c.doc, splice.Span{Start: from, End: c.s.Pos()}, c.addAside)
	}
}

func (c *chunk) readText(p core.Part, isJSON bool) {
	if c.s.Kind() != splice.String {
		c.readAuxiliary()
		return
	}
	at, _ := c.s.String()
	if c.s.Err() != nil {
		return
	}
	c.ev.Deltas = append(c.ev.Deltas, core.Delta{Part: p, Span: scan.ShiftSpan(at, c.base), Depth: 1, JSON: isJSON})
}

func (c *chunk) readCalls() {
	if c.s.Kind() != splice.Array {
		c.readAuxiliary()
		return
	}
	c.s.Enter()
	for c.s.Next() {
		if c.s.Kind() != splice.Object {
			c.readAside()
			continue
		}
		from, index := len(c.ev.Deltas), int32(0)
		c.s.Enter()
		for c.s.Next() {
			switch string(c.s.Key()) {
			case "index":
				index = c.readIndex()
			case "function", "custom":
				c.readCall(0)
			default:
				c.readAuxiliary()
			}
		}
		if len(c.ev.Deltas) == from { // a call without arguments still ends the text before it
			c.ev.Deltas = append(c.ev.Deltas, core.Delta{Part: core.Part{Kind: core.KindToolArgs}, JSON: true})
		}
		for i := from; i < len(c.ev.Deltas); i++ {
			c.ev.Deltas[i].Part.Index = index
		}
	}
}

func (c *chunk) readCall(index int32) {
	if c.s.Kind() != splice.Object {
		c.readAuxiliary()
		return
	}
	c.s.Enter()
	for c.s.Next() {
		switch string(c.s.Key()) {
		case "arguments":
			c.readText(core.Part{Kind: core.KindToolArgs, Index: index}, true)
		case "input":
			c.readText(core.Part{Kind: core.KindToolArgs, Index: index, Form: formCustom}, false)
		default:
			c.readAuxiliary()
		}
	}
}
