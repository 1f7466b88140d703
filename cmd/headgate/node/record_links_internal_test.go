package node

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/records/state"
	"github.com/headgate-dev/headgate/stages"
)

// Rules on callers and on answers are evaluated before all other links; rules on findings in requests after all links
// that find something, including guardrail plugins from records. If a link is configured, none is added.
func TestImpliedPolicyLinksStandWhereTheirRulesAreAsked(t *testing.T) {
	link := func(stage string) config.Link { return config.Link{Stage: stage, Name: stage} }
	pii, cache, limit := link("pii"), link("cache"), link("ratelimit")
	shadow := config.Link{Stage: "policy", Name: "trial", Mode: config.Shadow}
	module := config.Link{Wasm: "x.wasm", Name: "policy"}
	const findings, plugins = policyOnFindings, config.GuardrailPluginsName
	for name, c := range map[string]struct {
		chain  []config.Link
		guards bool
		want   []string
	}{
		"an empty chain":               {nil, true, []string{"policy", plugins, findings}},
		"no detector":                  {[]config.Link{limit}, false, []string{"policy", "ratelimit"}},
		"a cache alone":                {[]config.Link{cache}, true, []string{"policy", plugins, findings, "cache"}},
		"a detector and a cache":       {[]config.Link{pii, cache}, true, []string{"policy", "pii", plugins, findings, "cache"}},
		"a cache before the detector":  {[]config.Link{cache, pii}, true, []string{"policy", "cache", "pii", plugins, findings}},
		"a written link":               {[]config.Link{pii, link("policy")}, false, []string{"pii", "policy"}},
		"a written link in shadow":     {[]config.Link{shadow, pii}, false, []string{"trial", "pii"}},
		"another link of the name":     {[]config.Link{module}, false, []string{"policy-records", "policy", findings}},
		"a limit before the detectors": {[]config.Link{limit, pii}, false, []string{"policy", "ratelimit", "pii", findings}},
	} {
		t.Run(name, func(t *testing.T) {
			with := stages.Host{Policies: newPolicySource(nil, nil).buildView(nil, nil)}
			if c.guards {
				with.Guards = struct{ core.Stage }{}
			}
			chain, added := addRecordLinks(c.chain, with)
			var names []string
			for _, l := range chain {
				names = append(names, l.Name)
			}
			assert.Equal(t, c.want, names)
			assert.Len(t, added, len(chain)-len(c.chain))
			for i, l := range chain {
				if l.Stage == "policy" && added[l.Name] {
					assert.NotContains(t, listKinds(chain, i, added), "", "the two links see each other, and the plugins between them")
				}
			}
		})
	}
}

func TestAChainWithoutRoomForImpliedLinksSaysWhatToChange(t *testing.T) {
	with := stages.Host{Policies: newPolicySource(nil, nil).buildView(nil, nil)}
	build := func(written int) error {
		var links []config.Link
		for i := range written {
			links = append(links, config.Link{Stage: "pii", Name: fmt.Sprint("pii-", i)})
		}
		c, err := buildChain(t.Context(), &config.Config{Chain: links}, nil, with, nil, nil)
		if err == nil {
			assert.NoError(t, c.Close(t.Context()))
		}
		return err
	}
	assert.NoError(t, build(62))
	assert.EqualError(t, build(63), "chain: 63 links are written, and stored policies, budgets, schemas and guardrail plugins need 2 more"+
		" (policy, policy-on-findings), but a chain has at most 64 links; remove links, or write those of the names yourself")
	assert.EqualError(t, build(65), "chain: 65 links are written, and stored policies, budgets, schemas and guardrail plugins need 2 more"+
		" (policy, policy-on-findings), but a chain has at most 64 links; remove links, or write those of the names yourself")
}

// BenchmarkImpliedPolicyLinks measures what policy support costs a request without policies: the chain's own work on a
// call, with and without the links that the gateway adds for policies.
func BenchmarkImpliedPolicyLinks(b *testing.B) {
	body := []byte(`{"model":"m","messages":[{"role":"user","content":"` + strings.Repeat("The quick brown fox. ", 20) + `"}]}`)
	for name, links := range map[string][]config.Link{"empty": nil, "pii": {{Stage: "pii", Name: "pii"}}} {
		for _, implied := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/implied=%t", name, implied), func(b *testing.B) {
				with := stages.Host{State: state.NewMemory(state.Options{}), Now: time.Now}
				if implied {
					with.Policies = newPolicySource(nil, nil).buildView(nil, nil)
				}
				c, err := buildChain(b.Context(), &config.Config{Chain: links}, nil, with, nil, nil)
				require.NoError(b, err)
				x := new(core.Exchange)
				b.ReportAllocs()
				for b.Loop() {
					x.Reset()
					x.Request.Raw = body
					if e := (openai.Chat{}).Scan(x); e != nil {
						b.Fatal(e)
					}
					if d := c.RunRequest(b.Context(), x); d.Action != core.Pass {
						b.Fatal(d.Err)
					}
					c.Finish(b.Context(), x)
				}
			})
		}
	}
}
