package policytest

import (
	"context"
	"fmt"
	"hash/fnv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/placeholder"
	"github.com/headgate-dev/headgate/core/records/price"
	"github.com/headgate-dev/headgate/core/records/spending"
)

// tokens is a vault without a store.
type tokens struct{}

func (tokens) Mint(_ context.Context, _ *core.Exchange, _ core.Phase, typ, value string) (string, error) {
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, typ, "\x1f", value)
	return placeholder.Format(typ, fmt.Sprintf("%016x", h.Sum64())), nil
}

func (tokens) Resolve(context.Context, *core.Exchange, string) (string, bool, error) {
	return "", false, nil
}

// DetectorSettings are the settings of the stage that finds personal data: it changes nothing.
type DetectorSettings struct{}

// Decode stores the settings.
func (DetectorSettings) Decode(into any) error {
	return yaml.Unmarshal([]byte("{action: flag, response: redact}"), into)
}

// Routes serves names that start with gpt, and knows two providers by their prefixes.
type Routes struct{}

var planned = []core.TargetRef{{Provider: "openai", Model: "gpt-5", Region: "eu-west"}}

// Plan returns where a request for a model goes.
func (Routes) Plan(model string) []core.TargetRef {
	if strings.HasPrefix(Routes{}.StripPrefix(model), "gpt") {
		return planned
	}
	return nil
}

// StripPrefix returns a model's name without a provider's prefix.
func (Routes) StripPrefix(model string) string {
	for _, p := range []string{"openai/", "mock/"} {
		if rest, ok := strings.CutPrefix(model, p); ok {
			return rest
		}
	}
	return model
}

// Prices are 10 USD per million input tokens and 100 USD per million output tokens.
type Prices struct{}

// FindPerToken returns the prices of a token, in units of 1e-10 USD.
func (Prices) FindPerToken(_, model string) (int64, int64, bool) {
	return 100_000, 1_000_000, !strings.Contains(model, "unpriced")
}

// FindPrice returns the prices of a model.
func (p Prices) FindPrice(provider, model string) *price.Price {
	in, out, ok := p.FindPerToken(provider, model)
	if !ok {
		return nil
	}
	return &price.Price{Input: 1e6 * in, Output: 1e6 * out, Cached: -1, Written: -1, Reasoning: -1}
}

// Windows knows no context window.
type Windows struct{}

// FindContextWindow returns 0: unknown.
func (Windows) FindContextWindow(string, string) int64 { return 0 }

// Budgets has one budget, of which a share is left.
type Budgets struct {
	Percent float64
	Err     error
}

// FindRemaining returns what is left, in per cent.
func (b Budgets) FindRemaining(context.Context, *core.Principal, string) (float64, bool, bool, error) {
	return b.Percent, b.Percent <= 0, b.Err == nil, b.Err
}

// FindAmounts returns the same as a list of one budget of 1000 USD.
func (b Budgets) FindAmounts(context.Context, *core.Exchange) ([]spending.Amount, error) {
	const limit = 1000 * 1e10
	left := int64(limit * b.Percent / 100)
	return []spending.Amount{{ID: "b-1", Name: "all", Money: true, Limit: limit, Spent: limit - left, Left: left}}, b.Err
}

// Approvals are what a second person has approved, by rule and model.
type Approvals struct {
	Given map[string]bool
	Asked []string
}

// IsApproved reports whether a rule is approved for a model.
func (c *Approvals) IsApproved(_, _, rule, model string) bool { return c.Given[rule+" "+model] }

// RequestConsent records that approval was asked for.
func (c *Approvals) RequestConsent(_, _, rule, model string) {
	c.Asked = append(c.Asked, rule+" "+model)
}

// attacks finds prompt injections.
type attacks struct{}

func (attacks) Check(_ context.Context, x *core.Exchange, _ core.Phase, _ any) (core.Verdict, error) {
	v := core.Verdict{Action: core.Pass}
	for i := range x.Request.Segments {
		if strings.Contains(x.Request.ReadText(i), "ignore") {
			v.Findings = append(v.Findings, core.Finding{Label: "prompt_injection", Kind: core.FoundDetector, Score: 0.75})
		}
	}
	return v, nil
}

// unplaced finds a word in answers without reporting its position.
type unplaced struct{}

func (unplaced) Check(context.Context, *core.Exchange, core.Phase, any) (core.Verdict, error) {
	return core.Verdict{Action: core.Pass}, nil
}

func (unplaced) Stream(context.Context, *core.Exchange, any) (core.StreamFilter, error) {
	return unplacedFilter{}, nil
}

type unplacedFilter struct{}

func (unplacedFilter) Check(_ context.Context, w core.Window) (core.Verdict, int, error) {
	v := core.Verdict{Action: core.Pass}
	if strings.Contains(w.Text, "EMP-1") {
		v.Findings = []core.Finding{{Label: "EMPLOYEE", Kind: core.FoundPII}}
	}
	return v, 0, nil
}

func (unplacedFilter) Close(context.Context) error { return nil }
