package cases

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
)

// runStream runs an answer through the chain event by event.
func (b *bench) runStream(
	ctx context.Context,
	s *step,
	links *chain.Chain,
	x *core.Exchange,
	from int,
	w way,
) (o outcome, took time.Duration, err error) {
	d := s.input.shape
	events, err := cutEvents(d, s.input.events, w)
	if err != nil {
		return o, 0, err
	}
	list, err := splitEvents(events)
	if err != nil {
		return o, 0, err
	}
	start := time.Now()
	x.Head.Stream = true
	stream, e := links.Stream(ctx, x, d)
	var out []byte
	var ev core.Event
	for _, raw := range list {
		if e != nil {
			break
		}
		ev.Reset(raw)
		if err := d.ScanEvent(x, &ev); err != nil {
			stream.Close(ctx)
			return o, 0, fmt.Errorf("an event of the stream does not have the shape %s: %w", d.Name(), err)
		}
		out, e = stream.RunEvent(ctx, &ev, out)
	}
	if e == nil {
		out, e = stream.End(ctx, out)
	}
	took = time.Since(start)
	decision := chain.Decision{Action: core.Pass}
	if e != nil {
		decision = chain.Decision{Action: core.Block, Link: e.Link, Err: e, Fault: e.Code == core.CodeGuardUnavailable}
		if again := stream.RetryDecision(); again != nil {
			decision = *again
		}
	}
	withheld := stream.Withholds()
	stream.Close(ctx)
	setOutcome(x, &decision)
	if withheld && e != nil {
		out = nil // the answer was replaced before anything was sent
	}
	o.streamed = true
	o.readPhase(b, x, decision, from)
	o.raw = []byte(b.tokens.showPlaceholders(string(out)))
	if o.parts, err = splitStreamParts(d, out); err != nil {
		return o, 0, fmt.Errorf("the chain's output cannot be read: %w", err)
	}
	for i := range o.parts {
		o.parts[i].text = b.tokens.showPlaceholders(o.parts[i].text)
	}
	o.texts = o.parts.listTexts()
	return o, took, nil
}

// joinSentText returns all text of a stream that the client received.
func (o *outcome) joinSentText() string { return strings.Join(o.parts.listTexts(), "\n") }
