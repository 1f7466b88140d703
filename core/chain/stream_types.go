package chain

import (
	"context"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/sse"
)

// Stream runs the response links over an answer that arrives in events. The
// links run in series: each passes on only what it has cleared, so the client
// gets text up to the earliest point that every link has cleared. Events whose
// text is not changed leave byte for byte as they came.
type Stream struct {
	c          *Chain
	x          *core.Exchange
	r          *run
	d          core.Dialect
	links      []streamLink
	parts      partTable
	like       []byte
	text       []byte
	cuts       []splice.Cut
	out        []byte      // escaped text of changed deltas
	transcript *transcript // what the client was sent; nil if nothing needs it
	again      *Decision
	tap        *tap // observes outgoing events; optional
	clock      time.Duration
	pending    pendingEvents
	queue      eventQueue
	carried    []mark // of the text that goes from one link to the next
	landed     []mark // of the text that all links have cleared
	texts      []*movedParts
	textOf     map[core.Part]*movedParts // the same by part
	movable    int                       // edits of texts that may still be kept
	edited     bool                      // a link has changed text
	split      bool                      // the event that leaves next has lost its texts

	informing bool             // a link is core.FindingsReader
	late      []trackedFinding // findings of the links behind the tap
	moving    []trackedFinding // found in the text that goes from one link to the next
	shown     []core.Finding   // findings that the current link is shown
	ids       int              // findings so far
	judged    bool             // a link here that is not in shadow mode judges the answer
	state     streamState
}

// pendingEvents are events of one part whose text ends within a number or an escape, which
// links see whole only. They wait for its end in two versions: as they came, and without
// the beginning of the number, which a link may change. The end decides which one leaves.
type pendingEvents struct {
	part core.Part
	raw  []byte
	cut  []byte
	text []byte // what raw has and cut lacks
}

type streamLink struct {
	i      int
	filter core.StreamFilter
	state  linkState
	spent  time.Duration
	fault  core.Fault
	action core.Action
}

// tap splits the chain on a stream. It sees the output of the links behind it as whole events.
type tap struct {
	link  streamLink
	to    core.Tap // nil if the stage does not observe this answer
	next  *Stream  // the links in front
	plain bool     // there are no links behind it: its events are the provider's
	owner *Stream

	made   []byte // events that the links behind have made
	events sse.Splitter
	event  core.Event
}

// getFrontPart returns the part of the chain in front of the tap, or nil without a tap.
func (s *Stream) getFrontPart() *Stream {
	if s.tap == nil {
		return nil
	}
	return s.tap.next
}

// applyFaultRule carries out the fault rule of a link: an error, or nil when the text
// may pass without it.
func (s *Stream) applyFaultRule(ctx context.Context, l *streamLink, f core.Fault, err error) *core.Error {
	l.state, l.fault = l.state.stop(), f
	if l.state.isShadow() {
		return nil
	}
	link := &s.c.links[l.i]
	if ctx.Err() != nil {
		return newCanceledError(ctx)
	}
	if e := newLimitError(link, err); e != nil {
		return e
	}
	if link.OnFault == FaultPasses {
		return nil
	}
	return newGuardError(link, f, err)
}
