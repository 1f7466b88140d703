package webhook

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"testing"

	"github.com/headgate-dev/headgate/plugins/remote"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/placeholder"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/sdk/webhook"
	"github.com/headgate-dev/headgate/stages/pii"
)

// vault stores values of all tenants.
type vault map[string]string

func (v vault) Mint(_ context.Context, _ *core.Exchange, _ core.Phase, typ, value string) (string, error) {
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, typ, value)
	token := placeholder.Format(typ, fmt.Sprintf("%016x", h.Sum64()))
	v[token] = value
	return token, nil
}

func (v vault) Resolve(_ context.Context, _ *core.Exchange, token string) (string, bool, error) {
	value, ok := v[token]
	return value, ok, nil
}

// watched records what a stage is shown, and then calls the stage, if there is one.
type watched struct {
	name  string
	stage core.Stage
	log   *[]string
}

func (w watched) Check(ctx context.Context, x *core.Exchange, p core.Phase, kept any) (core.Verdict, error) {
	body := &x.Request
	if p == core.Response {
		body = &x.Response
	}
	*w.log = append(*w.log, fmt.Sprintf("%s %s: %s", p, w.name, body.ReadText(0)))
	if w.stage == nil {
		return core.Verdict{Action: core.Pass}, nil
	}
	return w.stage.Check(ctx, x, p, kept)
}

// shelf returns stored answers.
type shelf map[string][]byte

func (s shelf) Check(_ context.Context, x *core.Exchange, p core.Phase, _ any) (core.Verdict, error) {
	if p == core.Response {
		s[x.Request.ReadText(0)] = bytes.Clone(x.Response.Raw)
		return core.Verdict{Action: core.Pass}, nil
	}
	if raw, ok := s[x.Request.ReadText(0)]; ok {
		return core.Verdict{Action: core.Answer, Reply: &core.Payload{Status: 200, Raw: raw}}, nil
	}
	return core.Verdict{Action: core.Pass}, nil
}

// docs/stages.md describes this example step by step.
func TestTheWorkedExampleOfThePageIsWhatHappens(t *testing.T) {
	tok, cache := vault{}, shelf{}
	personal, err := pii.New(nil, tok)
	require.NoError(t, err)
	guard := receives(t, finds(webhook.Redact)).link(t)
	var log []string
	links := []chain.Link{{Name: "pii", Stage: personal}, {Name: "webhook", Stage: guard}, {Name: "policy"}, {Name: "cache", Stage: cache}}
	for i := range links {
		links[i].Phases, links[i].Mode = remote.Phases, chain.Enforce
		links[i].Stage = watched{links[i].Name, links[i].Stage, &log}
	}
	c, err := chain.New(links, tok)
	require.NoError(t, err)

	const asked = "Write to ann@example.com about PROJECT-APOLLO"
	email, err := tok.Mint(context.Background(), nil, core.Request, "EMAIL", "ann@example.com")
	require.NoError(t, err)
	topic, err := tok.Mint(context.Background(), nil, core.Request, "PROJECT", "PROJECT-APOLLO")
	require.NoError(t, err)
	stored := "Dear " + email + ", all is well."
	ask := func() (*core.Exchange, chain.Decision) {
		log = nil
		x := request(t, `{"model":"m","messages":[{"role":"user","content":"`+asked+`"}]}`)
		return x, c.RunRequest(context.Background(), x)
	}
	answer := func(x *core.Exchange, raw string) {
		x.Response.Raw = []byte(raw)
		require.NoError(t, openai.Chat{}.ScanResponse(x))
		require.Equal(t, core.Pass, c.RunResponse(context.Background(), x).Action)
		assert.Contains(t, string(x.Response.Raw), "Dear ann@example.com, all is well.")
	}
	in := []string{
		"request pii: " + asked,
		"request webhook: Write to " + email + " about PROJECT-APOLLO",
		"request policy: Write to " + email + " about " + topic,
		"request cache: Write to " + email + " about " + topic,
	}
	x, d := ask()
	require.Equal(t, core.Pass, d.Action, "%v", d.Err)
	assert.NotContains(t, string(x.Request.Raw), "ann@")
	answer(x, `{"choices":[{"index":0,"message":{"content":"`+stored+`"}}]}`)
	assert.Equal(
		t,
		append(in[:4:4], "response cache: "+stored, "response policy: "+stored, "response webhook: "+stored, "response pii: "+stored),
		log,
	)

	x, d = ask()
	require.Equal(t, core.Answer, d.Action)
	assert.Equal(t, "cache", d.Link)
	answer(x, string(d.Reply.Raw))
	assert.Equal(
		t,
		append(in[:4:4], "response policy: "+stored, "response webhook: "+stored, "response pii: "+stored),
		log,
		"a hit is judged and restored, and not stored again",
	)
	for _, raw := range cache {
		assert.NotContains(t, string(raw), "ann@", "no restored value is stored")
	}
}
