package process

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/placeholder"
	"github.com/headgate-dev/headgate/plugins/foreign"
	"github.com/headgate-dev/headgate/plugins/process/pb"
	"github.com/headgate-dev/headgate/plugins/remote"
	"github.com/headgate-dev/headgate/wasm"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// help is what a plugin may ask for during a call.
type help struct {
	state *stateOf // nil without the capability
	facts *facts   // nil for the host's own calls
}

// facts answers the questions of a call that are about its exchange. It runs on the goroutine that waits for the call, because that one
// owns the exchange.
type facts struct {
	s     *Stage
	x     *core.Exchange
	own   *own
	phase uint32 // of the plugin ABI

	values map[string]string // of the fields that were read: a call reads each once
}

// maxQuestions limits the questions about the exchange in one call: a text may have thousands of placeholders.
const maxQuestions = 16 << 10

// isQuestion reports whether a request is about the exchange, not about the state.
func isQuestion(q *pb.StateCall) bool {
	switch q.Body.(type) {
	case *pb.StateCall_Field, *pb.StateCall_Threshold, *pb.StateCall_Restore, *pb.StateCall_Call:
		return true
	}
	return false
}

// queueQuestion passes a question to the goroutine of the exchange.
func (s *session) queueQuestion(id uint64, c *call, q *pb.StateCall) *Error {
	if c.wants++; c.wants > 2*maxQuestions {
		return s.p.newFault(OutcomeGarbage, "the plugin keeps asking in a call that must not")
	}
	r := &pb.StateResult{Number: q.Number}
	if c.help.facts == nil || c.wants > maxQuestions {
		r.Error = "too many questions, or the call is about no exchange"
		go s.answer(context.Background(), id, r)
		return nil
	}
	s.mu.Lock()
	c.work = append(c.work, func(ctx context.Context) {
		c.help.facts.answer(ctx, q, r)
		s.answer(ctx, id, r)
	})
	s.mu.Unlock()
	select {
	case c.wake <- struct{}{}:
	default: // it was told already
	}
	return nil
}

// answerQuestions answers the questions of a call that wait, until its time is up or no one needs the answers any more.
func (s *session) answerQuestions(ctx context.Context, c *call) {
	for _, work := range s.takeWork(c) {
		if ctx.Err() != nil || len(c.reply) > 0 || !s.isRunning() {
			return
		}
		work(ctx)
	}
}

// takeWork returns the questions of a call that wait for an answer.
func (s *session) takeWork(c *call) []func(context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	work := c.work
	c.work = nil
	return work
}

func (f *facts) answer(ctx context.Context, q *pb.StateCall, r *pb.StateResult) {
	switch q := q.Body.(type) {
	case *pb.StateCall_Field:
		f.readField(ctx, q.Field, r)
	case *pb.StateCall_Threshold:
		f.notify(ctx, q.Threshold, r)
	case *pb.StateCall_Restore:
		f.restore(ctx, q.Restore, r)
	case *pb.StateCall_Call:
		f.callUpstream(ctx, q.Call, r)
	}
}

// has reports whether a capability is granted; if not, the result says so.
func (f *facts) has(capability string, r *pb.StateResult) bool {
	if slices.Contains(f.s.p.agreed.capabilities, capability) {
		return true
	}
	r.Error = "the capability " + capability + " was not granted"
	return false
}

func (f *facts) readField(ctx context.Context, name string, r *pb.StateResult) {
	field, ok := abi.ParseField(name)
	switch {
	case !ok || !slices.Contains(f.s.p.agreed.fields, name):
		r.Error = "the field was not requested, or not granted"
	case field == abi.FieldPlaces:
		r.Error = "places come with the texts"
	default:
		value, known := f.values[name]
		if !known {
			var err error
			if value, err = wasm.ReadField(ctx, &f.s.spec.Services, f.x, f.phase, field); err != nil {
				r.Error = "the time of the call is up"
				return
			}
			if f.values == nil {
				f.values = map[string]string{}
			}
			f.values[name] = value
		}
		r.Value, r.Ok = []byte(value), value != ""
	}
}

// notify emits the event that a limit of the plugin has reached a share of itself.
func (f *facts) notify(ctx context.Context, q *pb.Threshold, r *pb.StateResult) {
	f.own.thresholds++
	switch {
	case !f.has(pb.CapabilityNotify, r):
	case q.Name == "" || len(q.Name) > abi.MaxKeyLen || q.Name != remote.CleanText(q.Name, abi.MaxKeyLen) || q.Percent > 1000:
		r.Error = "a threshold has no name, one that is too long, or a share above 1000 per cent"
	case f.s.spec.Services.Notify == nil || f.own.thresholds > abi.MaxThresholds:
		r.Error = "there are no events here, or the exchange has reported too many"
	default:
		if r.Ok = true; !f.s.spec.Silent {
			n := foreign.NewThresholdNotice(f.x, f.s.spec.Link, q.Name, strconv.Itoa(int(q.Percent)))
			f.s.spec.Services.Notify(context.WithoutCancel(ctx), n)
		}
	}
}

// maxRestored is how many unknown placeholders a plugin may ask for in an exchange: each costs a look into the database.
const maxRestored = 64

// restore returns the value of a placeholder that was made in the exchange or is bound to its caller.
func (f *facts) restore(ctx context.Context, token string, r *pb.StateResult) {
	switch {
	case !f.has(pb.CapabilityRestore, r):
		return
	case f.phase != abi.PhaseResponse: // never in a request: what a provider must not see stays out of it
		r.Error = "values are restored in answers only"
		return
	case len(token) > placeholder.MaxLen || !utf8.ValidString(token):
		r.Error = "the placeholder is too long"
		return
	}
	value, ok := f.x.Minted.FindValue(token)
	if !ok && f.s.spec.Services.Tokens != nil && len(f.own.unknown) < maxRestored && !slices.Contains(f.own.unknown, token) {
		var err error
		if value, ok, err = f.s.spec.Services.Tokens.Resolve(ctx, f.x, token); err != nil {
			r.Error = failed
			return
		}
		if !ok {
			f.own.unknown = append(f.own.unknown, token)
		}
	}
	if r.Ok = ok; ok {
		r.Value = []byte(value)
	}
}

// callUpstream calls a service that the link grants.
func (f *facts) callUpstream(ctx context.Context, q *pb.UpstreamCall, r *pb.StateResult) {
	switch {
	case !f.has(pb.CapabilityCall, r):
		return
	case len(q.Path) > abi.MaxPath || !foreign.IsPlainPath(q.Path) || len(q.Body) > abi.MaxCallBody:
		r.Error = "the path does not start with a slash, is too long or malformed, or the body is too long"
		return
	case !slices.Contains(f.s.spec.Grant.Upstreams, q.Upstream) || f.s.spec.Services.Calls == nil:
		r.Error = "the upstream is not granted"
		return
	case f.own.calls == abi.MaxCalls:
		r.Error = limited
		return
	}
	f.own.calls++
	status, answer, err := f.s.spec.Services.Calls.Call(ctx, &foreign.Call{
		Exchange: f.x, Link: f.s.spec.Link, Upstream: q.Upstream, Path: q.Path, Body: q.Body,
	})
	switch {
	case errors.Is(err, foreign.ErrLimited):
		r.Error = limited
	case err != nil || len(answer) > abi.MaxCallAnswer:
		r.Error = "the upstream did not answer"
	default:
		r.Ok, r.Status, r.Value = true, int32(status), answer
	}
}

// limited is the error of a call of an upstream that a limit has no room for.
const limited = "a limit has no room for the call"
