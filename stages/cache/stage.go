package cache

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
	"github.com/headgate-dev/headgate/core/recall"
)

// Name is the stage's name in the configuration.
const Name = "cache"

// Phases are those in which the stage runs.
var Phases = core.NewPhaseSet(core.Request, core.Response)

// Unavailable is the label of the finding that the shared store did not answer. The request then continues as if there
// were no stored answer.
const Unavailable = "cache.unavailable"

// Stage answers requests with the stored answers to equal ones.
type Stage struct {
	settings
	shelves *shelves
	shared  core.Values   // nil if answers are stored in memory
	memory  recall.Memory // hashes the texts in keys; nil if keys are the same on all nodes
	edited  recall.Part   // sums of edited texts
	now     func() time.Time
	pool    sync.Pool
}

var (
	_ core.Tapper   = (*Stage)(nil)
	_ core.Finisher = (*Stage)(nil)
)

// Deps is what the stage needs of the gateway.
type Deps struct {
	State core.Values // stores answers that nodes share
	Now   func() time.Time
	// Memory is that of other stages. It hashes the texts in the keys of answers in memory. Optional.
	Memory recall.Memory
}

// New returns the stage for its block of the configuration.
func New(s core.Settings, d Deps) (core.Stage, error) {
	st := &Stage{now: d.Now}
	if st.now == nil {
		st.now = time.Now
	}
	if s != nil {
		if err := s.Decode(&st.settings); err != nil {
			return nil, err
		}
	}
	if err := st.complete(); err != nil {
		return nil, err
	}
	if st.Store == storeShared {
		if d.State == nil {
			return nil, errors.New("store shared needs a state store; configure state, or write store: memory")
		}
		st.shared = d.State
	}
	if st.shared == nil && d.Memory != nil {
		st.memory, st.edited = d.Memory, recall.NewPart(d.Memory, "edited texts")
	}
	st.shelves = newShelves(st.MaxBytes, st.MaxTenant)
	st.pool.New = func() any { return &work{hash: sha256.New()} }
	return st, nil
}

// Header lines for a client that requested a whole answer.
var (
	hit  = core.Field{Name: "X-Cache", Value: "HIT"}
	miss = []core.Field{{Name: "X-Cache", Value: "MISS"}}
)

// relaxed is the header of an answer to a strict schema that was not sent as strict.
var relaxed = core.Field{Name: "X-Gateway-Strict-Downgraded", Value: "true"}

// Headers of stored answers. They are read-only.
var (
	asJSON   = http.Header{"Content-Type": {"application/json"}}
	asStream = http.Header{"Content-Type": {"text/event-stream"}}
)

// Check answers a request, or keeps a whole answer until the exchange has ended.
func (s *Stage) Check(ctx context.Context, x *core.Exchange, p core.Phase, kept any) (core.Verdict, error) {
	switch p {
	case core.Request:
		return s.runRequest(ctx, x)
	case core.Response:
		if f, ok := kept.(*flight); ok {
			if err := f.storeAnswer(x); err != nil {
				return core.Verdict{}, err
			}
		}
	}
	return core.Verdict{Action: core.Pass}, nil
}

// Tap keeps a streamed answer.
func (s *Stage) Tap(_ context.Context, x *core.Exchange, kept any) (core.Tap, error) {
	f, ok := kept.(*flight)
	if !ok {
		return nil, nil
	}
	f.begin(x)
	return f, nil
}

// Finish stores the answer, and passes it to the requests that wait for it.
func (s *Stage) Finish(ctx context.Context, x *core.Exchange, kept any) {
	f, ok := kept.(*flight)
	if !ok {
		return
	}
	e := f.buildEntry(x, s.now())
	f.releaseBody()
	defer f.finish(e) // after it is stored, so that later requests find it
	switch {
	case e == nil:
	case s.shared == nil:
		f.shelf.put(f.key, e, s.TTL, e.at)
	default:
		ctx, cancel := context.WithTimeout(ctx, s.SharedTimeout)
		defer cancel()
		_ = s.shared.Set(ctx, formatName(x.Principal.Tenant, f.key), e.encode(),
			s.TTL) // if it is not stored, the next request calls the provider
	}
}

// newFlight returns a flight for which no other request waits.
func (s *Stage) newFlight(k key, sh *shelf) *flight {
	return &flight{key: k, shelf: sh, limit: s.MaxEntry}
}

// newAnswerVerdict returns the verdict that repeats a stored answer.
func (s *Stage) newAnswerVerdict(x *core.Exchange, e *entry) core.Verdict {
	v := core.Verdict{Action: core.Answer, Reply: &core.Payload{Status: e.status, Raw: e.body, Header: asStream}}
	if !x.Head.Stream {
		age := max(0, s.now().Sub(e.at)/time.Second)
		v.Header = []core.Field{hit, {Name: "Age", Value: strconv.FormatInt(int64(age), 10)}}
		v.Reply.Header = asJSON
	}
	if e.relaxed {
		v.Header = append(v.Header, relaxed)
	}
	return v
}

// findKey returns the request's key. ok is false if its parameters exclude it from the cache.
func (s *Stage) findKey(x *core.Exchange) (k key, ok bool, err error) {
	w := s.pool.Get().(*work)
	if x.Head.Task == llm.TaskTool {
		k, ok, err = w.computeToolKey(x, s.Generation)
	} else if k, err = w.computeKey(x, s.Generation, s.memory, &s.edited); err == nil {
		ok = s.isEligible(&w.canonical)
	}
	if w.isReusable() {
		s.pool.Put(w)
	}
	return k, ok, err
}

// isEligible reports whether a request may be answered from the cache.
func (s *Stage) isEligible(c *canonical) bool {
	if s.SingleOnly && len(c.count) > 0 && string(c.count) != "1" && string(c.count) != "null" {
		return false
	}
	if s.MaxTemperature == nil {
		return true
	}
	temperature := 1.0
	if len(c.temperature) > 0 && string(c.temperature) != "null" {
		var err error
		if temperature, err = strconv.ParseFloat(string(c.temperature), 64); err != nil {
			return false
		}
	}
	return temperature <= *s.MaxTemperature
}

// ReleaseRequest implements chain.RequestReleaser: the key was made from the request before.
func (*Stage) ReleaseRequest(context.Context, *core.Exchange, any) bool { return true }
