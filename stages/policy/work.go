package policy

import (
	"context"
	"fmt"
	"slices"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/llm"
	"github.com/headgate-dev/headgate/stages/policy/dsl"
)

// work is the state of an exchange in one link.
type work struct {
	stage    *Stage
	plan     *plan
	f        dsl.Facts
	d        dsl.Decision
	reported []bool // rules whose effects were recorded
	ask      []int
	asked    bool // a rule was evaluated in this phase
	warned   bool
	unread   bool     // the arguments of a call of a tool cannot be read
	relied   []string // approvals that were noted
	region   string   // that a ROUTE rule asks for
	keep     bool     // other regions are allowed
	scan     splice.Scanner
	edits    []core.Edit
	spans    []span
	findings []core.Finding
	header   []core.Field
	types    []dsl.Glob
}

func (w *work) begin(s *Stage, p *plan) {
	w.stage, w.plan = s, p
	w.d.Begin(p.set)
	n := len(p.set.Rules)
	if cap(w.reported) < n {
		w.reported = make([]bool, n)
	}
	w.reported = w.reported[:n]
	clear(w.reported)
	w.warned, w.region, w.keep, w.relied = false, "", false, w.relied[:0]
}

// keepEdits limits the size of buffers that are reused.
const keepEdits = 1024

// end releases the exchange's text.
func (w *work) end() {
	w.f.Reset()
	w.scan.Reset(nil)
	if cap(w.edits) > keepEdits {
		w.edits, w.spans = nil, nil
	}
	clear(w.edits[:cap(w.edits)])
	w.stage, w.plan, w.unread = nil, nil, false
}

// evalRequest evaluates what is known before routing.
func (w *work) evalRequest(x *core.Exchange) {
	s := w.stage
	w.ask = w.ask[:0]
	if s.first {
		w.ask = append(w.ask, w.plan.points[atIdentity]...)
	}
	if s.content {
		w.readContent(x)
		if !s.first {
			w.queueAllows()
		}
		w.ask = append(w.ask, w.plan.points[atContent]...)
	}
	w.evaluate()
}

// evalTarget evaluates the rules about the target. If the model that is sent has another name than the client's, it
// evaluates the rules about the model once more.
func (w *work) evalTarget(x *core.Exchange) {
	w.ask = w.ask[:0]
	w.f.Provider, w.f.Region = x.Target.Provider, x.Target.Region
	w.f.Sent = [3]string{x.Model(), w.stage.trimRoute(x.Model()), x.Target.Model}
	w.f.Known |= dsl.Targets
	if !w.stage.last {
		w.evaluate()
		return
	}
	if w.stage.late {
		w.readContent(x)
		w.ask = append(w.ask, w.plan.points[atContent]...)
	}
	w.ask = append(w.ask, w.plan.points[atTarget]...)
	if w.f.Sent[0] != w.f.Asked[0] || w.f.Sent[2] != w.f.Asked[0] {
		w.ask = append(w.ask, w.plan.again...)
	}
	if !w.stage.first {
		w.queueAllows()
	}
	if w.stage.late {
		slices.Sort(w.ask) // again may repeat what depends on content
		w.ask = slices.Compact(w.ask)
	}
	w.d.Forget(w.ask) // they may have been evaluated for another target
	w.evaluate()
}

// queueAllows evaluates the ALLOW rules that an earlier link has already evaluated, because they may exempt from rules of
// this link. They are not reported again.
func (w *work) queueAllows() {
	for _, i := range w.plan.allows {
		w.reported[i] = true
	}
	w.ask = append(w.ask, w.plan.allows...)
}

func (w *work) evalResponse(x *core.Exchange) {
	w.ask = w.ask[:0]
	if w.stage.first && len(w.plan.points[atResponse]) > 0 {
		w.readAnswer(x)
		w.ask = append(w.ask, w.plan.points[atResponse]...)
		w.d.Forget(w.ask) // they may have been evaluated for another answer or earlier messages
	}
	w.evaluate()
}

func (w *work) evaluate() {
	w.asked = len(w.ask) > 0
	if w.asked {
		w.d.EvaluateRules(&w.f, w.ask)
	}
}

// noteModelNames stores the model's names. They may share memory with the body, which a large request releases after it
// has passed, so they are stored again before each use.
func (w *work) noteModelNames(x *core.Exchange) {
	f := &w.f
	f.Asked = [2]string{x.Head.Model, w.stage.trimRoute(x.Head.Model)}
	if m := x.Model(); m != x.Head.Model || f.Sent[2] != "" {
		f.Sent[0], f.Sent[1] = m, w.stage.trimRoute(m)
	}
}

// fillFacts stores what is known from the beginning. It fails if a rule depends on a budget that cannot be read.
func (w *work) fillFacts(ctx context.Context, x *core.Exchange) error {
	f, h, needs := &w.f, &x.Head, w.plan.needs
	f.Known = known
	f.Now = w.stage.deps.Now()
	noteCaller(f, findCaller(x))
	f.User = h.User
	if a := w.stage.deps.Approvals; a != nil {
		f.Approvals = a
	}
	f.Shape, f.Stream, f.HasImages, f.Effort, f.Schema = x.Dialect, h.Stream, h.Images, h.Effort, h.Format == llm.FormatSchema
	f.Tools, f.Messages, f.MaxTokens, f.Header = h.Tools, h.Messages, h.MaxTokens, x.Request.Header
	w.readTool(x, needs)
	w.readAgent(x, needs)
	if needs&(1<<dsl.PromptTokens|1<<dsl.Cost) != 0 {
		f.PromptTokens = countPromptTokens(x)
		f.Known |= dsl.NewAttrSet(dsl.PromptTokens)
	}
	if needs&dsl.Targets != 0 {
		if t, ok := w.findTarget(x); ok {
			f.Provider, f.Region = t.Provider, t.Region
			f.Known |= dsl.Targets
		}
	}
	if needs.Has(dsl.Cost) {
		w.estimateCost(x)
	}
	if needs.Has(dsl.ContextWindow) {
		w.readWindow(x)
	}
	if needs&dsl.FromBody != 0 {
		w.readBody(x.Request.Raw, needs)
		f.Known |= dsl.FromBody
	}
	return w.fillBudget(ctx, x)
}

// ofBudget are the inputs that depend on the state of budgets.
const ofBudget = dsl.Attrs(1)<<dsl.BudgetPct | 1<<dsl.BudgetExceeded

// fillBudget stores the state of the caller's budgets. If only policies in shadow mode need it, it may remain unknown.
func (w *work) fillBudget(ctx context.Context, x *core.Exchange) (err error) {
	f, budgets := &w.f, w.stage.deps.Budgets
	if w.plan.needs&ofBudget == 0 || budgets == nil {
		return nil
	}
	f.BudgetPct, f.BudgetExceeded, f.Budgeted, err = budgets.FindRemaining(ctx, findCaller(x), x.Model())
	switch {
	case err == nil:
		f.Known |= ofBudget
	case w.plan.set.Needs()&ofBudget != 0:
		return fmt.Errorf("policy: read the budgets: %w", err)
	}
	return nil
}

// known are the inputs that an exchange's head provides.
const known = dsl.Attrs(1)<<dsl.Model | 1<<dsl.TenantID | 1<<dsl.TenantMetadata | 1<<dsl.KeyID | 1<<dsl.KeyScopes | 1<<dsl.KeyTags |
	1<<dsl.KeyMetadata | 1<<dsl.KeyExpiry | 1<<dsl.User | 1<<dsl.Shape | 1<<dsl.Streaming | 1<<dsl.HasTools | 1<<dsl.HasImages |
	1<<dsl.Effort | 1<<dsl.AnswerSchema | 1<<dsl.ToolNames | 1<<dsl.ToolCount | 1<<dsl.MessageCount | 1<<dsl.MaxTokens |
	1<<dsl.MaxTokensMissing | 1<<dsl.Clock | 1<<dsl.Headers | 1<<dsl.AgentName | 1<<dsl.AgentMethod |
	1<<dsl.ToolName | 1<<dsl.ToolServer | 1<<dsl.ToolAnnotations | 1<<dsl.ToolArgs

// noteCaller stores the caller.
func noteCaller(f *dsl.Facts, p *core.Principal) {
	f.Tenant, f.TenantMetadata, f.TenantTags = p.Tenant, p.TenantMetadata, p.TenantTags
	f.Key, f.KeyLineage, f.KeyName, f.KeyTier = p.KeyID, p.Lineage, p.KeyName, p.Tier
	f.Scopes, f.KeyTags, f.KeyMetadata, f.KeyExpires = p.Scopes, p.Tags, p.Metadata, p.ExpiresAt
}
