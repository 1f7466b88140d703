package proxy

import (
	"context"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
	"github.com/headgate-dev/headgate/core/splice"
	"github.com/headgate-dev/headgate/core/sse"
	"github.com/headgate-dev/headgate/core/upstream"
)

const (
	// maxRepeats is how often one exchange asks again, whatever its stages want.
	maxRepeats = 10
	// maxHeard is how much of a stream is remembered for the case that it is asked for again.
	maxHeard = 1 << 20
)

// again is what an exchange remembers of the answers that its links did not take.
type again struct {
	times  int
	append []llm.Message // behind the request's own messages
	spent  llm.Usage     // of the answers that were not taken
	booked int           // attempts whose usage is written down
	heard  []byte        // the last answer as the provider gave it, in the client's shape
}

// repeat sends the request again, with the answer that a link has objected to and
// what the link says to it behind its messages. What was used is kept.
func (c *call) repeat(ctx context.Context, plan []core.TargetRef, d *core.Decision) (*upstream.Response, *core.Error) {
	a := &c.again
	if _, ok := c.d.(core.Appender); !ok && c.tr == nil || a.times == maxRepeats || c.prompts() > 1 {
		return nil, c.lost(d, nil)
	}
	a.times++
	if said := c.said(); said != "" {
		a.append = append(a.append, llm.Message{Role: llm.Assistant, Parts: []llm.Part{llm.Text(said)}})
	}
	a.append = append(a.append, d.Append...)
	c.settleTranslation()
	c.attempted(c.x.Usage)
	a.spent, a.heard, c.tr = a.spent.Add(c.x.Usage), nil, nil
	c.x.Response.Reset()
	c.x.Usage, c.out = llm.Usage{}, c.out[:0]
	c.events.Reset()
	return c.send(ctx, plan)
}

// attempted writes down what the last attempt has used.
func (c *call) attempted(u llm.Usage) {
	if n := len(c.x.Attempts); n > c.again.booked {
		c.x.Attempts[n-1].Usage = u
		c.again.booked = n
	}
}

// settleAttempts writes down what the last attempt has used, and gives the exchange
// what all of them have.
func (c *call) settleAttempts() {
	c.attempted(c.x.Usage)
	c.x.Usage = c.again.spent.Add(c.x.Usage)
}

// lost refuses an answer that a link wants again where that cannot be.
func (c *call) lost(d *core.Decision, e *core.Error) *core.Error {
	if d == nil {
		return e
	}
	return c.denied(*d)
}

// said is the text of the last answer, as the provider gave it: the first choice,
// where there are several.
func (c *call) said() string {
	if c.x.Head.Stream {
		return c.saidStreamed()
	}
	p := &c.x.Response
	p.Reset()
	p.Raw = c.again.heard
	if err := c.d.ScanResponse(&c.x); err != nil { // it was scanned before
		return ""
	}
	var b strings.Builder
	first := int32(-1)
	for i := range p.Segments {
		s := &p.Segments[i]
		if s.Kind != core.KindText || s.Role != core.RoleAssistant {
			continue
		}
		if first < 0 {
			first = s.Message
		}
		if s.Message == first {
			b.WriteString(p.Text(i))
		}
	}
	return b.String()
}

func (c *call) saidStreamed() string {
	var events sse.Splitter
	if err := events.Write(c.again.heard); err != nil {
		return ""
	}
	var b strings.Builder
	for raw := events.Next(); raw != nil; raw = events.Next() {
		ev := &c.event
		ev.Reset(raw)
		if err := c.d.ScanEvent(&c.x, ev); err != nil { // it was scanned before
			return ""
		}
		doc := raw
		if ev.Joined != nil {
			doc = ev.Joined
		}
		for i := range ev.Deltas {
			if d := &ev.Deltas[i]; d.Part.Kind == core.KindText && d.Part.Choice == 0 && d.Span.Len() > 0 {
				text, _ := splice.Text(doc, d.Span, d.Depth, nil)
				b.Write(text)
			}
		}
	}
	return b.String()
}

// hear remembers what came as long as the client has seen nothing.
func (s *streaming) hear(b []byte) {
	if s.links != nil && !s.state.headOut && len(s.heard) <= maxHeard {
		s.heard = append(s.heard, b...)
	}
}

// repeats reports whether the stream ends because a link wants another answer, and
// can have it: the client has seen nothing.
func (s *streaming) repeats() bool {
	if s.links == nil || s.state.headOut || len(s.heard) > maxHeard {
		return false
	}
	d := s.links.Again()
	if d == nil {
		return false
	}
	s.retry, s.call.again.heard = d, s.heard
	return true
}
