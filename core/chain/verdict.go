package chain

import (
	"context"
	"errors"
	"fmt"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
)

// Decision is the result of a phase of the chain: Pass, Answer, Block or Retry.
type Decision struct {
	Action core.Action
	Link   string        // who answered, blocked or wants another answer
	Reply  *core.Payload // Answer
	Append []llm.Message // Retry
	Err    *core.Error   // Block; Retry that cannot be carried out
	Fault  bool          // Block because a stage failed
}

// flush ends a phase: what the links have rewritten goes into the body.
func (d Decision) flush(body *core.Payload) Decision {
	if err := body.Flush(); err != nil { // edits were checked earlier, so this is a bug of the gateway
		return Decision{Action: core.Block, Fault: true, Err: core.ConvertError(err)}
	}
	return d
}

// newObjection returns the decision for a link's Block or Retry.
func newObjection(l *Link, v *core.Verdict) Decision {
	e := *v.Err
	e.Link = l.Name
	if l.Refusal != "" {
		e.Public = l.Refusal
	}
	return Decision{Action: v.Action, Link: l.Name, Err: &e, Append: v.Append}
}

var errVerdict = errors.New("the stage returned no usable verdict")

func checkVerdict(v *core.Verdict) error {
	switch v.Action {
	case core.Pass, core.Rewrite:
		return nil
	case core.Answer:
		if v.Reply != nil {
			return nil
		}
	case core.Block:
		if v.Err != nil {
			return nil
		}
	case core.Retry:
		if v.Err != nil && len(v.Append) > 0 {
			return nil
		}
	}
	return errVerdict
}

// addFindings adds the findings of a link to those of the exchange.
func addFindings(x *core.Exchange, l *Link, p core.Phase, fs []core.Finding) {
	for i := range fs {
		x.Findings = append(x.Findings, fs[i])
		f := &x.Findings[len(x.Findings)-1]
		f.Link, f.Phase, f.Shadow = l.Name, p, l.Mode == Shadow
		if l.Personal && f.Kind != core.FoundPolicy {
			f.Kind = core.FoundPII
		}
	}
}

func newGuardError(l *Link, f core.Fault, err error) *core.Error {
	return &core.Error{
		Kind: core.Unavailable, Code: core.CodeGuardUnavailable, Link: l.Name,
		Public: fmt.Sprintf("the guard %q could not judge this exchange (%s), so it was refused", l.Name, f),
		Err:    err,
	}
}

// limited is an error of a stage that could not judge, because the cost of judging would exceed a limit of the caller.
type limited interface {
	error
	// CallerLimit returns how the limit refuses the caller, or nil if the stage failed for another reason.
	CallerLimit() *core.Error
}

// newLimitError returns the refusal by a limit of the caller, or nil. No fault rule overrides it: otherwise callers could exhaust a
// budget to avoid a guard.
func newLimitError(l *Link, err error) *core.Error {
	var by limited
	if !errors.As(err, &by) || by.CallerLimit() == nil {
		return nil
	}
	e := *by.CallerLimit()
	e.Link = l.Name
	return &e
}

func newCanceledError(ctx context.Context) *core.Error {
	return &core.Error{Kind: core.Canceled, Code: core.CodeCanceled, Public: "the client closed the request", Err: context.Cause(ctx)}
}
