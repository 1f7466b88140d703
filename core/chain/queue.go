package chain

import "github.com/headgate-dev/headgate/core/body/offset"

// eventQueue holds events that arrived behind text which links still hold back, such as an annotation of that text. They
// leave in the order in which they came, each after the text that was received before it.
type eventQueue struct {
	events []queuedEvent
	first  int // the number of events[0]
	size   int // bytes
}

type queuedEvent struct {
	raw    []byte
	like   []byte // the event that the text before it is written like; the default is the part's last event
	behind int    // parts that hold text which came before it

	offsets offset.Finder // as the event's
}

// mark is the place of a queued event in a text. Links move it as they clear the text before it.
type mark struct {
	number int // of the event
	at     int
}

// maxQueued bounds the bytes of queued events; chains that have the whole answer wait may queue as much as they hold.
const maxQueued = 1 << 20

// markSize is what a mark counts as, in bytes.
const markSize = 32

func (ev *queuedEvent) size() int { return len(ev.raw) + len(ev.like) }

// note counts that the text before a queued event has left, in one part.
func (u *eventQueue) note(number int) {
	if i := number - u.first; i >= 0 && i < len(u.events) {
		u.events[i].behind--
		u.size -= markSize
	}
}
