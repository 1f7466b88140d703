package scan

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/sse"
)

// keepJoined is the size in bytes of the largest buffer for joined lines that is
// kept for the next event.
const keepJoined = 64 << 10

// ReadEventData returns the data of an event, where it starts, and the number of its
// data lines. It joins several lines into *joined and sets ev.Joined. It sets ev.Impure.
func ReadEventData(ev *core.Event, joined *[]byte) (data []byte, base, lines int) {
	doc := ev.Raw
	lo, hi, lines := sse.FindData(doc)
	ev.Impure = !sse.IsPure(doc, lo, hi)
	if lines > 1 {
		*joined = sse.Join((*joined)[:0], doc)
		doc, ev.Joined = *joined, *joined
		lo, hi, _ = sse.FindData(doc)
		if cap(*joined) > keepJoined {
			*joined = nil
		}
	}
	return doc[lo:hi], lo, lines
}

// ShiftSpan returns where a span of the data lies in the event; base is where the
// data starts.
func ShiftSpan(at splice.Span, base int) splice.Span {
	return splice.Span{Start: at.Start + base, End: at.End + base}
}

// Aside is the choice of whole texts in unknown members, so that they do not end the texts
// that arrive in pieces.
const Aside = -1

// AssignChoice gives the deltas from place from on, and the tied values from place tied on,
// the index of the choice that they were read from, which can follow its content. It marks as
// loose the tied values that say more than those deltas. doc is the event's data, which starts
// at base of the event.
func AssignChoice(ev *core.Event, doc []byte, base, from, tied int, choice int32) {
	deltas := ev.Deltas[from:]
	for i := range deltas {
		if p := &deltas[i].Part; p.Choice != Aside {
			p.Choice = choice
		}
	}
	for i := tied; i < len(ev.Tied); i++ {
		t := &ev.Tied[i]
		t.Message = choice
		t.Loose = !repeatsDeltas(doc, base, t.Span, deltas)
	}
}

// repeatsDeltas reports whether a value says no more than the texts that arrive in pieces.
func repeatsDeltas(doc []byte, base int, at splice.Span, deltas []core.Delta) bool {
	var texts [8]splice.Span
	n := 0
	for i := range deltas {
		if d := &deltas[i]; d.Part.Choice != Aside && !d.JSON && n < len(texts) {
			texts[n] = ShiftSpan(d.Span, -base)
			n++
		}
	}
	return Repeats(doc, ShiftSpan(at, -base), texts[:n]...)
}
