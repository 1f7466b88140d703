package dsl

import (
	"net/http"
	"strings"
	"time"
)

// Approver knows what a second person has approved.
type Approver interface {
	// IsApproved reports whether a rule, named by its label, is approved for a line of keys of a tenant and a model.
	IsApproved(tenant, lineage, rule, model string) bool
}

// CallApprover is an Approver that also knows consents to one exact call of a tool.
type CallApprover interface {
	// FindApprovedCall returns the id of the consent to a call, if one is in force and was not used.
	FindApprovedCall(c *Call) (id string, ok bool)
}

// Call is one exact call of a tool, and the rule that asks for a consent to it. Another argument or another text of the policy
// makes it another call.
type Call struct {
	Tenant, Lineage, Rule, Revision string
	Server, Tool, Digest            string
}

// BuildCall returns the call of the exchange for a rule.
func (f *Facts) BuildCall(r *Rule) *Call {
	return &Call{
		Tenant: f.Tenant, Lineage: f.KeyLineage, Rule: r.Label, Revision: r.Revision, Server: f.Tool.Server, Tool: f.Tool.Name,
		Digest: f.Tool.Digest,
	}
}

// isApproved reports whether a second person has consented to what a rule refuses, and notes the consent to a call.
func (f *Facts) isApproved(r *Rule) bool {
	if f.Approvals == nil {
		return false
	}
	if f.Tool.Name == "" {
		return f.Approvals.IsApproved(f.Tenant, f.KeyLineage, r.Label, f.Asked[0])
	}
	calls, ok := f.Approvals.(CallApprover)
	if !ok || f.Tool.Digest == "" {
		return false
	}
	id, ok := calls.FindApprovedCall(f.BuildCall(r))
	if ok {
		f.Tool.Approvals = append(f.Tool.Approvals, id)
	}
	return ok
}

// Facts are the inputs of one evaluation. Inputs that are not in Known are unknown. For known inputs, a zero value
// means that it is absent. All fields but Tool.Approvals are read-only.
type Facts struct {
	Known Attrs
	Whole bool // nothing will become known: what is not, does not fire a rule

	Asked    [2]string // the model as the client names it, and without a provider's prefix
	Sent     [3]string // the model that is routed in its place, without prefix, and the provider's own name
	Provider string
	Region   string // of the target

	Tenant         string
	TenantMetadata map[string]any
	TenantTags     []string

	Key         string // id
	KeyLineage  string // id of the first key that it replaced
	KeyName     string
	KeyTier     string
	Scopes      []string
	KeyTags     []string
	KeyMetadata map[string]any
	KeyExpires  time.Time // zero: never
	User        string    // the end user

	Approvals Approver // optional: without it, nothing is approved

	Shape          string
	Stream         bool
	HasImages      bool
	HasFiles       bool
	Effort         string
	Temperature    float64
	HasTemperature bool
	Schema         bool // the answer must fit a JSON Schema
	Tools          []string
	ToolTypes      []string
	Tool           ToolCall // a call of an agent's tool; the zero value: the exchange is none
	Agent          AgentCall
	Messages       int
	SystemMissing  bool

	PromptTokens  int64 // an estimate
	MaxTokens     int64 // the client's limit; 0 for none
	ContextWindow int64 // of the model in tokens; 0 if unknown
	CostUSD       float64
	Priced        bool

	Budgeted       bool // a budget applies
	BudgetPct      float64
	BudgetExceeded bool

	Now time.Time
	// Wall, if set, replaces Now in time windows: the minute of the week, beginning on Monday, in each window's own
	// zone.
	Wall WeekMinute

	Header   http.Header
	Metadata map[string]string

	PII         []Label
	Detectors   []Label
	Response    []Label // personal data in the answer
	Finish      string  // the answer's finish reason
	OutTokens   int64
	BadSchema   bool
	SchemaKnown bool
}

// AgentCall is a request to another agent; the zero value: the exchange is none.
type AgentCall struct {
	Name string
	// Method is the method of the request, or "card" if only the agent's card is fetched.
	Method string
}

// ToolCall is a call of a tool that a server offers to agents.
type ToolCall struct {
	Server, Name string
	// Annotations are those of the tool's trusted definition; nil without a trusted definition.
	Annotations map[string]any
	Args        map[string]any
	// Offered and Requested report whether the caller's clients recently offered the tool to a model, and whether a model has
	// called it in an answer to them.
	Offered, Requested bool
	Digest             string // SHA-256 of the arguments as they were sent, in hex; "" if nothing asks for it
	// Approvals are the ids of the consents on which rules have relied. Evaluation adds them.
	Approvals []string
}

// Label is a detector's finding: how often, and the highest score.
type Label struct {
	Name  string
	Count int
	Score float32
}

// WeekMinute is a minute of the week plus one, so that its zero value means unset.
type WeekMinute int

// Reset empties the facts and keeps their slices.
func (f *Facts) Reset() {
	clear(f.Metadata)
	*f = Facts{
		PII: f.PII[:0], Detectors: f.Detectors[:0], Response: f.Response[:0], ToolTypes: f.ToolTypes[:0], Metadata: f.Metadata,
	}
}

// Clone returns facts that share no text with f's exchange, which is reused.
func (f *Facts) Clone() *Facts {
	c := *f
	for i := range c.Asked {
		c.Asked[i] = strings.Clone(c.Asked[i])
	}
	for i := range c.Sent {
		c.Sent[i] = strings.Clone(c.Sent[i])
	}
	c.User, c.Effort, c.Finish = strings.Clone(c.User), strings.Clone(c.Effort), strings.Clone(c.Finish)
	c.Tools, c.ToolTypes = cloneTexts(f.Tools), cloneTexts(f.ToolTypes)
	c.PII, c.Detectors, c.Response = cloneLabels(f.PII), cloneLabels(f.Detectors), cloneLabels(f.Response)
	c.Agent.Name, c.Agent.Method = strings.Clone(f.Agent.Name), strings.Clone(f.Agent.Method)
	c.Tool.Server, c.Tool.Name, c.Tool.Approvals = strings.Clone(f.Tool.Server), strings.Clone(f.Tool.Name), nil
	c.Header = f.Header.Clone()
	if f.Metadata != nil {
		c.Metadata = make(map[string]string, len(f.Metadata))
		for k, v := range f.Metadata {
			c.Metadata[strings.Clone(k)] = strings.Clone(v)
		}
	}
	return &c
}

func cloneTexts(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = strings.Clone(s)
	}
	return out
}

func cloneLabels(list []Label) []Label {
	out := make([]Label, len(list))
	for i, l := range list {
		l.Name = strings.Clone(l.Name)
		out[i] = l
	}
	return out
}

// AddLabel counts a finding in list.
func AddLabel(list []Label, name string, score float32) []Label {
	for i := range list {
		if list[i].Name == name {
			list[i].Count++
			list[i].Score = max(list[i].Score, score)
			return list
		}
	}
	return append(list, Label{Name: name, Count: 1, Score: score})
}
