package process

import (
	"context"
	"net/url"
	"sync"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/plugins/process/pb"
)

// Limits of a plugin's use of state.
const (
	maxOps   = 64 // per call
	maxKey   = 256
	maxValue = 1 << 20
	maxTTL   = 31 * 24 * time.Hour
)

// stateOf is the access of one call to state: the state of its link and of its exchange's tenant, until the call ends.
type stateOf struct {
	part
	scopes map[string]part // that the link grants, by their words
	holds  *holds
	ctx    context.Context // ends operations that the call has begun
	cancel context.CancelFunc

	mu    sync.Mutex
	ops   int
	over  bool  // the call has ended
	taken []int // holds of this call
}

// findState returns the state capability of a call, or nil if the plugin has none.
func (s *Stage) findState(x *core.Exchange, o *own) *stateOf {
	if !s.p.agreed.state {
		return nil
	}
	tenant := ""
	if x.Principal != nil {
		tenant = x.Principal.Tenant
	}
	st := &stateOf{part: newOwnPart(s.spec.State, s.spec.Link, url.PathEscape(tenant)), scopes: s.openScopes(tenant), holds: &o.holds}
	st.ctx, st.cancel = context.WithTimeout(context.Background(), s.spec.Timeout)
	return st
}

// end ends the capability with the call. If the call failed, its reservations are given back.
func (st *stateOf) end(ok bool) {
	if st == nil {
		return
	}
	st.mu.Lock()
	st.over = true
	taken := st.taken
	st.mu.Unlock()
	if !ok {
		for _, n := range taken {
			st.holds.settleUnused(n)
		}
	}
	st.cancel()
}

// serve runs a state call of a plugin, concurrently with its other calls.
func (s *session) serve(id uint64, c *call, ask *pb.StateCall) *Error {
	if isQuestion(ask) {
		return s.queueQuestion(id, c, ask)
	}
	result := &pb.StateResult{Number: ask.Number}
	st := c.help.state
	if c.asks++; c.asks > 2*maxOps {
		return s.p.newFault(OutcomeGarbage, "the plugin keeps asking for state in a call that must not")
	}
	switch {
	case st == nil:
		result.Error = "the capability state was not granted"
	case !st.enter():
		result.Error = "too many state calls, or the call has ended"
	default:
		go func() {
			st.runCall(ask, result)
			s.answer(context.Background(), id, result)
		}()
		return nil
	}
	go s.answer(context.Background(), id, result) // it may wait, while further messages must be read
	return nil
}

func (st *stateOf) enter() bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.ops++
	return !st.over && st.ops <= maxOps
}

// answer sends a result to the plugin. If the plugin does not read, it waits until ctx or the session ends, and the result is lost.
func (s *session) answer(ctx context.Context, id uint64, r *pb.StateResult) {
	f, err := encodeFrame(&pb.FromHost{Id: id, Body: &pb.FromHost_State{State: r}})
	if err != nil {
		return // only built from valid parts, so it cannot fail
	}
	s.mu.Lock()
	if c := s.calls[id]; c != nil {
		c.bytes += len(*f.buf)
		s.unread += len(*f.buf)
	}
	s.mu.Unlock()
	select {
	case s.out <- f:
	case <-s.ended:
		f.drop()
	case <-ctx.Done():
		f.drop()
	}
}

func (st *stateOf) runCall(ask *pb.StateCall, r *pb.StateResult) {
	defer func() {
		if recover() != nil { // a bug of the store must not end the gateway
			r.Ok, r.Value, r.Error = false, nil, failed
		}
	}()
	at, ok := st.findPart(ask.Scope)
	if !ok {
		r.Error = "the scope is not granted"
		return
	}
	switch q := ask.Body.(type) {
	case *pb.StateCall_Take:
		st.take(at, q.Take, r)
	case *pb.StateCall_Settle:
		st.settle(q.Settle, r)
	case *pb.StateCall_Get:
		if !isValidKey(q.Get.Key) {
			r.Error = badKey
			return
		}
		value, ok, err := at.state.Get(st.ctx, at.formatValueKey(q.Get.Key))
		if err != nil {
			r.Error = failed
			return
		}
		r.Value, r.Ok = value, ok
	case *pb.StateCall_Put:
		st.put(at, q.Put, r)
	default:
		r.Error = "the state call asks for nothing that is known"
	}
}

const (
	badKey = "the key is empty, or longer than 256 bytes"
	failed = "the state cannot be reached"
)

func isValidKey(key string) bool { return key != "" && len(key) <= maxKey }

func (st *stateOf) put(at part, q *pb.Put, r *pb.StateResult) {
	key, ttl := at.formatValueKey(q.Key), time.Duration(q.TtlMs)*time.Millisecond
	var err error
	switch {
	case !isValidKey(q.Key):
		r.Error = badKey
		return
	case len(q.Value) > maxValue:
		r.Error = "the value is larger than 1 MiB"
		return
	case q.TtlMs < 0 || q.TtlMs > maxTTL.Milliseconds():
		r.Error = "ttl_ms is negative, or more than 31 days"
		return
	case ttl == 0:
		err = at.state.Delete(st.ctx, key)
	default:
		err = at.state.Set(st.ctx, key, q.Value, ttl)
	}
	if r.Ok = err == nil; !r.Ok {
		r.Error = failed
	}
}
