package a2a

import (
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// Peek checks a response of a stream before it is governed, and fills c.Answer: whether anything may follow. It consumes
// x.Scanner.
func (c *Call) Peek(x *core.Exchange, data []byte) error {
	s := &x.Scanner
	s.MaxDepth = maxDepth
	defer func() { s.MaxDepth = 0 }()
	c.Answer = Answer{}
	if err := scan.OpenObject(s, data, errNotObject); err != nil {
		return err
	}
	e, p, f := envelope{c: c}, progress{s: s, doc: data}, found{}
	for s.Next() {
		switch key := s.Key(); string(key) {
		case "result":
			e.hasResult = true
			if s.Kind() == splice.Object {
				p.readObject(&f)
			} else {
				s.Skip()
			}
		case "error":
			e.hasError = true
			s.Skip()
		default:
			if !e.read(s, data, key) {
				s.Skip()
			}
		}
	}
	if s.End(); s.Err() != nil {
		return s.Err()
	}
	if err := e.check(); err != nil {
		return err
	}
	a := &c.Answer
	switch {
	case e.hasError:
		a.Failed, a.Last = true, true
	case !f.isResultOf(c):
		return errNoResult
	case p.isMessage, p.final, c.Version == Version10 && isTerminal(p.state):
		a.Last = true
	default:
		a.Rests = isTerminal(p.state) || isInterrupted(p.state)
	}
	return nil
}

// progress is what a response says of how far its task has come.
type progress struct {
	s   *splice.Scanner
	doc []byte

	isMessage, final bool
	state            string
}

// readObject reads a result, or what it wraps.
func (p *progress) readObject(f *found) {
	for p.s.Enter(); p.s.Next(); {
		name, kind := string(p.s.Key()), p.s.Kind()
		if f != nil {
			f.note(name, kind)
		}
		switch {
		case name == "status" && kind == splice.Object:
			p.readStatus()
		case (name == "task" || name == "statusUpdate") && kind == splice.Object:
			p.readObject(nil)
		case name == "final":
			on := scan.ReadFlag(p.s)
			p.final = on != nil && *on
		default:
			p.isMessage = p.isMessage || f != nil && (name == "parts" && kind == splice.Array || name == "message" && kind == splice.Object)
			p.s.Skip()
		}
	}
}

func (p *progress) readStatus() {
	for p.s.Enter(); p.s.Next(); {
		if string(p.s.Key()) == "state" {
			p.state = strings.Clone(scan.ShortenName(scan.ReadAlias(p.s, p.doc)))
			continue
		}
		p.s.Skip()
	}
}

// isTerminal reports whether a task in this state has ended.
func isTerminal(state string) bool {
	switch state {
	case "completed", "failed", "canceled", "rejected",
		"TASK_STATE_COMPLETED", "TASK_STATE_FAILED", "TASK_STATE_CANCELED", "TASK_STATE_REJECTED":
		return true
	}
	return false
}

// isInterrupted reports whether a task in this state waits for its client.
func isInterrupted(state string) bool {
	switch state {
	case "input-required", "auth-required", "TASK_STATE_INPUT_REQUIRED", "TASK_STATE_AUTH_REQUIRED":
		return true
	}
	return false
}
