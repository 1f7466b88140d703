package policy

import (
	"context"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/sdk/stagetest"
)

// whole returns the result for a whole answer with the text.
func (b *bench) whole(text string) string {
	b.t.Helper()
	x, _ := b.request(hello)
	defer b.finish(x)
	x.Response.Status, x.Response.Raw = 200, []byte(`{"choices":[{"index":0,"message":{"role":"assistant","content":"`+text+`"}}]}`)
	require.NoError(b.t, openai.Chat{}.ScanResponse(x))
	require.Equal(b.t, core.Pass, b.chain.Response(context.Background(), x).Action)
	return x.Response.Text(0)
}

var contents = regexp.MustCompile(`"content":"([^"]*)"`)

// streamed returns what the client is sent of the text.
func (b *bench) streamed(pieces []string) string {
	b.t.Helper()
	x, _ := b.request(hello)
	defer b.finish(x)
	out, e := b.stream(x, pieces...)
	require.Nil(b.t, e)
	var text strings.Builder
	for _, m := range contents.FindAllStringSubmatch(out, -1) {
		text.WriteString(m[1])
	}
	return text.String()
}

const card = "His card is 5555 5555 5555 4444, his address lee@example.com, and hers ann@example.com or +44 20 7946 0958. That is all there is to say of it."

func TestARuleRedactsAStreamAsItDoesAWholeAnswer(t *testing.T) {
	for name, r := range map[string]string{
		"all":                              `{id: r, phase: response, action: REDACT, params: {types: ["*"]}}`,
		"one type":                         `{id: r, phase: response, action: REDACT, params: {types: [EMAIL]}}`,
		"what its condition names":         `{id: r, conditions: {response.pii_types_any: [CREDIT_CARD]}, action: REDACT}`,
		"for a tenant":                     `{id: r, conditions: {tenant.in: [t-a]}, phase: response, action: REDACT, params: {types: ["*"]}}`,
		"for another tenant":               `{id: r, conditions: {tenant.in: [t-b]}, phase: response, action: REDACT, params: {types: ["*"]}}`,
		"when something else is found too": `{id: r, conditions: {response.pii_types_any: [PHONE]}, action: REDACT, params: {types: [CREDIT_CARD]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, []string{Name, "pii"}, active(rule(r)))
			want := b.whole(card)
			assert.Equal(t, name == "for another tenant", want == card)
			for seed := range uint64(20) {
				pieces := stagetest.Chop(rand.New(rand.NewPCG(seed, 7)), card, int(seed)+1)
				require.Equal(t, want, b.streamed(pieces), "%q", pieces)
			}
		})
	}
}

func TestWhatCouldStillFireRedactsFromTheBeginning(t *testing.T) {
	for name, r := range map[string]string{
		"the length":        `{id: r, conditions: {response.tokens_gt: 100000}, action: REDACT, params: {types: ["*"]}}`,
		"the finish reason": `{id: r, conditions: {response.finish_reason_in: [length]}, action: REDACT, params: {types: ["*"]}}`,
		"an exception":      `{id: r, phase: response, unless: {response.finish_reason_in: [stop]}, action: REDACT, params: {types: ["*"]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, []string{Name, "pii"}, active(rule(r)))
			got := b.streamed([]string{card[:20], card[20:]})
			assert.NotContains(t, got, "5555 5555")
			assert.NotContains(t, got, "example.com")
		})
	}
}

func TestAnExemptedRuleRedactsNoStream(t *testing.T) {
	b := newBench(t, []string{Name, "pii"}, active("version: 1\nname: p\nrules:\n"+
		"  - {id: r, phase: response, action: REDACT, params: {types: [\"*\"]}}\n"+
		"  - {id: ok, conditions: {tenant.in: [t-a]}, action: ALLOW, params: {exempts: [r]}}\n"))
	assert.Equal(t, card, b.whole(card))
	assert.Equal(t, card, b.streamed([]string{card[:20], card[20:]}))
}

// unplaced finds a word without reporting its position.
type unplaced struct{}

func (unplaced) Check(context.Context, *core.Exchange, core.Phase, any) (core.Verdict, error) {
	return core.Verdict{Action: core.Pass}, nil
}

func (unplaced) Stream(context.Context, *core.Exchange, any) (core.StreamFilter, error) {
	return unplaced{}.filter(), nil
}

func (unplaced) filter() core.StreamFilter { return unplacedFilter{} }

type unplacedFilter struct{}

func (unplacedFilter) Check(_ context.Context, w core.Window) (core.Verdict, int, error) {
	v := core.Verdict{Action: core.Pass}
	if strings.Contains(w.Text, "EMP-1") {
		v.Findings = []core.Finding{{Label: "EMPLOYEE", Kind: core.FoundPII}}
	}
	return v, 0, nil
}

func (unplacedFilter) Close(context.Context) error { return nil }

func TestAStreamIsCutWhereAValueCannotBeTakenOut(t *testing.T) {
	for name, types := range map[string]string{"wanted": `["*"]`, "not wanted": "[EMAIL]"} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, []string{Name}, active(rule(`{id: r, phase: response, action: REDACT, params: {types: `+types+`}}`)))
			links := append(append([]chain.Link(nil), b.chain.Links()...),
				chain.Link{Name: "finds", Stage: unplaced{}, Phases: core.PhaseSet(core.Response), Mode: chain.Enforce, OnFault: chain.FaultBlocks})
			chain, err := chain.New(links, fakeTokens{})
			require.NoError(t, err)
			own := b.chain
			b.chain = chain
			defer func() { b.chain = own }()
			x, _ := b.request(hello)
			defer b.finish(x)
			out, e := b.stream(x, "he is EMP-1", " and more")
			if name == "not wanted" {
				assert.Nil(t, e)
				return
			}
			require.NotNil(t, e)
			assert.Equal(t, core.CodePolicyDenied, e.Code)
			assert.Contains(t, e.Public, "EMPLOYEE")
			assert.NotContains(t, out, "EMP-1")
		})
	}
}
