package cases

import (
	"context"
	"errors"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect"
	"github.com/headgate-dev/headgate/core/records/price"
	"github.com/headgate-dev/headgate/core/records/spending"
	"github.com/headgate-dev/headgate/plugins/foreign"
)

// The keys of a case file for what a gateway offers to plugins.
type (
	foundKeys struct {
		Link  string   `yaml:"link"`
		Label string   `yaml:"label" required:"true" eg:"EMAIL"`
		Kind  kindWord `yaml:"kind"`
		Score float64  `yaml:"score" min:"0" max:"1"`
		// Where it is, in a text of the body.
		Segment int `yaml:"segment" min:"0"`
		Start   int `yaml:"start" min:"0"`
		End     int `yaml:"end" min:"0"`
	}
	priceKeys struct {
		Input  int64 `yaml:"input" min:"0"` // 1e-10 USD per million tokens
		Output int64 `yaml:"output" min:"0"`
	}
	callKeys struct {
		Status int    `yaml:"status" min:"100" max:"599" eg:"200"`
		Body   string `yaml:"body"`
	}
)

// offers is what the gateway of a step offers to a plugin.
type offers struct{ given *givenKeys }

// buildServices returns what a plugin of a case may use. tokens resolves the placeholders of the case.
func (o *offers) buildServices(tokens core.Tokens) foreign.Services {
	return foreign.Services{
		Prices: o, Windows: o, Budgets: o, Reply: dialect.ParseReply, Tokens: tokens, Calls: o, Notify: func(context.Context, spending.Notice) {},
	}
}

var _ price.Lookup = (*offers)(nil)

// FindPerToken returns the price of the step.
func (o *offers) FindPerToken(provider, model string) (input, output int64, ok bool) {
	p := o.FindPrice(provider, model)
	if p == nil {
		return 0, 0, false
	}
	input, output = p.PerToken()
	return input, output, true
}

// FindPrice returns the price of the step, or nil if it gives none.
func (o *offers) FindPrice(string, string) *price.Price {
	if o.given == nil || o.given.Price == (priceKeys{}) {
		return nil
	}
	return &price.Price{ID: "case", Input: o.given.Price.Input, Output: o.given.Price.Output, Cached: -1, Written: -1, Reasoning: -1}
}

// FindContextWindow returns the context window given in the step.
func (o *offers) FindContextWindow(string, string) int64 {
	if o.given == nil {
		return 0
	}
	return o.given.Window
}

// FindAmounts returns no budgets: only a gateway has their records.
func (o *offers) FindAmounts(context.Context, *core.Exchange) ([]spending.Amount, error) {
	return nil, nil
}

var errNoAnswer = errors.New("the case has no answer of the upstream")

// Call returns the answer that the step gives for an upstream.
func (o *offers) Call(_ context.Context, c *foreign.Call) (int, []byte, error) {
	if o.given == nil {
		return 0, nil, errNoAnswer
	}
	one, ok := o.given.Upstreams[c.Upstream]
	if !ok {
		return 0, nil, errNoAnswer
	}
	return max(one.Status, 200), []byte(one.Body), nil
}

// addFindings adds the findings of earlier links, as given in the step.
func (s *step) addFindings(x *core.Exchange) {
	for _, f := range s.given.Found {
		found := core.Finding{
			Link: f.Link, Label: f.Label, Kind: f.Kind.kind(), Phase: s.given.Phase.phase(), Segment: -1, Score: float32(f.Score),
		}
		if f.Start < f.End {
			found.Segment, found.Start, found.End = f.Segment, f.Start, f.End
		}
		x.Findings = append(x.Findings, found)
	}
}

// readMetadata reads an object of a case.
func (r *reader) readMetadata(s *step) {
	for key, into := range map[string]*map[string]any{"metadata": &s.key, "tenant_metadata": &s.tenant} {
		block := s.given.Metadata
		if key == "tenant_metadata" {
			block = s.given.TenantMetadata
		}
		if !s.givenAt.Has(key) {
			continue
		}
		if err := block.Decode(into); err != nil {
			r.add(s.givenAt.NewProblem("is not an object", "write "+key+": {name: value}", key))
		}
	}
}
