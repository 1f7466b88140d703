package wasm

import (
	"context"
	"errors"
	"runtime"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/wasm/abi"
)

var errHTTPText = errors.New(
	"the module reads whole bodies (http_handler.read_body), so grant.text must not leave a source out; add it, or take the plugin out")

// asksToHold reports whether the guest returned a context, which is its own state for the exchange: only the instance that made it can use
// it.
func (k *exchangeState) asksToHold() bool {
	return k != nil && k.http != nil && k.http.next && k.http.ctx != 0 && !k.http.answered && k.http.held == nil
}

// findHeld returns the instance that the exchange holds, or nil.
func (k *exchangeState) findHeld() *instance {
	if k == nil || k.http == nil {
		return nil
	}
	return k.http.held
}

// owesResponse reports whether the guest let the request pass and has not been told of an answer.
func (k *exchangeState) owesResponse() bool {
	return k != nil && k.http != nil && k.http.next && !k.http.answered
}

// hold keeps a busy instance for an exchange, until releaseHeld.
func (t *taken) hold(k *exchangeState) error {
	if err := t.v.pool.hold(t.i.caller.tenant); err != nil {
		return err
	}
	t.i.call.disarm()
	t.v.countCall(nil, t.i.caller.key, false)
	h := k.http
	h.held, h.version, t.i = t.i, t.v, nil
	h.dropped = runtime.AddCleanup(h, func(i *instance) { i.v.pool.releaseHeld(i, true) }, h.held)
	return nil
}

// releaseHeld returns the held instance, if any. err is how its last call ended.
func (h *httpExchange) releaseHeld(err error) {
	if h == nil || h.held == nil {
		return
	}
	i := h.held
	h.held = nil
	h.dropped.Stop()
	h.version.pool.releaseHeld(i, err != nil)
}

// runHeld is runOnce on the instance that the exchange holds.
func (s *FullStage) runHeld(ctx context.Context, x *core.Exchange, j *job) (core.Verdict, error) {
	i := j.kept.http.held
	if ctx.Err() != nil && j.phase != abi.PhaseFinish {
		return core.Verdict{}, s.v.newCanceledError(ctx)
	}
	i.call.arm(ctx, s.budget.computeAllowance(j.measureText()))
	completed := false
	defer func() {
		if !completed {
			j.kept.http.releaseHeld(errPanicked)
		}
	}()
	v, err := s.callStage(x, i, j)
	completed = true
	i.call.disarm()
	s.v.countCall(err, i.caller.key, false)
	if err != nil {
		err = s.v.replaceTextFault(err, j.measureText())
		j.kept.http.releaseHeld(err)
		return core.Verdict{}, err
	}
	return v, nil
}

// hold turns a busy instance into one that an exchange of a tenant holds. It has the limit of streamed answers. A tenant gets at most half,
// rounded up, of what the others leave, so that there is always room for another one.
func (p *pool) hold(tenant string) error {
	p.mu.Lock()
	most, own := p.v.limits.Streams, p.held[tenant]
	reason := ""
	switch others := p.pinned - own; {
	case p.pinned >= most:
		reason = "as many exchanges as its limit of streams allows hold an instance"
	case own >= (most-others+1)/2:
		reason = "as many exchanges of one tenant as its limit of streams allows hold an instance"
	}
	if reason != "" {
		p.mu.Unlock()
		return p.v.newOverloadFault(reason)
	}
	p.pinned++
	p.held[tenant]++
	p.mu.Unlock()
	p.freeSlot()
	return nil
}

// releaseHeld returns an instance that an exchange held.
func (p *pool) releaseHeld(i *instance, unfit bool) {
	tenant := i.caller.tenant
	p.mu.Lock()
	if p.held[tenant]--; p.held[tenant] == 0 {
		delete(p.held, tenant)
	}
	p.mu.Unlock()
	p.unpin(i, unfit)
}
