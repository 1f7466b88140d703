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
	// maxRepeats limits how often one exchange requests another answer, whatever its stages want.
	maxRepeats = 10
	// maxHeard limits a stream that is withheld to its end, in bytes.
	maxHeard = 8 << 20
)

// rejectedAnswers are the answers that links rejected.
type rejectedAnswers struct {
	times int
	last  []byte // the last one in the client's dialect, as the provider gave it
}

// repeatRequest sends the request again, with the rejected answer and the link's response to it appended to the
// messages. The usage so far is kept.
func (a *answer) repeatRequest(ctx context.Context, plan []core.TargetRef, d *chain.Decision) (*upstream.Response, *core.Error) {
	if _, ok := a.call.d.(core.Appender); !ok && a.tr == nil || a.rejected.times == maxRepeats || a.call.countPrompts() > 1 {
		return nil, a.newRetryError(d, nil)
	}
	a.rejected.times++
	if said := a.findLastText(); strings.TrimSpace(said) != "" { // some providers refuse messages without text
		a.call.x.Appended = append(a.call.x.Appended, llm.Message{Role: llm.Assistant, Parts: []llm.Part{llm.NewText(said)}})
	}
	a.call.x.Appended = append(a.call.x.Appended, d.Append...)
	a.settleTranslation()
	a.call.bill.addRejected()
	a.rejected.last, a.tr = nil, nil
	a.call.x.Response.Reset()
	a.call.x.Usage, a.call.out = llm.Usage{}, a.call.out[:0]
	a.call.bill.sample.reset()
	a.call.kept.DiscardAnswer()
	a.events.Reset()
	return a.call.attempts.callTargets(ctx, plan)
}

// newRetryError returns the error of a rejected answer that cannot be requested again.
func (a *answer) newRetryError(d *chain.Decision, e *core.Error) *core.Error {
	if d == nil {
		return e
	}
	return a.call.newBlockedError(*d)
}

// findLastText returns the text of the last answer as the provider gave it: its first choice.
func (a *answer) findLastText() string {
	if a.call.x.Head.Stream {
		return a.findLastStreamText()
	}
	p := &a.call.x.Response
	p.Reset()
	p.Raw = a.rejected.last
	if err := a.call.d.ScanResponse(&a.call.x); err != nil { // it was scanned before
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
			b.WriteString(p.ReadText(i))
		}
	}
	return b.String()
}

func (a *answer) findLastStreamText() string {
	var events sse.Splitter
	if err := events.Write(a.rejected.last); err != nil {
		return ""
	}
	var b strings.Builder
	for raw := events.Next(); raw != nil; raw = events.Next() {
		ev := &a.event
		ev.Reset(raw)
		if err := a.call.d.ScanEvent(&a.call.x, ev); err != nil { // it was scanned before
			return ""
		}
		doc := raw
		if ev.Joined != nil {
			doc = ev.Joined
		}
		for i := range ev.Deltas {
			if d := &ev.Deltas[i]; d.Part.Kind == core.KindText && d.Part.Choice == 0 && d.Span.Len() > 0 {
				text, _ := splice.ReadText(doc, d.Span, d.Depth, nil)
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
		return s.c.attempts.newInvalidAnswerError("too long to be checked as a whole")
	}
	return s.c.answer.reserveMemory(int64(len(s.received)))
}

// drain reads the rest of a rejected answer: the provider reports its usage at the end.
func (s *streamedAnswer) drain() {
	in := make([]byte, readSize)
	ev := &s.c.answer.event
	for size := len(s.received); size <= maxHeard; {
		for raw := s.c.answer.events.Next(); raw != nil && !s.state.isEnded(); raw = s.c.answer.events.Next() {
			ev.Reset(raw)
			before := s.c.x.Usage
			if err := s.c.d.ScanEvent(&s.c.x, ev); err != nil || ev.Done {
				s.state.end()
			}
			s.sampleText(ev, &before)
		}
		if s.state.isEnded() {
			return
		}
		n, err := s.body.Read(in)
		if size += n; s.c.answer.events.Write(in[:n]) != nil || err != nil {
			return
		}
	}
}

// takeRetry reports whether the stream ends because a link wants another answer and can have one: the client has
// received nothing.
func (s *streamedAnswer) takeRetry() bool {
	if !s.withheld || s.c.state.headOut {
		return false
	}
	d := s.links.RetryDecision()
	if d == nil {
		return false
	}
	s.c.attempts.accept()
	s.retry, s.c.answer.rejected.last = d, s.received
	return true
}
