package gemini

import (
	"bytes"

	"github.com/headgate-dev/headgate/core/body/sse"
	"github.com/headgate-dev/headgate/core/dialect/wire"
	"github.com/headgate-dev/headgate/core/llm"
)

// DecodeStream reads an answer streamed as events (alt=sse).
func (GenerateWire) DecodeStream() wire.StreamDecoder { return new(streamDecoder) }

type streamDecoder struct {
	events  sse.Splitter
	chunk   chunkReader
	choices []choice
	started bool
	ended   bool // a finish reason was seen
	told    llm.Usage
	joined  []byte
	ev      llm.Event
}

// choice is the state of one candidate.
type choice struct {
	index    int
	open     llm.PartKind // the part opened last
	calls    int
	finished bool
}

// Decode emits the events that b completes.
func (d *streamDecoder) Decode(b []byte, emit func(*llm.Event) error) error {
	if err := d.events.Write(b); err != nil {
		return err
	}
	for raw := d.events.Next(); raw != nil; raw = d.events.Next() {
		if err := d.readEvent(raw, emit); err != nil {
			return err
		}
	}
	return nil
}

// Close emits the remaining events. The API has no end marker: a stream with a finish reason is complete.
func (d *streamDecoder) Close(emit func(*llm.Event) error) error {
	if rest := d.events.Rest(); len(rest) > 0 && !d.ended {
		if err := d.readEvent(bytes.Clone(rest), emit); err != nil {
			return err
		}
	}
	if err := d.emitUsage(emit); err != nil {
		return err
	}
	if !d.ended {
		return nil
	}
	return d.emit(emit, llm.Event{Kind: llm.Ended})
}

// emit emits an event without allocating it.
func (d *streamDecoder) emit(emit func(*llm.Event) error, ev llm.Event) error {
	d.ev = ev
	return emit(&d.ev)
}

// emitUsage emits the usage if it changed.
func (d *streamDecoder) emitUsage(emit func(*llm.Event) error) error {
	if !d.chunk.usage.Reported || d.chunk.usage == d.told {
		return nil
	}
	d.told = d.chunk.usage
	return d.emit(emit, llm.Event{Kind: llm.UsageEvent, Usage: d.told})
}

func (d *streamDecoder) readEvent(raw []byte, emit func(*llm.Event) error) error {
	lo, hi, n := sse.FindData(raw)
	if n > 1 {
		d.joined = sse.Join(d.joined[:0], raw)
		raw = d.joined
		lo, hi, _ = sse.FindData(raw)
	}
	if n == 0 && isBareJSON(raw) {
		lo, hi = 0, len(raw)
	}
	if len(bytes.TrimSpace(raw[lo:hi])) == 0 {
		return nil
	}
	c := &d.chunk
	if err := c.read(raw[lo:hi]); err != nil {
		return err
	}
	if c.failure != nil {
		return d.emit(emit, llm.Event{Kind: llm.Failed, Error: c.failure})
	}
	if !d.started {
		d.started = true
		if err := d.emit(emit, llm.Event{Kind: llm.Started, ID: c.id, Model: c.model}); err != nil {
			return err
		}
	}
	for i := range c.candidates {
		if err := d.emitCandidate(&c.candidates[i], emit); err != nil {
			return err
		}
	}
	if c.blocked && len(c.candidates) == 0 && !d.ended {
		d.ended = true
		if err := d.emit(emit, llm.Event{Kind: llm.Finished, Finish: llm.FinishFiltered}); err != nil {
			return err
		}
	}
	if d.ended {
		return d.emitUsage(emit)
	}
	return nil
}

// findChoice returns the state of a candidate.
func (d *streamDecoder) findChoice(index int) *choice {
	for i := range d.choices {
		if d.choices[i].index == index {
			return &d.choices[i]
		}
	}
	d.choices = append(d.choices, choice{index: index})
	return &d.choices[len(d.choices)-1]
}

func (d *streamDecoder) emitCandidate(a *candidate, emit func(*llm.Event) error) error {
	c := d.findChoice(a.index)
	for i := range a.parts {
		if err := d.emitPart(c, &a.parts[i], emit); err != nil {
			return err
		}
	}
	if a.logprobs != nil {
		if err := d.emit(emit, llm.Event{Kind: llm.Logprobs, Choice: c.index, Raw: a.logprobs}); err != nil {
			return err
		}
	}
	why := parseFinish(a.finish)
	if why == llm.FinishUnsaid || c.finished {
		return nil
	}
	c.finished, d.ended = true, true
	if why == llm.FinishStop && c.calls > 0 {
		why = llm.FinishTools
	}
	return d.emit(emit, llm.Event{Kind: llm.Finished, Choice: c.index, Finish: why})
}
