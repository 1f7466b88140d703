package batch

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/gateway/batch/backend"
	"github.com/headgate-dev/headgate/core/records/store"
)

// Dialect names of the operations in records and metrics.
const (
	filesName   = "openai.files"
	batchesName = "openai.batches"
)

// traceHeader carries the trace id. The caller of Handle may have set it already.
const traceHeader = "X-Trace-Id"

// operation is the operation of an endpoint.
type operation struct {
	do      func(c *call, ctx context.Context) *core.Error
	starts  bool // starts something new, which a suspended tenant must not do
	audited bool
	name    string
}

// call is one request to the service.
type call struct {
	*Service
	rules  Rules
	w      http.ResponseWriter
	r      *http.Request
	op     operation
	x      core.Exchange // for records and metrics: caller, target, outcome
	record record
	begun  bool // the answer has begun
	cut    bool // the answer could not be finished
}

func (s *Service) serve(w http.ResponseWriter, r *http.Request, o operation) {
	c := &call{Service: s, rules: s.Rules(), w: w, r: r, op: o}
	c.x.ID, c.x.Dialect, c.x.Received = newID(""), o.name, s.Clock()
	began := time.Now()
	if c.x.Trace = w.Header().Get(traceHeader); c.x.Trace == "" {
		c.x.Trace = c.x.ID
		w.Header().Set(traceHeader, c.x.Trace)
	}
	defer c.finish(began)
	c.x.Outcome = core.Outcome{Kind: core.Served, Status: http.StatusOK, Complete: true}
	if err := c.handle(r.Context()); err != nil {
		c.refuse(err)
	}
}

// finish settles the call. It runs on every path.
func (c *call) finish(began time.Time) {
	if v := recover(); v != nil {
		c.Panicked(c.x.ID, v, debug.Stack())
		c.refuse(core.ConvertError(nil))
		c.x.Outcome.Kind, c.x.Outcome.Complete = core.Crashed, false
	}
	if c.rules.Release != nil {
		c.rules.Release()
	}
	c.writeRecords(context.WithoutCancel(c.r.Context()))
	c.Served(&c.x, time.Since(began))
	if c.cut { // only a broken connection shows a client that its answer is incomplete
		panic(http.ErrAbortHandler)
	}
}

func (c *call) handle(ctx context.Context) *core.Error {
	p, err := c.rules.Keys.Authenticate(c.r, c.x.Received)
	if err != nil {
		return err
	}
	c.x.Principal = p
	if err = auth.RequireScope(p, auth.ScopeBatches); err != nil {
		return err
	}
	if c.op.starts && p.Suspended {
		return &core.Error{Kind: core.Forbidden, Code: core.CodeTenantSuspended, Public: "the tenant is suspended"}
	}
	return c.op.do(c, ctx)
}

func (c *call) refuse(e *core.Error) {
	o := &c.x.Outcome
	o.Kind, o.Status, o.Err, o.By = core.Refused, e.HTTPStatus(), e, e.Link
	switch e.Kind {
	case core.BadGateway, core.GatewayTimeout:
		o.Kind = core.UpstreamErr
	case core.ContentFiltered:
		o.Kind = core.Blocked
	case core.Canceled:
		o.Kind, o.Complete = core.ClientGone, false
	case core.Unauthenticated:
		c.w.Header().Set("Www-Authenticate", "Bearer")
	}
	if c.begun {
		c.cut = true
		return
	}
	c.begun = true
	if e.RetryAfter > 0 {
		c.w.Header().Set("Retry-After", strconv.Itoa(int((e.RetryAfter+time.Second-1)/time.Second)))
	}
	c.w.Header().Set("Content-Type", "application/json")
	c.w.WriteHeader(e.HTTPStatus())
	_, _ = c.w.Write(openai.Chat{}.AppendError(nil, e)) // a client that has hung up reads no error
}

func (c *call) reply(v any) *core.Error {
	b, err := json.Marshal(v)
	if err != nil {
		return core.ConvertError(err)
	}
	c.begun = true
	c.w.Header().Set("Content-Type", "application/json")
	if _, err = c.w.Write(b); err != nil {
		c.x.Outcome.Kind, c.x.Outcome.Complete = core.ClientGone, false
	}
	return nil
}

// findBackend returns the provider of a file or batch.
func (c *call) findBackend(provider string) (backend.Backend, *core.Error) {
	b, ok := c.rules.Backends[provider]
	if !ok {
		return nil, &core.Error{
			Kind: core.Unavailable, Code: core.CodeOverloaded,
			Public: "the provider of this file is no longer configured",
		}
	}
	c.x.Target.Provider = provider
	return b, nil
}

// isHeld reports whether a backend in this process still has an object.
func isHeld(b backend.Backend, id string) bool {
	local, ok := b.(backend.Local)
	return !ok || local.Holds(id)
}

// convertStoreError converts an error of the store to the client's error.
func convertStoreError(err error, what string) *core.Error {
	if errors.Is(err, store.ErrNotFound) {
		return newNotFoundError(what)
	}
	return core.ConvertError(err)
}

func newNotFoundError(what string) *core.Error {
	return &core.Error{Kind: core.NotFound, Code: core.CodeNotFound, Public: "unknown " + what}
}

func newInvalidError(param, public string) *core.Error {
	return &core.Error{Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Param: param, Public: public}
}

func newMissingError(param string) *core.Error {
	return &core.Error{
		Kind: core.InvalidRequest, Code: core.CodeMissingField, Param: param,
		Public: "you must provide the parameter \"" + param + "\"",
	}
}

// newID returns an unguessable id.
func newID(prefix string) string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	return prefix + hex.EncodeToString(b[:])
}
