// Package policytest holds the cases that every stage of policies passes: the compiled-in stage, and plugins in its place.
package policytest

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
)

// Deps is what a gateway gives a stage of policies.
type Deps struct {
	Policies  []policydoc.Record
	Now       func() time.Time
	Routes    Routes
	Prices    Prices
	Windows   Windows
	Budgets   Budgets
	Approvals *Approvals // optional: without it, nothing can be approved

	// Chain contains the kinds of the chain's links in order, Links their names, and Place is the index of this link.
	Chain, Links []string
	Place        int
}

// Subject is a stage of policies under the cases.
type Subject struct {
	// Build returns the link of a stage with policies. An error means that it refuses them; it says why.
	Build func(t testing.TB, d Deps) (chain.Link, error)
	// Detector returns the link of a stage that finds personal data in requests and answers, and changes nothing.
	Detector func(t testing.TB) chain.Link
}

// Case is one case.
type Case struct {
	Name string
	run  func(t *testing.T, by *Subject)
}

// Run runs the case.
func (c *Case) Run(t *testing.T, by *Subject) { c.run(t, by) }

// Kinds of links in the chain of a bench.
const (
	Policy   = "policy"
	Detector = "pii"
	Attacks  = "guardrail" // finds a prompt injection in each text with the word "ignore"
)

// Alone is a chain of the stage alone.
var Alone = []string{Policy}

// Bench passes exchanges through a chain.
type Bench struct {
	T     testing.TB
	Deps  Deps
	Chain *chain.Chain
}

// NewBench returns a chain of the kinds in d.Chain, by default of the stage alone. It fills what else d leaves out.
func NewBench(t testing.TB, by *Subject, d Deps) *Bench {
	t.Helper()
	if d.Chain == nil {
		d.Chain = Alone
	}
	if d.Budgets == (Budgets{}) {
		d.Budgets.Percent = 50
	}
	d.Now = func() time.Time { return noon }
	for i, kind := range d.Chain {
		d.Links = append(d.Links, fmt.Sprint(kind, i))
	}
	b := &Bench{T: t, Deps: d}
	var links []chain.Link
	for i, kind := range d.Chain {
		var l chain.Link
		switch kind {
		case Policy:
			var err error
			d.Place = i
			l, err = by.Build(t, d)
			require.NoError(t, err)
		case Detector:
			l = by.Detector(t)
		case Attacks:
			l = chain.Link{Stage: attacks{}, Phases: core.NewPhaseSet(core.Request)}
		}
		l.Name, l.Mode, l.OnFault = d.Links[i], chain.Enforce, chain.FaultBlocks
		links = append(links, l)
	}
	b.use(links)
	return b
}

// use makes a chain of links, which the test's end closes.
func (b *Bench) use(links []chain.Link) {
	b.T.Helper()
	var err error
	b.Chain, err = chain.New(links, tokens{})
	require.NoError(b.T, err)
	own := b.Chain
	b.T.Cleanup(func() { require.NoError(b.T, own.Close(context.Background())) })
}

// newBench returns a chain of the kinds with active policies of the platform.
func newBench(t testing.TB, by *Subject, kinds []string, policies ...policydoc.Record) *Bench {
	t.Helper()
	return NewBench(t, by, Deps{Chain: kinds, Policies: policies})
}

// noon is the time of all exchanges, on a Tuesday.
var noon = time.Date(2026, 3, 3, 12, 0, 0, 0, time.UTC)

// Anna is the caller of all exchanges.
var Anna = &core.Principal{
	Tenant: "t-a", KeyID: "k-1", KeyName: "dev", Scopes: []string{"completions:write"}, Tags: []string{"batch"},
	Metadata: map[string]any{"team": "interns"}, TenantMetadata: map[string]any{"residency": "eu"}, ExpiresAt: noon.Add(48 * time.Hour),
}

// Hello is a chat request.
const Hello = `{"model":"gpt-5","messages":[{"role":"user","content":"hello"}]}`

// FormatRequest returns a chat request with one message.
func FormatRequest(text string) string {
	return `{"model":"gpt-5","messages":[{"role":"user","content":"` + text + `"}]}`
}

// FormatRule returns a policy of one rule.
func FormatRule(text string) string { return "version: 1\nname: p\nrules:\n  - " + text }

// NewActive returns an active policy of the platform.
func NewActive(dsl string) policydoc.Record { return NewRecord("", policydoc.Active, dsl) }

// NewRecord returns a policy under the name in its text.
func NewRecord(tenant, status, dsl string) policydoc.Record {
	name := "p"
	for line := range strings.Lines(dsl) {
		if n, ok := strings.CutPrefix(line, "name: "); ok {
			name = strings.TrimSpace(n)
		}
	}
	return policydoc.Record{ID: "id-" + name, Name: name, Tenant: tenant, Status: status, DSL: dsl, Version: 1}
}

// Open scans a chat request.
func (b *Bench) Open(raw string) *core.Exchange {
	b.T.Helper()
	x := &core.Exchange{ID: "x-1", Dialect: openai.ChatName, Principal: Anna, Received: b.Deps.Now()}
	x.Request.Raw, x.Request.Header = []byte(raw), http.Header{"X-Experiment": {"beta-1"}}
	require.Nil(b.T, openai.Chat{}.Scan(x))
	return x
}

// Send passes a request until its target is chosen.
func (b *Bench) Send(raw string) (*core.Exchange, chain.Decision) {
	b.T.Helper()
	x := b.Open(raw)
	return x, b.Chain.RunRequest(context.Background(), x)
}

// SendTo offers a target to the chain.
func (b *Bench) SendTo(x *core.Exchange, provider, model, region string) chain.Decision {
	x.Target = core.TargetRef{Provider: provider, Model: model, Region: region}
	return b.Chain.RunTarget(context.Background(), x)
}

// try passes a request with a target, and returns the first refusal: until then nothing is sent.
func (b *Bench) try(raw string) (*core.Exchange, chain.Decision) {
	b.T.Helper()
	x, d := b.Send(raw)
	if d.Action == core.Pass {
		d = b.SendTo(x, "openai", x.Model(), "eu-west")
	}
	return x, d
}

// Finish ends an exchange.
func (b *Bench) Finish(x *core.Exchange) { b.Chain.Finish(context.Background(), x) }
