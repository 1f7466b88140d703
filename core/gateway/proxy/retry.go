package proxy

import (
	"context"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/sse"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/core/llm"
)

const (
	// maxRepeats is how often one exchange asks again at most, whatever its stages want.
	maxRepeats = 10
	// maxHeard is the longest stream, in bytes, that is withheld to its end.
	maxHeard = 8 << 20
)

// rejectedAnswers are the answers that links did not accept.
type rejectedAnswers struct {
	times int
	last  []byte // the last one in the client's dialect, as the provider gave it
}

// repeat sends the request again, with the rejected answer and the link's response to it appended to the messages. The
// usage so far is kept.
func (c *call) repeat(ctx context.Context, plan []core.TargetRef, d *chain.Decision) (*upstream.Response, *core.Error) {
	a := &c.rejected
	if _, ok := c.d.(core.Appender); !ok && c.tr == nil || a.times == maxRepeats || c.prompts() > 1 {
		return nil, c.refuseRetry(d, nil)
	}
	a.times++
	if said := c.lastAnswerText(); strings.TrimSpace(said) != "" { // some providers refuse messages without text
		c.x.Appended = append(c.x.Appended, llm.Message{Role: llm.Assistant, Parts: []llm.Part{llm.Text(said)}})
	}
	c.x.Appended = append(c.x.Appended, d.Append...)
	c.settleTranslation()
	c.addRejectedUsage()
	a.last, c.tr = nil, nil
	c.x.Response.Reset()
	c.x.Usage, c.out = llm.Usage{}, c.out[:0]
	c.sample.reset()
	c.kept.Again()
	c.events.Reset()
	return c.send(ctx, plan)
}

// addRejectedUsage adds the usage of an answer that a link rejected.
func (c *call) addRejectedUsage() {
	u := c.x.Usage
	if !u.Known() {
		u = c.estimateAnswer()
	}
	c.x.Attempts[len(c.x.Attempts)-1].Usage = u
	c.dropped = c.dropped.Add(u)
}

// refuseRetry returns the error of a rejected answer that cannot be asked for again.
func (c *call) refuseRetry(d *chain.Decision, e *core.Error) *core.Error {
	if d == nil {
		return e
	}
	return c.blockedError(*d)
}

// lastAnswerText returns the text of the last answer as the provider gave it: its first choice.
func (c *call) lastAnswerText() string {
	if c.x.Head.Stream {
		return c.lastStreamText()
	}
	p := &c.x.Response
	p.Reset()
	p.Raw = c.rejected.last
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

func (c *call) lastStreamText() string {
	var events sse.Splitter
	if err := events.Write(c.rejected.last); err != nil {
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

// keepReceived keeps the bytes of a withheld stream.
func (s *streamedAnswer) keepReceived(b []byte) *core.Error {
	if !s.withheld {
		return nil
	}
	if s.received = append(s.received, b...); len(s.received) > maxHeard {
		return s.c.invalidAnswer("it is too long to be checked as a whole")
	}
	return nil
}

// drain reads the rest of a rejected answer: the provider reports its usage at the end.
func (s *streamedAnswer) drain() {
	in := make([]byte, readSize)
	ev := &s.c.event
	for size := len(s.received); size <= maxHeard; {
		for raw := s.c.events.Next(); raw != nil && !s.ended; raw = s.c.events.Next() {
			ev.Reset(raw)
			before := s.c.x.Usage
			if err := s.c.d.ScanEvent(&s.c.x, ev); err != nil || ev.Done {
				s.ended = true
			}
			s.sampleText(ev, &before)
		}
		if s.ended {
			return
		}
		n, err := s.body.Read(in)
		if size += n; s.c.events.Write(in[:n]) != nil || err != nil {
			return
		}
	}
}

// takeRetry reports whether the stream ends because a link wants another answer and can have it: the client has seen
// nothing.
func (s *streamedAnswer) takeRetry() bool {
	if !s.withheld || s.c.state.headOut {
		return false
	}
	d := s.links.Again()
	if d == nil {
		return false
	}
	s.c.acceptAnswer()
	s.retry, s.c.rejected.last = d, s.received
	return true
}
