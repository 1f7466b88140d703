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
	"github.com/headgate-dev/headgate/core/body/payload"
)

// Name is the stage's name in the configuration.
const Name = "cache"

// Phases are those in which the stage has work to do.
var Phases = core.PhaseSet(core.Request, core.Response)

// Unavailable is the label of the finding that the shared store did not answer. The
// request then goes on as if the answer were not kept.
const Unavailable = "cache.unavailable"

// Stage answers requests from the answers to equal ones.
type Stage struct {
	settings
	shelves *shelves
	shared  core.Values    // nil: answers are kept in memory
	hasher  payload.Hasher // of the texts in keys; nil: keys hold for all nodes
	now     func() time.Time
	pool    sync.Pool
}

var (
	_ core.Tapper   = (*Stage)(nil)
	_ core.Finisher = (*Stage)(nil)
)

// Deps is what the stage needs of the gateway.
type Deps struct {
	State core.Values // holds answers that nodes share
	Now   func() time.Time
	// Hasher is what other stages remember texts by. Keys of answers in memory are made with it. Optional.
	Hasher payload.Hasher
}

// New makes the stage from its block of the configuration.
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
	if st.shared == nil {
		st.hasher = d.Hasher
	}
	st.shelves = newShelves(st.MaxBytes, st.MaxTenant)
	st.pool.New = func() any { return &work{hash: sha256.New()} }
	return st, nil
}

// What a client that asked for a whole answer is told.
var (
	hit  = core.Field{Name: "X-Cache", Value: "HIT"}
	miss = []core.Field{{Name: "X-Cache", Value: "MISS"}}
)

// relaxed is the header of an answer to a strict schema that was not sent as one.
var relaxed = core.Field{Name: "X-Gateway-Strict-Downgraded", Value: "true"}

// What an answer is. They are read only.
var (
	asJSON   = http.Header{"Content-Type": {"application/json"}}
	asStream = http.Header{"Content-Type": {"text/event-stream"}}
)

// Check returns a request, or keeps a whole answer until the exchange has ended.
func (s *Stage) Check(ctx context.Context, x *core.Exchange, p core.Phase, kept any) (core.Verdict, error) {
	switch p {
	case core.Request:
		return s.request(ctx, x)
	case core.Response:
		if f, ok := kept.(*flight); ok {
			if err := f.take(x); err != nil {
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

// Finish stores what came of the request, and gives it to those who wait for it.
func (s *Stage) Finish(ctx context.Context, x *core.Exchange, kept any) {
	f, ok := kept.(*flight)
	if !ok {
		return
	}
	e := f.entry(x, s.now())
	defer f.land(e) // when it is stored: who comes then finds it
	switch {
	case e == nil:
	case s.shared == nil:
		f.shelf.put(f.key, e, s.TTL, e.at)
	default:
		ctx, cancel := context.WithTimeout(ctx, s.SharedTimeout)
		defer cancel()
		_ = s.shared.Set(ctx, name(x.Principal.Tenant, f.key), e.encode(), s.TTL) // an answer that is not stored is asked for again
	}
}

// alone is a flight that nobody waits for.
func (s *Stage) alone(k key, sh *shelf) *flight {
	return &flight{key: k, shelf: sh, limit: s.MaxEntry}
}

// answer is the verdict that gives an answer again.
func (s *Stage) answer(x *core.Exchange, e *entry) core.Verdict {
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

// key returns the request's key. ok is false when its settings keep it out of the cache.
func (s *Stage) key(x *core.Exchange) (k key, ok bool, err error) {
	w := s.pool.Get().(*work)
	if k, err = w.keyOf(x, s.Generation, s.hasher); err == nil {
		ok = s.eligible(&w.canonical)
	}
	if w.reusable() {
		s.pool.Put(w)
	}
	return k, ok, err
}

// eligible reports whether a request may be answered from the cache.
func (s *Stage) eligible(c *canonical) bool {
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
