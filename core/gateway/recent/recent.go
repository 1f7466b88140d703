// Package recent remembers the outcome of the newest exchanges: the verdict of each link, the calls to providers, and
// their timing. It stores no text: of redacted values it knows the placeholders. It keeps all exchanges that were
// blocked or failed, up to a rate, and a sample of the others. An exchange that is not kept costs the check of one counter.
package recent

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
	"github.com/headgate-dev/headgate/core/records/spending"
)

// PlaygroundKey replaces the key's id in exchanges from the console's playground. All of them are kept.
const PlaygroundKey = "playground"

// Limits of what is kept.
const (
	size            = 2000
	usual           = 20  // successful exchanges per second
	unusual         = 200 // other exchanges per second
	maxEntries      = 64  // of stages, attempts and kinds of findings
	maxPlaceholders = 20  // placeholders per exchange
)

// Exchange is the summary of one exchange.
type Exchange struct {
	ID, Trace           string
	Tenant, Key, Name   string // Key is an id, Name that of the key
	Dialect, Model      string // of the client
	Provider, SentModel string // of the last call
	At                  time.Time
	Latency, FirstByte  time.Duration // since At; a FirstByte of 0: no byte arrived
	Outcome             core.OutcomeKind
	By, Code            string // the link that decided, and the error code
	Budget              string // the id of the budget that refused it; "" if none did
	Status              int
	Stream, Complete    bool
	Usage               llm.Usage
	Cost                int64 // units of 1e-10 USD
	Priced              bool
	Stages              []Stage
	Attempts            []Attempt
	Found               []Found
	Placeholders        []string
	More                int // placeholders beyond maxPlaceholders
}

// Stage is what a link decided in one phase.
type Stage struct {
	Link   string
	Phase  core.Phase
	Action core.Action
	Fault  core.Fault
	Shadow bool
	Spread bool          // it saw the parts of a stream, and Took is the sum of its times
	Began  time.Duration // since the exchange was received
	Took   time.Duration
}

// Attempt is one call of a provider, until its answer began, or a target that was treated as down and not called.
type Attempt struct {
	Skipped         bool
	Provider, Model string
	Status          int // 0: no answer
	Began, Took     time.Duration
}

// Found counts the findings of one kind by a link.
type Found struct {
	Link, Label      string
	Phase            core.Phase
	Shadow, Redacted bool
	Count            int
}

// Ring holds the newest exchanges. Safe for concurrent use; a nil Ring ignores calls.
type Ring struct {
	epoch       time.Time
	well, badly pace
	mu          sync.Mutex
	slots       []Exchange // grows to size
	next        int
}

// New returns an empty ring.
func New() *Ring {
	r := &Ring{epoch: time.Now().Add(-time.Second)} // the allowance of one second is available at once
	r.well.every, r.badly.every = int64(time.Second/usual), int64(time.Second/unusual)
	return r
}

// pace allows a number of events per second, and at most one second's worth at once.
type pace struct {
	every int64
	due   atomic.Int64
}

func (p *pace) takes(at int64) bool {
	for {
		due := p.due.Load()
		if due > at {
			return false
		}
		if p.due.CompareAndSwap(due, max(due, at-int64(time.Second))+p.every) {
			return true
		}
	}
}

// takes decides whether the exchange is kept. It does not read the clock.
func (r *Ring) takes(x *core.Exchange, latency time.Duration) bool {
	if x.Principal != nil && x.Principal.KeyID == PlaygroundKey {
		return true
	}
	at := int64(x.Received.Sub(r.epoch) + latency)
	if isNotable(x) {
		return r.badly.takes(at)
	}
	return r.well.takes(at)
}

// isNotable reports whether the exchange was blocked or failed, or a stage failed.
func isNotable(x *core.Exchange) bool {
	switch x.Outcome.Kind {
	case core.Blocked, core.Faulted, core.UpstreamErr, core.Crashed:
		return true
	}
	for i := range x.Visits {
		if x.Visits[i].Fault != 0 {
			return true
		}
	}
	return false
}

// Add keeps the summary of an ended exchange, which took latency, if it is selected.
func (r *Ring) Add(x *core.Exchange, latency time.Duration) {
	if r == nil || !r.takes(x, latency) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.slots) < size && r.next == len(r.slots) {
		r.slots = append(r.slots, Exchange{})
	}
	r.slots[r.next].fill(x, latency)
	if r.next++; r.next == size {
		r.next = 0
	}
}

// fill overwrites the exchange in the slot and reuses its memory.
func (e *Exchange) fill(x *core.Exchange, latency time.Duration) {
	*e = Exchange{
		ID: strings.Clone(x.ID), Trace: strings.Clone(x.Trace), Dialect: x.Dialect, Model: strings.Clone(x.Head.Model),
		Provider: x.Target.Provider, SentModel: strings.Clone(x.Target.Model), At: x.Received, Latency: latency,
		Outcome: x.Outcome.Kind, By: x.Outcome.By, Status: x.Outcome.Status, Stream: x.Head.Stream, Complete: x.Outcome.Complete,
		Usage: x.Usage, Cost: x.Cost, Priced: x.Priced,
		Stages: e.Stages[:0], Attempts: e.Attempts[:0], Found: e.Found[:0], Placeholders: e.Placeholders[:0],
	}
	if p := x.Principal; p != nil {
		e.Tenant, e.Key, e.Name = p.Tenant, p.KeyID, p.KeyName
	}
	if x.Outcome.Err != nil {
		e.Code = x.Outcome.Err.Code
		if r, ok := errors.AsType[spending.Refusal](x.Outcome.Err.Err); ok {
			e.Budget = strings.Clone(r.Budget)
		}
	}
	if !x.FirstByte.IsZero() {
		e.FirstByte = x.FirstByte.Sub(x.Received)
	}
	for i := range x.Visits {
		v := &x.Visits[i]
		if len(e.Stages) == maxEntries {
			break
		}
		s := Stage{Link: v.Link, Phase: v.Phase, Action: v.Action, Fault: v.Fault, Shadow: v.Shadow, Took: v.Duration, Spread: v.Began == 0}
		if !s.Spread {
			s.Began = v.At().Sub(x.Received)
		}
		e.Stages = append(e.Stages, s)
	}
	e.addAttempts(x, x.Skipped, true)
	e.addAttempts(x, x.Attempts, false)
	e.count(x.Findings)
	for i, m := range x.Minted.All() {
		if i == maxPlaceholders {
			e.More = x.Minted.Len() - maxPlaceholders
			break
		}
		e.Placeholders = append(e.Placeholders, strings.Clone(m.Token))
	}
}

// addAttempts adds calls of providers, or targets that were skipped.
func (e *Exchange) addAttempts(x *core.Exchange, all []core.Attempt, skipped bool) {
	for i := range all[:min(len(all), maxEntries-len(e.Attempts))] {
		a := &all[i]
		e.Attempts = append(e.Attempts, Attempt{
			Skipped: skipped, Provider: a.Target.Provider, Model: strings.Clone(a.Target.Model), Status: a.Status,
			Began: a.Began.Sub(x.Received), Took: a.Duration,
		})
	}
}

// count counts equal findings.
func (e *Exchange) count(all []core.Finding) {
next:
	for i := range all {
		f := &all[i]
		for k := range e.Found {
			if c := &e.Found[k]; c.Link == f.Link && c.Label == f.Label && c.Phase == f.Phase && c.Shadow == f.Shadow && c.Redacted == f.Redacted {
				c.Count++
				continue next
			}
		}
		if len(e.Found) < maxEntries {
			e.Found = append(e.Found, Found{
				Link: f.Link, Label: strings.Clone(f.Label), Phase: f.Phase, Shadow: f.Shadow, Redacted: f.Redacted, Count: 1,
			})
		}
	}
}

// copy returns a deep copy.
func (e *Exchange) copy() Exchange {
	c := *e
	c.Stages, c.Attempts, c.Found, c.Placeholders = slices.Clone(
		e.Stages,
	), slices.Clone(
		e.Attempts,
	), slices.Clone(
		e.Found,
	), slices.Clone(
		e.Placeholders,
	)
	return c
}

// Find returns the newest exchange with this id or trace id, of one tenant, or of any tenant if tenant is "".
func (r *Ring) Find(tenant, id string) (Exchange, bool) {
	if r == nil || id == "" {
		return Exchange{}, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.slots {
		e := &r.slots[(r.next-1-i+2*len(r.slots))%len(r.slots)]
		if (e.ID == id || e.Trace == id) && (tenant == "" || e.Tenant == tenant) {
			return e.copy(), true
		}
	}
	return Exchange{}, false
}

// FindSession returns the exchanges of a trace that are kept, oldest first: those of one tenant, or of any if tenant is "".
func (r *Ring) FindSession(tenant, trace string) (list []Exchange) {
	if r == nil || trace == "" {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.slots {
		if e := &r.slots[i]; e.Trace == trace && (tenant == "" || e.Tenant == tenant) {
			list = append(list, e.copy())
		}
	}
	slices.SortFunc(list, func(a, b Exchange) int { return a.At.Compare(b.At) })
	return list
}

// ListNewest returns the newest exchanges with a model or tool that are kept, newest first: those of one tenant, or of any if tenant is "".
func (r *Ring) ListNewest(tenant, model string, most int) (list []Exchange) {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.slots {
		e := &r.slots[(r.next-1-i+2*len(r.slots))%len(r.slots)]
		if e.Model == model && (tenant == "" || e.Tenant == tenant) {
			if list = append(list, e.copy()); len(list) == most {
				break
			}
		}
	}
	return list
}
