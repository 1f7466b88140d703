package wasm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/dialect"
	"github.com/headgate-dev/headgate/core/llm"
	"github.com/headgate-dev/headgate/core/records/price"
	"github.com/headgate-dev/headgate/core/records/spending"
	"github.com/headgate-dev/headgate/core/records/state"
	"github.com/headgate-dev/headgate/plugins/foreign"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// known stands for what the gateway knows: prices, windows and budgets.
type known struct{}

func (known) FindPerToken(string, string) (in, out int64, ok bool) { return 1, 2, true }

func (known) FindPrice(provider, model string) *price.Price {
	if provider == "azure" && model == "deployment" {
		return &price.Price{ID: "p1", Input: 3_000_000, Output: 6_000_001, Cached: -1, Written: 5, Reasoning: -1}
	}
	return nil
}

func (known) FindContextWindow(string, string) int64 { return 128_000 }

func (known) FindAmounts(context.Context, *core.Exchange) ([]spending.Amount, error) {
	return []spending.Amount{{
		ID: "b1", Name: "team", Start: time.UnixMilli(1000), End: time.UnixMilli(2000), Money: true, Limit: 100, Spent: 30, Left: 60,
	}}, nil
}

func TestAStageSeesWhatPoliciesDecideBy(t *testing.T) {
	x := newConversation(t)
	x.Request.Peer = "192.0.2.7"
	x.Request.Raw = []byte(`{"tools":[{"type":"function","function":{"name":"a"}},{"name":"b"},{"type":"web_search"},{"functionDeclarations":[{},{}]},{"googleSearch":{}}]}`)
	x.Request.Segments = nil
	x.Principal.Tags, x.Principal.TenantTags = []string{"gold"}, []string{"eu"}
	x.Principal.Metadata, x.Principal.ExpiresAt = map[string]any{"cost": 7.0}, time.UnixMilli(5000)
	x.Target = core.TargetRef{Provider: "azure", Model: "deployment"}
	x.Findings = []core.Finding{
		{Link: "pii", Label: "EMAIL", Phase: core.Request, Score: 0.5},
		{Link: "pii", Label: "EMAIL", Phase: core.Request, Score: 0.9},
		{Link: "inj", Label: "injection", Phase: core.Request, Score: 1},
		{Link: "hidden", Label: "x", Phase: core.Request, Shadow: true},
	}
	x.Head.MaxTokens, x.Head.AnswersPerPrompt = 50, 2
	x.Attempts = []core.Attempt{{Target: x.Target, Status: 503}, {Target: x.Target, Lost: true}}
	s := &FullStage{services: foreign.Services{
		Prices: known{}, Windows: known{}, Budgets: known{}, Bare: func(string) string { return "bare" }, DefaultCap: 70,
	}}
	for f, want := range map[abi.Field][2]string{ // in the request, and at the target
		abi.FieldFindings: {`[{"link":"pii","type":"EMAIL","kind":"pii","phase":"request","count":2,"score":0.9},{"link":"inj","type":"injection","kind":"detector","phase":"request","count":1,"score":1}]`, "="},
		abi.FieldKeyTags:  {`["gold"]`, "="}, abi.FieldTenantTags: {`["eu"]`, "="}, abi.FieldKeyMetadata: {`{"cost":7}`, "="},
		abi.FieldTenantMetadata: {`{}`, "="}, abi.FieldKeyExpires: {"5000", "="}, abi.FieldAddress: {"192.0.2.7", "="},
		abi.FieldToolTypes: {`{"function":4,"googleSearch":1,"web_search":1}`, "="},
		abi.FieldBudgets:   {`[{"id":"b1","name":"team","starts":1000,"ends":2000,"money":{"limit":100,"spent":30,"left":60}}]`, "="},
		abi.FieldPrice:     {"", `{"id":"p1","input":3000000,"output":6000001,"cached":3000000,"written":5,"reasoning":6000001,"input_token":3,"output_token":7}`},
		abi.FieldWindow:    {"", "128000"},
		abi.FieldLineage:   {x.Principal.KeyID, "="}, abi.FieldBareModel: {"bare", "="},
		abi.FieldReserve:  {`{"estimate":135,"input":1167,"output":50,"thinking":0,"answers":2,"appended":0,"exact":false}`, "="},
		abi.FieldAttempts: {"", `[{"provider":"azure","target":"deployment","status":503,"cost":false},{"provider":"azure","target":"deployment","status":0,"cost":true}]`},
	} {
		for k, phase := range []uint32{abi.PhaseRequest, abi.PhaseTarget} {
			if want[k] == "=" {
				want[k] = want[0]
			}
			c := &talk{s: s, x: x, phase: phase}
			i := &instance{v: new(Version)}
			i.call.parent, i.call.inst, i.call.closing = context.Background(), i, &i.v.closing
			i.call.allowed = time.Hour
			assert.Equal(t, want[k], c.readField(i, f), "%s in phase %d", f, phase)
		}
	}
}

func TestARuleIsAFindingAndExplainsADenial(t *testing.T) {
	v, err := script{steps: "1 q cap/eu-only It's-not-for-EU;1 d POLICY_DENIED -;"}.stage(t).Check(context.Background(), newConversation(t), core.Request, nil)
	require.NoError(t, err)
	assert.Equal(t, []core.Finding{{Label: "cap/eu-only", Kind: core.FoundPolicy, Score: 1}}, v.Findings)
	assert.Equal(t, "It's-not-for-EU", v.Err.Public)
	assert.Equal(t, 403, v.Err.HTTPStatus())
	v, err = script{steps: "1 q a why;1 d - no;"}.stage(t).Check(context.Background(), newConversation(t), core.Request, nil)
	require.NoError(t, err)
	assert.Equal(t, "no", v.Err.Public, "a message of its own comes first")
}

func TestAStageAsksTheModelAgain(t *testing.T) {
	want := []llm.Message{
		{Role: llm.System, Parts: []llm.Part{{Kind: llm.TextPart, Text: "strict"}}}, {Role: llm.User, Parts: []llm.Part{{Kind: llm.TextPart, Text: "again"}}},
	}
	c := newScriptChain(t, script{steps: "3 Q 1 strict;3 Q 2 again;"})
	x := newConversation(t)
	require.Equal(t, core.Pass, c.RunRequest(context.Background(), x).Action)
	d := c.RunResponse(context.Background(), x)
	require.Equal(t, core.Retry, d.Action)
	assert.Equal(t, want, d.Append)
	assert.Equal(t, `the guard "link" does not let the answer pass`, d.Err.Public)

	f, err := script{steps: "3 Q 2 again;"}.stage(t).Stream(context.Background(), newConversation(t), nil)
	require.NoError(t, err)
	v, _, err := f.Check(context.Background(), core.Window{Part: core.Part{Kind: core.KindText}, Text: "an answer", Last: true})
	require.NoError(t, err)
	assert.Equal(t, core.Retry, v.Action, "a withheld stream")
}

func TestABodyIsRespondedWithIfItIsAnAnswer(t *testing.T) {
	reply := foreign.Services{Reply: dialect.ParseReply}
	body := `{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"get","arguments":"{}"}}]}}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}`
	v, err := script{steps: "1 b " + body + ";", options: Options{Services: reply}}.stage(t).Check(context.Background(), newConversation(t), core.Request, nil)
	require.NoError(t, err)
	require.Equal(t, core.Answer, v.Action)
	assert.JSONEq(t, body, string(v.Reply.Raw), "tool calls and usage are in it")
	_, err = script{steps: "1 b hello;", options: Options{Services: reply}}.stage(t).Check(context.Background(), newConversation(t), core.Request, nil)
	requireFault(t, err, "the client did not ask for a stream")
	_, err = script{steps: "1 b {};"}.stage(t).Check(context.Background(), newConversation(t), core.Request, nil)
	requireFault(t, err, "nothing can check one")
}

func TestAlternativesAreDrawnByTheirWeight(t *testing.T) {
	st := script{steps: "1 A small - 3;1 A large - 1;"}.stage(t)
	drawn := map[string]int{}
	for n := range 400 {
		x := newConversation(t)
		x.ID = fmt.Sprintf("exchange-%d", n)
		first, err := st.Check(context.Background(), x, core.Request, nil)
		require.NoError(t, err)
		again, err := st.Check(context.Background(), x, core.Request, nil)
		require.NoError(t, err)
		assert.Equal(t, first.Patch, again.Patch, "an exchange draws once")
		drawn[first.Patch.Model]++
	}
	assert.InDelta(t, 300, drawn["small"], 60)
	assert.Equal(t, 400, drawn["small"]+drawn["large"])
}

func TestARegionHoldsForEachTarget(t *testing.T) {
	st := script{steps: "1 A - eu 1;"}.stage(t)
	c, err := chain.New([]chain.Link{{Name: "link", Stage: st, Phases: core.NewPhaseSet(core.Request, core.Target), Mode: chain.Enforce}}, nil)
	require.NoError(t, err)
	for region, want := range map[string]core.Action{"eu": core.Pass, "us": core.Block, "": core.Block} {
		x := newConversation(t)
		require.Equal(t, core.Pass, c.RunRequest(context.Background(), x).Action)
		x.Target = core.TargetRef{Provider: "p", Model: "m", Region: region}
		d := c.RunTarget(context.Background(), x)
		assert.Equal(t, want, d.Action, region)
		c.Finish(context.Background(), x)
	}
	m := allManifest()
	m.Phases = []string{"request"}
	_, err = script{manifest: m, steps: "1 A - eu 1;"}.stage(t).Check(context.Background(), newConversation(t), core.Request, nil)
	requireFault(t, err, "does not name the phase target")
}

func TestALinkThatLeavesOutTheTargetRefusesAStageThatMayAskForARegion(t *testing.T) {
	early := allManifest()
	early.Phases = []string{"request", "response"}
	for _, c := range []struct {
		name     string
		manifest *Manifest
		phases   core.Phases
		refused  bool
	}{
		{"a link that leaves out the target", allManifest(), core.NewPhaseSet(core.Request, core.Response), true},
		{"a link of the target too", allManifest(), core.NewPhaseSet(core.Request, core.Target), false},
		{"a link that writes no phases", allManifest(), 0, false},
		{"a plugin that cannot ask for a region", early, core.NewPhaseSet(core.Request), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := script{manifest: c.manifest}.load(t)
			st, err := NewPlugin(v, Options{Link: "x", State: noState{}, Phases: c.phases})
			if c.refused {
				require.ErrorContains(t, err, "`phases` leaves that phase out; add target")
				v.Release(t.Context())
				return
			}
			require.NoError(t, err)
			require.NoError(t, st.Close(t.Context()))
		})
	}
	v := loadModule(t, LoadOptions{Source: testModule(t, "look")})
	require.True(t, v.Acquire())
	v.Manifest.Phases = []string{"request", "target"}
	st, err := NewPlugin(v, Options{Link: "x", Phases: core.NewPhaseSet(core.Request)})
	require.NoError(t, err, "a module without the import asks for no region")
	require.NoError(t, st.Close(t.Context()))
}

func TestLinksShareTheScopesThatTheyAreGranted(t *testing.T) {
	mem := state.NewMemory(state.Options{})
	link := func(name string, scopes ...string) *FullStage {
		return script{steps: "1 S shared:team;1 g k;1 u k " + name + " 60000;1 S platform;1 g k;1 u k " + name + " 60000;1 S -;1 g k;1 o;", options: Options{
			Link: name, State: mem, Grant: foreign.Grant{Scopes: scopes},
		}}.stage(t)
	}
	ask := func(st *FullStage, tenant string) string {
		x := newConversation(t)
		x.Principal.Tenant = tenant
		v, err := st.Check(context.Background(), x, core.Request, nil)
		require.NoError(t, err)
		return v.Header[0].Value
	}
	one, two := link("one", "shared:team", "platform"), link("two", "shared:team", "platform")
	assert.Equal(t, "0 !1 0 0 !1 0 0 !1", ask(one, "acme"))
	assert.Equal(t, "0 one 0 0 !1 0 0 !1", ask(two, "acme"), "shared by links, apart on the platform")
	assert.Equal(t, "0 !1 0 0 one 0 0 !1", ask(one, "other"), "apart by tenant, shared on the platform")
	assert.Equal(t, "-2 !1 0 -2 one 0 0 one", ask(link("one"), "acme"+"x"), "nothing is granted unless it is listed")
	_, err := NewPlugin(script{}.load(t), Options{Link: "x", State: mem, Grant: foreign.Grant{Scopes: []string{"all"}}})
	require.ErrorContains(t, err, "grant.scopes")
}

func TestAThresholdIsANotice(t *testing.T) {
	var got []spending.Notice
	notify := foreign.Services{Notify: func(_ context.Context, n spending.Notice) { got = append(got, n) }}
	steps := strings.Repeat("1 n team-limit 80;", abi.MaxThresholds+1) + "1 o;"
	assert.Equal(t, "0 0 0 0 -3", saw(t, script{steps: steps, options: Options{Services: notify}}, newConversation(t), core.Request))
	require.Len(t, got, abi.MaxThresholds)
	assert.Equal(t, spending.Notice{Type: "PLUGIN_THRESHOLD", Tenant: "acme", Facts: []spending.Fact{
		{Name: "link", Value: "link"}, {Name: "limit", Value: "team-limit"}, {Name: "percent", Value: "80"},
	}}, got[0])
	got = nil
	assert.Equal(t, "0", saw(t, script{steps: "1 n a 1;1 o;", options: Options{Services: notify, Shadow: true}}, newConversation(t), core.Request))
	assert.Empty(t, got, "a link in shadow sends no notification")
}

// vaulted resolves one placeholder.
type vaulted struct{ mint }

func (vaulted) Resolve(_ context.Context, _ *core.Exchange, token string) (string, bool, error) {
	switch token {
	case "{{PII_NAME_0123456789abcdef}}":
		return "Ann", true, nil
	case "{{PII_NAME_ffffffffffffffff}}":
		return "", false, errors.New("down")
	}
	return "", false, nil
}

func TestAStageRestoresValuesInAnswersAlone(t *testing.T) {
	with := Options{Services: foreign.Services{Tokens: vaulted{}}}
	steps := "3 V {{PII_NAME_0123456789abcdef}};3 V {{PII_NAME_ffffffffffffffff}};3 V {{PII_NAME_1111111111111111}};3 o;"
	assert.Equal(t, "Ann !3 !1", saw(t, script{steps: steps, options: with}, newConversation(t), core.Response))
	_, err := script{steps: "1 V {{PII_NAME_0123456789abcdef}};", options: with}.stage(t).Check(context.Background(), newConversation(t), core.Request, nil)
	requireFault(t, err, "in a phase other than the answer's")
}

// called records calls of upstreams.
type called struct {
	got    []foreign.Call
	answer []byte
	err    error
}

func (c *called) Call(_ context.Context, one *foreign.Call) (int, []byte, error) {
	c.got = append(c.got, *one)
	return 207, c.answer, c.err
}

func TestAStageCallsTheUpstreamsThatItIsGranted(t *testing.T) {
	up := &called{answer: []byte("fine")}
	s := script{steps: "1 h guard /v1/x?a=b hi;1 h other / -;1 o;", options: Options{
		Grant: foreign.Grant{Upstreams: []string{"guard"}}, Services: foreign.Services{Calls: up},
	}}
	assert.Equal(t, "207/fine -1", saw(t, s, newConversation(t), core.Request))
	require.Len(t, up.got, 1)
	assert.Equal(t, "link guard /v1/x?a=b hi", up.got[0].Link+" "+up.got[0].Upstream+" "+up.got[0].Path+" "+string(up.got[0].Body))
	for want, err := range map[string]error{"-2": foreign.ErrLimited, "-3": errors.New("down")} {
		s.options.Services.Calls = &called{err: err}
		s.steps = "1 h guard / -;1 o;"
		assert.Equal(t, want, saw(t, s, newConversation(t), core.Request))
	}
	s.options.Services.Calls = &called{answer: make([]byte, abi.MaxCallAnswer+1)}
	assert.Equal(t, "-3", saw(t, s, newConversation(t), core.Request), "an answer that is too long")
	s.options.Services.Calls = up
	s.steps = strings.Repeat("1 h guard / -;", abi.MaxCalls+2) + "1 o;"
	assert.True(t, strings.HasSuffix(saw(t, s, newConversation(t), core.Request), "207/fine -2 -2"), "calls of one exchange are limited")
}

func TestBadCallsOfThePowersAreFaultsOfTheABI(t *testing.T) {
	const far = "4294967280"
	with := Options{
		Grant:    foreign.Grant{Upstreams: []string{"a"}, Scopes: []string{"platform"}},
		Services: foreign.Services{Reply: dialect.ParseReply, Calls: &called{}, Tokens: vaulted{}},
	}
	for _, c := range []struct {
		name, steps, says string
		phase             core.Phase
	}{
		{"a rule outside the memory", "* R 14 " + far + " 20 0 0;", "outside its memory", core.Request},
		{"a reason outside the memory", "* q a b;* R 14 0 1 " + far + " 900;", "outside its memory", core.Request},
		{"a rule without an id", "* q - x;", "id of a rule", core.Request},
		{"a rule with an id of other characters", "* q a:b x;", "id of a rule", core.Request},
		{"a rule with a long id", "* R 14 0 65 0 0;", "id of a rule", core.Request},
		{"a flood of rules", strings.Repeat("* q a b;", abi.MaxRules+1), "more rules", core.Request},
		{"another answer to a request", "* Q 2 x;", "does not wait", core.Request},
		{"another answer from a target", "* Q 2 x;", "does not wait", core.Target},
		{"another answer for a tool", "* Q 4 x;", "role other than", core.Response},
		{"another answer for no role", "* Q 0 x;", "role other than", core.Response},
		{"another answer without a text", "* Q 2 -;", "empty", core.Response},
		{"another answer for a text outside the memory", "* R 15 2 " + far + " 40;", "outside its memory", core.Response},
		{"another answer for a long text", "* R 15 2 0 65537;", "too long", core.Response},
		{"a flood of messages", strings.Repeat("* Q 2 x;", abi.MaxRetry+1), "more messages", core.Response},
		{"another answer after a denial", "* d - x;* Q 2 x;", "decided twice", core.Response},
		{"a denial after another answer", "* Q 2 x;* d - x;", "decided twice", core.Response},
		{"a body to an answer", "* b {};", "other than the request's", core.Response},
		{"an empty body", "* b -;", "empty", core.Request},
		{"a body outside the memory", "* R 16 " + far + " 40;", "outside its memory", core.Request},
		{"a body that is too long", "* R 16 0 8388609;", "longer than it may be", core.Request},
		{"a body after a text", "* p x;* b {};", "decided twice", core.Request},
		{"a body that is not an answer", "* b {};", "not an answer", core.Request},
		{"a route at a target", "* A m - 1;", "phase other than", core.Target},
		{"a route to nowhere", "* A - - 1;", "neither a model nor a region", core.Request},
		{"a route without a weight", "* A m - 0;", "weight", core.Request},
		{"a route with too much weight", "* A m - 1048577;", "weight", core.Request},
		{"a route to a model outside the memory", "* R 17 " + far + " 40 0 0 1;", "outside its memory", core.Request},
		{"a route to a long name", "* R 17 0 257 0 0 1;", "name of a model", core.Request},
		{"a route to a region of control characters", "* R 17 0 0 0 8 1;", "not plain text", core.Request},
		{"a flood of routes", strings.Repeat("* A m - 1;", abi.MaxRoutes+1), "more alternatives", core.Request},
		{"a scope outside the memory", "* R 18 " + far + " 40;", "outside its memory", core.Request},
		{"a long scope", "* R 18 0 257;", "scope of its state", core.Request},
		{"a threshold without a name", "* n - 80;", "threshold", core.Request},
		{"a threshold of a large share", "* n a 1001;", "threshold", core.Request},
		{"a threshold outside the memory", "* R 19 " + far + " 40 1;", "outside its memory", core.Request},
		{"a call without an upstream", "* h - / -;", "name of an upstream", core.Request},
		{"a call of an upstream outside the memory", "* R 20 " + far + " 40 0 0 0;", "outside its memory", core.Request},
		{"a call of a URL", "* h a http://169.254.169.254/ -;", "path", core.Request},
		{"a call of another host", "* h a //169.254.169.254/ -;", "path", core.Request},
		{"a call that climbs", "* h a /v1/../admin -;", "path", core.Request},
		{"a call that climbs in escapes", "* h a /v1/%2e%2e/admin -;", "path", core.Request},
		{"a call with a fragment", "* h a /v1#x -;", "path", core.Request},
		{"a call without a path", "* h a - -;", "path", core.Request},
		{"a call with a long body", "* R 23 0 1048577;", "longer than it may be", core.Request},
		{"a call with a body outside the memory", "* R 23 " + far + " 40;", "outside its memory", core.Request},
		{"a read behind an answer", "* R 21 1 0 9;", "behind the end", core.Request},
		{"a value in a request", "* V {{PII_NAME_0123456789abcdef}};", "answer's", core.Request},
		{"a value at a target", "* V {{PII_NAME_0123456789abcdef}};", "answer's", core.Target},
		{"a long placeholder", "* R 22 0 99 0 9;", "too long", core.Response},
		{"a placeholder outside the memory", "* R 22 " + far + " 40 0 9;", "outside its memory", core.Response},
	} {
		t.Run(c.name, func(t *testing.T) {
			st := script{steps: c.steps, options: with}.stage(t)
			v, err := st.Check(context.Background(), newConversation(t), c.phase, nil)
			requireFault(t, err, c.says)
			assert.Empty(t, v)
			assert.Zero(t, st.Version().Stats().Instances, "an instance that failed is closed")
		})
	}
}

func TestUnknownPlaceholdersAreNotAskedForWithoutEnd(t *testing.T) {
	for others, last := range map[int]string{maxRestored - 2: "!1 Ann", maxRestored - 1: "!1 !1"} {
		steps := strings.Repeat("3 V {{PII_NAME_2222222222222222}};", 3) // one that is asked for again costs nothing
		for i := range others {
			steps += fmt.Sprintf("3 V {{PII_NAME_%016x}};", i)
		}
		steps += "3 V {{PII_NAME_0123456789abcdef}};3 o;"
		got := saw(t, script{steps: steps, options: Options{Services: foreign.Services{Tokens: vaulted{}}}}, newConversation(t), core.Response)
		assert.True(t, strings.HasSuffix(got, last), "after %d others: %s", others, got)
	}
}
