package policy

import (
	"context"
	"fmt"
	"hash/fnv"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/placeholder"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
	"github.com/headgate-dev/headgate/core/records/price"
	"github.com/headgate-dev/headgate/stages/pii"
)

// source provides policies to the stage.
type source struct {
	mu      sync.Mutex
	records []policydoc.Record
	use     func([]policydoc.Record) error
	events  []policydoc.ShadowEvent
	dropped int
}

func (s *source) Watch(use func([]policydoc.Record) error) (func(), error) {
	s.use = use
	return func() {}, use(s.records)
}

func (s *source) StoreShadowEvents(_ context.Context, events []policydoc.ShadowEvent, dropped int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, events...)
	s.dropped += dropped
}

// active returns an active policy of the platform.
func active(dsl string) policydoc.Record { return record("", policydoc.Active, dsl) }

func record(tenant, status, dsl string) policydoc.Record {
	name := "p"
	for _, line := range strings.Split(dsl, "\n") {
		if n, ok := strings.CutPrefix(line, "name: "); ok {
			name = n
		}
	}
	return policydoc.Record{ID: "id-" + name, Name: name, Tenant: tenant, Status: status, DSL: dsl, Version: 1}
}

type fakeTokens struct{}

func (fakeTokens) Mint(_ context.Context, _ *core.Exchange, _ core.Phase, typ, value string) (string, error) {
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, typ, "\x1f", value)
	return placeholder.Spell(typ, fmt.Sprintf("%016x", h.Sum64())), nil
}

func (fakeTokens) Resolve(context.Context, *core.Exchange, string) (string, bool, error) {
	return "", false, nil
}

// routes serve names that start with gpt, and know one provider by its prefix.
type routes struct{}

var planned = []core.TargetRef{{Provider: "openai", Model: "gpt-5", Region: "eu-west"}}

func (routes) Plan(model string) []core.TargetRef {
	if strings.HasPrefix(routes{}.Bare(model), "gpt") {
		return planned
	}
	return nil
}

func (routes) Bare(model string) string {
	for _, p := range []string{"openai/", "mock/"} {
		if rest, ok := strings.CutPrefix(model, p); ok {
			return rest
		}
	}
	return model
}

// prices are 10 USD per million input tokens and 100 USD per million output tokens.
type prices struct{}

func (prices) PerToken(_, model string) (int64, int64, bool) {
	return 100_000, 1_000_000, !strings.Contains(model, "unpriced")
}

func (p prices) Price(provider, model string) *price.Price {
	in, out, ok := p.PerToken(provider, model)
	if !ok {
		return nil
	}
	return &price.Price{Input: 1e6 * in, Output: 1e6 * out, Cached: -1, Written: -1, Reasoning: -1}
}

type budgets struct {
	pct float64
	err error
}

func (b budgets) Remaining(context.Context, *core.Principal, string) (float64, bool, bool, error) {
	return b.pct, b.pct <= 0, b.err == nil, b.err
}

// bench passes exchanges through a chain.
type bench struct {
	t      testing.TB
	chain  *chain.Chain
	source *source
	stage  *Stage // the last one
	stages []*Stage
	deps   Deps
}

// kinds is the order of the chain: policy links and the PII stage, set to flag.
func newBench(t testing.TB, kinds []string, records ...policydoc.Record) *bench {
	t.Helper()
	b := &bench{t: t, source: &source{records: records}}
	noon := time.Date(2026, 3, 3, 12, 0, 0, 0, time.UTC) // a Tuesday
	b.deps = Deps{
		Now: func() time.Time { return noon }, Policies: b.source, Routes: routes{}, Prices: prices{}, Budgets: budgets{pct: 50}, Chain: kinds,
	}
	var links []chain.Link
	for i, kind := range kinds {
		b.deps.Links = append(b.deps.Links, fmt.Sprint(kind, i))
	}
	for i, kind := range kinds {
		d := b.deps
		d.Place = i
		l := chain.Link{Name: b.deps.Links[i], Mode: chain.Enforce, OnFault: chain.FaultBlocks}
		var err error
		switch kind {
		case Name:
			l.Stage, err = New(nil, d)
			l.Phases = Phases
			b.stage = l.Stage.(*Stage)
			b.stages = append(b.stages, b.stage)
		case pii.Name:
			l.Stage, err = pii.New(flagged{}, fakeTokens{})
			l.Phases = pii.Phases
		}
		require.NoError(t, err)
		links = append(links, l)
	}
	var err error
	b.chain, err = chain.New(links, fakeTokens{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.chain.Close(context.Background())) })
	return b
}

// flagged makes the PII stage report values without changing them.
type flagged struct{}

func (flagged) Decode(into any) error {
	return yamlInto("{action: flag, response: redact}", into)
}

var anna = &core.Principal{
	Tenant: "t-a", KeyID: "k-1", KeyName: "dev", Scopes: []string{"completions:write"}, Tags: []string{"batch"},
	Metadata: map[string]any{"team": "interns"}, TenantMetadata: map[string]any{"residency": "eu"},
}

// exchange scans a chat request.
func (b *bench) exchange(raw string) *core.Exchange {
	b.t.Helper()
	x := &core.Exchange{ID: "x-1", Dialect: "openai.chat", Principal: anna, Received: b.deps.Now()}
	x.Request.Raw, x.Request.Header = []byte(raw), http.Header{"X-Experiment": {"beta-1"}}
	require.Nil(b.t, openai.Chat{}.Scan(x))
	return x
}

// request passes a request as far as the first target.
func (b *bench) request(raw string) (*core.Exchange, chain.Decision) {
	b.t.Helper()
	x := b.exchange(raw)
	return x, b.chain.Request(context.Background(), x)
}

func (b *bench) target(x *core.Exchange, provider, model, region string) chain.Decision {
	x.Target = core.TargetRef{Provider: provider, Model: model, Region: region}
	return b.chain.Target(context.Background(), x)
}

func (b *bench) finish(x *core.Exchange) {
	b.chain.Finish(context.Background(), x)
}

const hello = `{"model":"gpt-5","messages":[{"role":"user","content":"hello"}]}`

// says returns a chat request with one message.
func says(text string) string {
	return `{"model":"gpt-5","messages":[{"role":"user","content":"` + text + `"}]}`
}
