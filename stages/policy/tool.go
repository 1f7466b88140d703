package policy

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/llm"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
	"github.com/headgate-dev/headgate/stages/policy/dsl"
)

// ToolDefinitions knows the trusted definitions of agents' tools.
type ToolDefinitions interface {
	// FindAnnotations returns the annotations in a tool's trusted definition, or nil. Do not modify the result.
	FindAnnotations(server, tool string) map[string]any
}

// ToolOffers knows which tools clients recently offered to models, and which of them models called in their answers.
type ToolOffers interface {
	// FindUse reports whether the caller has offered a tool to a model, and whether a model has called it.
	FindUse(p *core.Principal, tool string, now time.Time) (offered, requested bool)
}

// ofOffers are the inputs that depend on ToolOffers.
const ofOffers = dsl.Attrs(1)<<dsl.ToolOffered | 1<<dsl.ToolRequested

// CallApprovals are Approvals that also know consents to one exact call of a tool.
type CallApprovals interface {
	dsl.CallApprover
	// RequestApproval records a request for approval, and returns its id and the URL of the page on which people
	// decide, or "" without a console.
	RequestApproval(ctx context.Context, c *dsl.Call) (id, page string, err error)
}

// ApprovalLabel is the prefix of findings that name an approval on which an exchange relies. The sender of the call must
// spend the approval first.
const ApprovalLabel = "approval:"

// readTool stores the facts of a call of a tool.
func (w *work) readTool(x *core.Exchange, needs dsl.Attrs) {
	if w.stage.deps.Offers != nil {
		w.f.Known |= ofOffers
	}
	if x.Head.Task != llm.TaskTool || len(x.Head.Tools) == 0 {
		return
	}
	name := strings.TrimPrefix(x.Head.Model, "mcp/")
	t := &w.f.Tool
	var ok bool
	if t.Server, t.Name, ok = strings.Cut(name, "/"); !ok {
		*t = dsl.ToolCall{}
		return
	}
	if needs.Has(dsl.ToolAnnotations) && w.stage.deps.Tools != nil {
		t.Annotations = w.stage.deps.Tools.FindAnnotations(t.Server, t.Name)
	}
	if needs&ofOffers != 0 && w.stage.deps.Offers != nil {
		t.Offered, t.Requested = w.stage.deps.Offers.FindUse(x.Principal, t.Name, w.f.Now)
	}
	if !needs.Has(dsl.ToolArgs) && !w.plan.approves {
		return
	}
	raw := w.readArguments(x.Request.Raw)
	sum := sha256.Sum256(raw)
	t.Digest = hex.EncodeToString(sum[:])
	if needs.Has(dsl.ToolArgs) && len(raw) > 0 {
		var err error
		t.Args, err = readArguments(raw)
		w.unread = err != nil
	}
}

// readArguments returns the arguments of a call as they are spelled; nil if it has none.
func (w *work) readArguments(raw []byte) []byte {
	s := &w.scan
	s.Reset(raw)
	for _, want := range [...]string{"params", "arguments"} {
		if s.Kind() != splice.Object || !s.Enter() {
			return nil
		}
		for {
			if !s.Next() {
				return nil
			}
			if string(s.Key()) == want {
				break
			}
			s.Skip()
		}
	}
	at := s.Skip()
	if s.Err() != nil {
		return nil
	}
	return raw[at.Start:at.End]
}

// readArguments returns the arguments of a call. Numbers are as precise as they are spelled.
func readArguments(raw []byte) (args map[string]any, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&args); err != nil {
		return nil, err
	}
	for name, v := range args {
		args[name] = normalizeNumbers(v)
	}
	return args, nil
}

// normalizeNumbers replaces numbers by those that rules compare: a float64, an int64 if a float64 would round it, and
// otherwise the spelling.
func normalizeNumbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		f, err := v.Float64()
		if err != nil {
			return string(v) // it is beyond a float64
		}
		if math.Abs(f) < 1<<53 || strings.ContainsAny(string(v), ".eE") {
			return f
		}
		if n, err := v.Int64(); err == nil {
			return n
		}
		return string(v)
	case []any:
		for i := range v {
			v[i] = normalizeNumbers(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = normalizeNumbers(v[name])
		}
	}
	return v
}

// newArgumentsError returns the error of a call whose arguments no rule can judge.
func newArgumentsError() *core.Error {
	return &core.Error{
		Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Param: "params.arguments",
		Public: "the arguments cannot be read as a JSON object",
	}
}

// noteApprovals adds a finding for each approval on which the exchange relies, once.
func (w *work) noteApprovals() {
	for _, id := range w.f.Tool.Approvals {
		if !slices.Contains(w.relied, id) {
			w.relied = append(w.relied, id)
			w.note(ApprovalLabel + id)
		}
	}
}

// requestApproval asks for an approval of the call, and returns the error that names it.
func (w *work) requestApproval(ctx context.Context, r *dsl.Rule, e *core.Error) *core.Error {
	calls, ok := w.stage.deps.Approvals.(CallApprovals)
	if !ok {
		return e
	}
	id, page, err := calls.RequestApproval(ctx, w.f.BuildCall(r))
	e.Code = policydoc.CodeApproval
	if err == nil {
		e.Err = errors.Join(e.Err, &policydoc.ApprovalNeeded{ID: id, Page: page, Reason: e.Public})
	}
	switch {
	case err != nil:
		e.Err = err
		e.Public += " This call needs an approval, which could not be requested; try again later."
	case page == "":
		e.Public += " This call needs the approval " + id + ". Send exactly this call again once it is given."
	default:
		e.Public += " This call needs the approval " + id + ": " + page + " Send exactly this call again once it is given."
	}
	return e
}
