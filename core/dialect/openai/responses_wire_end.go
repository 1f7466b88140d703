package openai

import (
	"github.com/headgate-dev/headgate/core/llm"
)

// between separates the summaries of one reasoning item.
const between = "\n\n"

// endItem emits the rest of a finished item, or keeps it until the live item ends.
func (d *responsesStream) endItem(at int64, it decodedItem) error {
	if d.done[at] {
		return nil
	}
	if d.live >= 0 && d.live != at {
		d.waiting = append(d.waiting, waitingItem{at, it})
		return nil
	}
	if err := d.emitRest(at, it); err != nil {
		return err
	}
	for len(d.waiting) > 0 {
		w := d.waiting[0]
		d.waiting = d.waiting[1:]
		if err := d.emitRest(w.at, w.item); err != nil {
			return err
		}
	}
	return nil
}

// emitRest emits the parts of an item that its deltas did not carry.
func (d *responsesStream) emitRest(at int64, it decodedItem) error {
	if d.done == nil {
		d.done = map[int64]bool{}
	}
	live := d.live == at && d.kind != 0
	place := d.place
	if d.kind == llm.CallPart || d.kind == llm.ReasoningPart {
		place = 0 // there is but one
	}
	sent := d.sent
	d.live, d.done[at] = -1, true
	for i := range it.parts {
		p := &it.parts[i]
		text := findDeltaText(p)
		switch {
		case live && int64(i) < place:
			continue
		case live && int64(i) == place:
			text = text[min(sent, len(text)):]
		case text == "" && p.Kind != llm.CallPart:
			continue
		default:
			if err := d.openPart(*p); err != nil {
				return err
			}
		}
		if text != "" {
			if err := d.emitText(text); err != nil {
				return err
			}
		}
	}
	d.kind = 0
	return nil
}

// findDeltaText returns the text of a part as deltas carry it.
func findDeltaText(p *llm.Part) string {
	switch p.Kind {
	case llm.CallPart:
		return p.Call.Input
	case llm.ReasoningPart:
		return p.Reasoning.Text
	}
	return p.Text
}

// emitFinish emits the end of the answer. The event holds all items, and some providers
// send them only there.
func (d *responsesStream) emitFinish() error {
	a := d.readAnswer()
	if !d.started {
		if err := d.emitEvent(llm.Event{Kind: llm.Started, ID: a.id, Model: a.model, Created: a.created}); err != nil {
			return err
		}
	}
	if n := d.live; n >= 0 && n < int64(len(a.items)) {
		if err := d.endItem(n, a.items[n]); err != nil {
			return err
		}
	}
	d.live = -1
	for i := range a.items {
		if err := d.endItem(int64(i), a.items[i]); err != nil {
			return err
		}
	}
	d.over = true
	if err := d.emitEvent(llm.Event{Kind: llm.Finished, Finish: mapIncompleteReason(a.reason, d.calls)}); err != nil {
		return err
	}
	if a.usage.Reported {
		if err := d.emitEvent(llm.Event{Kind: llm.UsageEvent, Usage: a.usage}); err != nil {
			return err
		}
	}
	return d.emitEvent(llm.Event{Kind: llm.Ended})
}

// emitFailure emits the provider's error.
func (d *responsesStream) emitFailure() error {
	code, message := Responses{}.ReadError(d.r.doc)
	d.over = true
	return d.emitEvent(llm.Event{Kind: llm.Failed, Error: &llm.Failure{Status: mapCode(code), Code: code, Message: message}})
}
