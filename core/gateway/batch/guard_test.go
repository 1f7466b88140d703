package batch_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/gateway/batch"
	"github.com/headgate-dev/headgate/core/records/audit"
)

// wordGuard blocks a word in requests and answers, denies a target, caps answers, and replaces a model.
type wordGuard struct{ word, target, model string }

func (g wordGuard) Check(_ context.Context, x *core.Exchange, p core.Phase, _ any) (core.Verdict, error) {
	body := &x.Request
	switch {
	case p == core.Response:
		body = &x.Response
	case p == core.Target && x.Target.Model == g.target:
		return core.Verdict{Action: core.Block, Err: &core.Error{Kind: core.Forbidden, Code: core.CodePolicyDenied, Public: "no such target"}}, nil
	}
	for i := range body.Segments {
		if strings.Contains(body.ReadText(i), g.word) {
			return core.Verdict{
				Action:   core.Block,
				Findings: []core.Finding{{Label: "word", Segment: i, End: 1}},
				Err:      &core.Error{Kind: core.ContentFiltered, Code: core.CodeContentFilter, Public: "not this word"},
			}, nil
		}
	}
	if p == core.Request && g.model != "" {
		return core.Verdict{Action: core.Rewrite, Patch: core.Patch{Model: g.model, MaxTokens: 7}}, nil
	}
	return core.Verdict{Action: core.Pass}, nil
}

// guarding puts a guard into the gate's chain beside the links that redact.
func guarding(t *testing.T, g *gate, l chain.Link) {
	l.Name, l.OnFault, l.Guards = "words", chain.FaultBlocks, true
	l.Phases = core.NewPhaseSet(core.Request, core.Target, core.Response)
	if l.Mode == 0 {
		l.Mode = chain.Enforce
	}
	c, err := chain.New([]chain.Link{l}, nil)
	require.NoError(t, err)
	c, err = c.Guarding()
	require.NoError(t, err)
	g.rule(func(r *batch.Rules) { r.Guard = batch.NewGuard(c, g.notePanic) })
}

func TestEachLineOfABatchPassesTheGuards(t *testing.T) {
	g := open(t, nil)
	content := request("a", "gpt-4o", "hello") + request("b", "gpt-4o", "the secret word")
	g.requireUpload("dev", content) // nothing judges it

	sent := len(g.vendor.forms)
	guarding(t, g, chain.Link{Stage: wordGuard{word: "secret"}})
	for _, file := range []string{content, strings.ReplaceAll(content, "gpt-4o", "mock-echo")} {
		a := g.upload("dev", file)
		assert.Equal(t, 400, a.status, a.body)
		code, message := a.fault(t)
		assert.Equal(t, core.CodeContentFilter, code)
		assert.Equal(t, "line 2: not this word", message)
	}
	assert.Len(t, g.vendor.forms, sent, "nothing of a refused file leaves")
	assert.Contains(t, strings.Join(g.records(), "\n"), `"findings":[{"link":"words","label":"word","count":1}]`)
	g.requireUpload("dev", request("a", "gpt-4o", "hello"))

	guarding(t, g, chain.Link{Stage: wordGuard{word: "secret"}, Mode: chain.Shadow})
	g.requireUpload("dev", content)
}

func TestAGuardDecidesOnTheModelAndLimitOfALine(t *testing.T) {
	g := open(t, nil)
	guarding(t, g, chain.Link{Stage: wordGuard{word: "secret", target: "gpt-4o-mini"}})
	a := g.upload("dev", request("a", "gpt-4o", "x")+request("b", "mini", "x"))
	assert.Equal(t, 403, a.status, a.body)
	_, message := a.fault(t)
	assert.Equal(t, "line 2: no such target", message)

	guarding(t, g, chain.Link{Stage: wordGuard{word: "secret", model: "mini"}})
	g.requireUpload("dev", request("a", "gpt-4o", "x"))
	assert.Contains(t, g.vendor.last(), `"model":"gpt-4o-mini"`)
	assert.Contains(t, g.vendor.last(), `"max_completion_tokens":7`)

	guarding(t, g, chain.Link{Stage: wordGuard{word: "secret", model: "mini", target: "gpt-4o-mini"}})
	assert.Equal(t, 403, g.upload("dev", request("a", "gpt-4o", "x")).status, "the target is that of the model that the guard chose")
}

// rerouter sends one model to another one.
type rerouter struct{ from, to string }

func (r rerouter) Check(_ context.Context, x *core.Exchange, p core.Phase, _ any) (core.Verdict, error) {
	if p == core.Request && x.Head.Model == r.from {
		return core.Verdict{Action: core.Rewrite, Patch: core.Patch{Model: r.to}}, nil
	}
	return core.Verdict{Action: core.Pass}, nil
}

func TestAModelThatALinkChoseForOneLineIsNotOpenToTheNext(t *testing.T) {
	g := open(t, nil)
	guarding(t, g, chain.Link{Stage: rerouter{from: "gpt-4o", to: "closed-mini"}})
	g.requireUpload("dev", request("a", "gpt-4o", "x")+request("b", "gpt-4o", "x"))
	assert.Contains(t, g.vendor.last(), `"model":"gpt-4o-mini"`)
	for _, file := range []string{
		request("a", "gpt-4o", "x") + request("b", "closed-mini", "x"),
		request("a", "mini", "x") + request("b", "closed-mini", "x"),
	} {
		a := g.upload("dev", file)
		assert.Equal(t, 404, a.status, a.body)
		_, message := a.fault(t)
		assert.Contains(t, message, "line 2: no provider serves the requested model")
	}
}

func TestResultsPassTheGuardsOnTheirWayOut(t *testing.T) {
	g := open(t, func(o *batch.Options) { o.MaxLine = 100_000 })
	redacting(t, g, "{}")
	guarding(t, g, chain.Link{Stage: wordGuard{word: "secret"}, For: chain.Filter{Models: []string{"gpt-4o"}, Dialects: []string{"openai.chat"}}})
	file := g.requireUpload("dev", request("a", "gpt-4o", "hello "+card))
	id := g.requireBatch("dev", file)
	good, bad := result("a", "fine", 1, 1), result("b", "a s\\u0065cret", 1, 1)
	bad = strings.ReplaceAll(bad, `\\u`, `\u`)
	g.vendor.finish(good + bad + strings.Repeat("x", 250_000) + "\n" + "no JSON\n" + good)
	out := g.get("dev", "/v1/batches/"+id).json(t)["output_file_id"].(string)
	before := len(g.records())
	a := g.get("dev", "/v1/files/"+out+"/content")
	assert.Equal(t, good+
		`{"id":"batch_req_1","custom_id":"b","response":null,"error":{"code":"content_filter","message":"not this word"}}`+"\n"+
		`{"id":null,"custom_id":null,"response":null,"error":{"code":"`+core.CodeTooLarge+`","message":"the result is too long to be judged"}}`+"\n"+
		`{"id":null,"custom_id":null,"response":null,"error":{"code":"`+core.CodeUpstreamInvalid+
		`","message":"the result is not JSON, so the guards cannot judge it"}}`+"\n"+
		good, a.body)
	records := strings.Join(g.records()[before:], "\n")
	assert.Contains(t, records, audit.GatewayRequest)
	assert.Contains(t, records, `"results_withheld":3`)
	assert.Contains(t, records, `"link":"words"`)

	assert.Contains(t, g.get("dev", "/v1/files/"+file+"/content").body, card, "the client's own file is not judged")
}

func TestAResultInManyPiecesIsWithheldOnce(t *testing.T) {
	g := open(t, func(o *batch.Options) { o.MaxLine = 70_000 })
	guarding(t, g, chain.Link{Stage: wordGuard{word: "secret"}})
	id := g.requireBatch("dev", g.requireUpload("dev", request("a", "gpt-4o", "x")))
	g.vendor.finish(result("long", strings.Repeat("y", 500_000), 1, 1) + result("b", "fine", 1, 1) + result("c", strings.Repeat("z", 300_000), 1, 1))
	out := g.get("dev", "/v1/batches/"+id).json(t)["output_file_id"].(string)
	lines := strings.Split(strings.TrimSpace(g.get("dev", "/v1/files/"+out+"/content").body), "\n")
	require.Len(t, lines, 3)
	assert.Contains(t, lines[0], `"custom_id":"long","response":null`)
	assert.Equal(t, strings.TrimSpace(result("b", "fine", 1, 1)), lines[1])
	assert.Contains(t, lines[2], `"custom_id":"c","response":null`)
}
