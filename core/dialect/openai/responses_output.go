package openai

import (
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// Forms of a part, whose Part.Index is the index of the item. The form of a text or a
// summary is its own index.
const (
	formJSON = 2    // a tool search's arguments, which are not a string
	formRaw  = 0x80 // reasoning as it is, not its summary; its place is added
	formOnce = 0xff // a text that nothing repeats; Part.Index only counts
	maxForms = 0x7e
)

// chooseForm returns the form of the part with index n.
func chooseForm(n int32) uint8 { return uint8(min(n, maxForms)) }

// outputScan reads output items: of a whole answer into its payload, or of an event into
// its Wholes.
type outputScan struct {
	x       *core.Exchange
	s       *splice.Scanner
	doc     []byte
	base    int // where doc begins in the event
	payload *core.Payload
	ev      *core.Event
	notes   *responsesNotes
}

// add adds a text.
func (o *outputScan) add(p core.Part, name string, n int32, at splice.Span, depth uint8, isJSON bool) {
	if o.s.Err() != nil {
		return
	}
	if o.ev != nil {
		o.ev.Wholes = append(o.ev.Wholes, core.Delta{Part: p, Span: scan.ShiftSpan(at, o.base), Depth: depth, JSON: isJSON})
		return
	}
	if at.Len() == 0 {
		return
	}
	seg := core.Segment{Role: core.RoleAssistant, Kind: p.Kind, Depth: depth, Message: p.Index, Part: n, Field: name, Span: at}
	if isJSON {
		o.payload.AddJSON(seg)
		return
	}
	o.payload.Segments = append(o.payload.Segments, seg)
}

// readItems reads the array of output items.
func (o *outputScan) readItems() {
	if o.s.Kind() != splice.Array {
		o.readUnknownMember(-1, -1, "output")
		return
	}
	o.s.Enter()
	for i := int32(0); o.s.Next(); i++ {
		o.readItem(i)
	}
}

// readItem reads one item. Its type can follow its texts.
func (o *outputScan) readItem(i int32) {
	if o.s.Kind() != splice.Object {
		o.readUnknownMember(i, -1, "output")
		return
	}
	segment, whole, reasoning := o.countFound()
	o.s.Enter()
	for o.s.Next() {
		key := string(o.s.Key())
		switch kind := o.s.Kind(); {
		case key == "type":
			from := o.s.Pos()
			reasoning = scan.ReadText(o.s, o.doc) == itemReasoning
			o.addOddStrings(from, i, "type")
		case key == "content" && kind == splice.Array:
			o.readParts(i, key, core.KindText)
		case key == "summary" && kind == splice.Array:
			o.readParts(i, key, core.KindReasoning)
		case key == "arguments" && kind == splice.String:
			at, _ := o.s.String()
			o.add(core.Part{Kind: core.KindToolArgs, Index: i}, key, -1, at, 1, true)
		case key == "arguments" && kind == splice.Object:
			o.add(core.Part{Kind: core.KindToolArgs, Index: i, Form: formJSON}, key, -1, o.s.Skip(), 0, true)
		case key == "input" && kind == splice.String:
			at, _ := o.s.String()
			o.add(core.Part{Kind: core.KindToolArgs, Index: i, Form: formCustom}, key, -1, at, 1, false)
		case key == "encrypted_content":
			o.s.Skip()
		default:
			o.readUnknownMember(i, -1, key)
		}
	}
	if reasoning {
		o.markReasoning(segment, whole)
	}
}

// countFound returns how many texts were found so far.
func (o *outputScan) countFound() (segments, wholes int, _ bool) {
	if o.ev != nil {
		return 0, len(o.ev.Wholes), false
	}
	return len(o.payload.Segments), 0, false
}

// markReasoning turns the texts of an item into reasoning, once its type is known.
func (o *outputScan) markReasoning(segment, whole int) {
	if o.ev == nil {
		for i := segment; i < len(o.payload.Segments); i++ {
			o.payload.Segments[i].Kind = core.KindReasoning
		}
		return
	}
	for i := whole; i < len(o.ev.Wholes); i++ {
		if p := &o.ev.Wholes[i].Part; p.Kind == core.KindText {
			p.Kind, p.Form = core.KindReasoning, p.Form|formRaw
		}
	}
}

func (o *outputScan) readParts(i int32, name string, kind core.SegmentKind) {
	o.s.Enter()
	for n := int32(0); o.s.Next(); n++ {
		o.readPart(i, n, name, kind)
	}
}

// readPart reads one part of an item.
func (o *outputScan) readPart(i, n int32, name string, kind core.SegmentKind) {
	if o.s.Kind() != splice.Object {
		o.readUnknownMember(i, n, name)
		return
	}
	var texts [2]splice.Span
	found, tied := 0, len(o.listRepetitions())
	o.s.Enter()
	for o.s.Next() {
		key := string(o.s.Key())
		switch is := o.s.Kind(); {
		case (key == "text" || key == "transcript" && o.isLive()) && is == splice.String:
			at, _ := o.s.String()
			texts[found&1], found = at, found+1
			o.add(core.Part{Kind: kind, Index: i, Form: chooseForm(n)}, name, n, at, 1, false)
		case key == "refusal" && is == splice.String:
			at, _ := o.s.String()
			texts[found&1], found = at, found+1
			o.add(core.Part{Kind: core.KindRefusal, Index: i, Form: chooseForm(n)}, name, n, at, 1, false)
		case key == "logprobs" && is == splice.Array:
			o.readLogprobs(i)
		default:
			o.readUnknownMember(i, n, key)
		}
	}
	o.markLooseValues(tied, texts[:min(found, len(texts))])
}

// isLive reports whether the answer is one of the Realtime API, whose parts can be transcripts.
func (o *outputScan) isLive() bool { return o.notes != nil && o.notes.live }

// listRepetitions returns the values found so far that repeat texts.
func (o *outputScan) listRepetitions() []core.Repetition {
	if o.ev != nil {
		return o.ev.Tied
	}
	return o.payload.Tied
}

// markLooseValues finds out which values from the index from on say more than texts.
func (o *outputScan) markLooseValues(from int, texts []splice.Span) {
	if o.s.Err() != nil {
		return
	}
	list := o.listRepetitions()[from:]
	for i := range list {
		list[i].Loose = !scan.Repeats(o.doc, scan.ShiftSpan(list[i].Span, -o.base), texts...)
	}
}

// readLogprobs reads log probabilities, which repeat the text.
func (o *outputScan) readLogprobs(i int32) {
	at := o.s.Skip()
	switch {
	case o.s.Err() != nil || at.Len() <= len("[]"):
	case o.ev == nil:
		o.payload.Tied = append(o.payload.Tied, core.Repetition{Message: i, Span: at})
	default:
		o.ev.Tied = append(o.ev.Tied, core.Repetition{Span: scan.ShiftSpan(at, o.base)})
	}
}

// readUnknownMember adds the texts of an unknown member.
func (o *outputScan) readUnknownMember(i, n int32, key string) {
	responsesLeaves.VisitTexts(o.s, o.doc, key, func(name string, at splice.Span) {
		p := core.Part{Kind: core.KindOther, Index: i}
		if o.ev != nil {
			p = o.newOncePart(core.KindOther)
		}
		o.add(p, strings.Clone(scan.ShortenName(name)), n, at, 1, false)
	})
}

// scanNonText consumes a value that is not text, and adds what of it does not look like that.
func (o *outputScan) scanNonText(i int32, name string) {
	from := o.s.Pos()
	o.s.Skip()
	o.addOddStrings(from, i, name)
}

// addOddStrings adds what does not look like it should of a value that has been read; from is a
// place before it.
func (o *outputScan) addOddStrings(from int, i int32, name string) {
	if o.s.Err() != nil {
		return
	}
	scan.VisitOddStrings(o.doc, splice.Span{Start: from, End: o.s.Pos()}, func(at splice.Span) {
		p := core.Part{Kind: core.KindOther, Index: i}
		if o.ev != nil {
			p = o.newOncePart(core.KindOther)
		}
		o.add(p, name, -1, at, 1, false)
	})
}

// newOncePart returns a part that no other text belongs to.
func (o *outputScan) newOncePart(kind core.SegmentKind) core.Part {
	o.notes.leaves++
	return core.Part{Kind: kind, Index: o.notes.leaves, Form: formOnce}
}
