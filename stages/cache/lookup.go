package cache

import (
	"context"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/headgate-dev/headgate/core"
)

func (s *Stage) runRequest(ctx context.Context, x *core.Exchange) (core.Verdict, error) {
	pass := core.Verdict{Action: core.Pass}
	if !x.Head.Task.IsRepeatable() && !s.matchTool(x) { // calling a tool or an agent twice may do something twice
		return pass, nil
	}
	if !x.Head.Stream {
		pass.Header = miss
	}
	want := parseControl(x.Request.Header)
	if !want.keep {
		return pass, nil
	}
	k, ok, err := s.findKey(x)
	if err != nil || !ok {
		return pass, err
	}
	sh := s.shelves.loadShelf(x.Principal.Tenant)
	if want.fresh {
		pass.Keep = s.newFlight(k, sh)
		return pass, nil
	}
	e, own := s.find(ctx, x, sh, k, want.age, &pass)
	if e != nil {
		return s.newAnswerVerdict(x, e), nil
	}
	pass.Keep = own
	return pass, nil
}

// find returns a stored answer, or the answer that an equal request is just receiving. Without one, own is the flight
// of this request.
func (s *Stage) find(ctx context.Context, x *core.Exchange, sh *shelf, k key, age time.Duration, v *core.Verdict) (e *entry, own *flight) {
	e, f, mine := sh.find(k, x.Head.Stream, age, s.now())
	switch {
	case e != nil:
		return e, nil
	case !mine:
		if e = f.wait(ctx, s.Wait); e.canAnswer(x.Head.Stream, age, s.now()) {
			return e, nil
		}
		return nil, s.newFlight(k, sh) // the first request has failed, or takes too long
	}
	f.limit = s.MaxEntry
	defer func() {
		if own == nil { // no other request does
			f.finish(e)
		}
	}()
	if s.shared != nil {
		var err error
		if e, err = s.fetch(ctx, x.Principal.Tenant, k); err != nil {
			v.Findings = []core.Finding{{Label: Unavailable}}
		}
		if e.canAnswer(x.Head.Stream, age, s.now()) {
			return e, nil
		}
	}
	return nil, f
}

// formatName returns an answer's name in the shared store. The tenant is in braces, so that a tenant's answers are on one
// node of a cluster.
func formatName(tenant string, k key) string {
	return "cache:{" + tenant + "}:" + hex.EncodeToString(k[:])
}

// fetch reads from the shared store.
func (s *Stage) fetch(ctx context.Context, tenant string, k key) (*entry, error) {
	ctx, cancel := context.WithTimeout(ctx, s.SharedTimeout)
	defer cancel()
	b, ok, err := s.shared.Get(ctx, formatName(tenant, k))
	if err != nil {
		return nil, fmt.Errorf("read the shared cache: %w", err)
	}
	if !ok {
		return nil, nil
	}
	return decodeEntry(b), nil
}
