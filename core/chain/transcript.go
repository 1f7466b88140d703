package chain

import (
	"github.com/headgate-dev/headgate/core"
)

// transcript is what a client was sent of each part, for shapes that repeat it.
type transcript struct {
	parts []transcriptPart
	index map[core.Part]int // of parts; nil while they are few
	size  int               // bytes of all texts
	last  []byte            // the event that came last
}

const (
	fewParts = 16
	// A provider could send text endlessly; the transcript has the bounds of a whole answer.
	maxParts      = 1 << 14
	maxTranscript = 64 << 20
)

// isFull reports whether no more can be kept.
func (t *transcript) isFull() bool {
	return t != nil && (len(t.parts) > maxParts || t.size > maxTranscript)
}

var errTooLong = &core.Error{
	Kind: core.BadGateway, Code: core.CodeUpstreamInvalid, Public: "the provider's answer is too long to be judged, so it was cut off",
}

type transcriptPart struct {
	core.Part
	text []byte
	last []byte // the last event with text of it
}

func newTranscript(d core.Dialect) *transcript {
	if _, ok := d.(core.Repeater); ok {
		return new(transcript)
	}
	return nil
}

// noteEvent keeps an event.
func (t *transcript) noteEvent(event []byte) {
	if t != nil {
		t.last = append(t.last[:0], event...)
	}
}

// notePartEvent keeps an event with text of a part.
func (t *transcript) notePartEvent(p core.Part, event []byte) {
	if t != nil {
		q := t.findOrAdd(p)
		q.last = append(q.last[:0], event...)
	}
}

// findLastPartEvent returns the last event with text of a part.
func (t *transcript) findLastPartEvent(p core.Part) []byte {
	if q := t.find(p); q != nil {
		return q.last
	}
	return nil
}

// addText keeps text that is sent.
func (t *transcript) addText(p core.Part, text string) {
	if t != nil {
		q := t.findOrAdd(p)
		q.text = append(q.text, text...)
		t.size += len(text)
	}
}

// findOrAdd finds a part, or begins it.
func (t *transcript) findOrAdd(p core.Part) *transcriptPart {
	if q := t.find(p); q != nil {
		return q
	}
	t.parts = append(t.parts, transcriptPart{Part: p})
	switch n := len(t.parts); {
	case t.index != nil:
		t.index[p] = n - 1
	case n > fewParts:
		t.index = make(map[core.Part]int, 4*fewParts)
		for i := range t.parts {
			t.index[t.parts[i].Part] = i
		}
	}
	return &t.parts[len(t.parts)-1]
}

// find looks from the end: parts arrive one after the other.
func (t *transcript) find(p core.Part) *transcriptPart {
	if t == nil {
		return nil
	}
	if t.index != nil {
		if i, ok := t.index[p]; ok {
			return &t.parts[i]
		}
		return nil
	}
	for i := len(t.parts) - 1; i >= 0; i-- {
		if t.parts[i].Part == p {
			return &t.parts[i]
		}
	}
	return nil
}
