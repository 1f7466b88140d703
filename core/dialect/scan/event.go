package scan

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/sse"
)

// keepJoined is the size in bytes of the largest buffer for joined lines that is
// kept for the next event.
const keepJoined = 64 << 10

// EventData returns the data of an event, where it starts, and the number of its
// data lines. It joins several lines into *joined and sets ev.Joined. It sets ev.Impure.
func EventData(ev *core.Event, joined *[]byte) (data []byte, base, lines int) {
	doc := ev.Raw
	lo, hi, lines := sse.Data(doc)
	ev.Impure = !sse.IsPure(doc, lo, hi)
	if lines > 1 {
		*joined = sse.Join((*joined)[:0], doc)
		doc, ev.Joined = *joined, *joined
		lo, hi, _ = sse.Data(doc)
		if cap(*joined) > keepJoined {
			*joined = nil
		}
	}
	return doc[lo:hi], lo, lines
}

// Shift returns where a span of the data lies in the event; base is where the
// data starts.
func Shift(at splice.Span, base int) splice.Span {
	return splice.Span{Start: at.Start + base, End: at.End + base}
}
