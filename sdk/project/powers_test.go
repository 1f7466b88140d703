package project

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/spending"
	"github.com/headgate-dev/headgate/core/records/state"
	"github.com/headgate-dev/headgate/plugins/foreign"
	"github.com/headgate-dev/headgate/wasm"
)

const powersManifest = `name: x
kind: stage
phases: [request, response]
capabilities: [state, patch, notify, call, restore]
reads: {fields: [address]}
`

// answering is an upstream and a vault with one value.
type answering struct{ asked []string }

func (a *answering) Call(_ context.Context, c *foreign.Call) (int, []byte, error) {
	a.asked = append(a.asked, c.Upstream+" "+c.Path+" "+string(c.Body))
	return 207, []byte("fine"), nil
}

func (*answering) Mint(context.Context, *core.Exchange, core.Phase, string, string) (string, error) {
	return "", nil
}

func (*answering) Resolve(_ context.Context, _ *core.Exchange, token string) (string, bool, error) {
	return "Ann", token == "{{PII_NAME_0123456789abcdef}}", nil
}

// What only some stages use works in each language: the samples use little of it.
func TestAStageUsesThePowersInEveryLanguage(t *testing.T) {
	for _, lang := range Languages() {
		t.Run(lang, func(t *testing.T) {
			p, with := trial(t, lang, "stage", "powers", powersManifest), new(answering)
			var told []spending.Notice
			st, err := wasm.NewPlugin(p.load(t, ""), wasm.Options{
				Link: "link", State: state.NewMemory(state.Options{}),
				Grant: foreign.Grant{Scopes: []string{"shared:team"}, Upstreams: []string{"guard"}},
				Services: foreign.Services{
					Calls: with, Tokens: with,
					Notify: func(_ context.Context, n spending.Notice) { told = append(told, n) },
					Reply: func(_ *core.Exchange, body []byte) (*core.Payload, error) {
						return &core.Payload{Status: 200, Raw: body}, nil
					},
				},
			})
			require.NoError(t, err)
			defer func() { assert.NoError(t, st.Close(t.Context())) }()

			x := newRequest(core.Head{Model: "m"}, "acme")
			v, err := st.Check(t.Context(), x, core.Request, nil)
			require.NoError(t, err)
			require.Len(t, v.Header, 1)
			assert.Equal(t, "fine", v.Header[0].Value)
			assert.Equal(t, "other-model", v.Patch.Model)
			assert.Equal(t, []core.Finding{{Label: "team.limit", Kind: core.FoundPolicy, Score: 1}}, v.Findings)
			assert.Equal(t, []string{"guard /v1/x?a=b hi"}, with.asked)
			assert.Len(t, told, 1)

			v, err = st.Check(t.Context(), x, core.Response, nil)
			require.NoError(t, err)
			require.Equal(t, core.Retry, v.Action)
			require.Len(t, v.Append, 1)
			assert.Equal(t, "ask Ann", v.Append[0].Parts[0].Text)

			x = newRequest(core.Head{Model: "m"}, "acme")
			x.Request.Peer = "192.0.2.7"
			v, err = st.Check(t.Context(), x, core.Request, nil)
			require.NoError(t, err)
			require.Equal(t, core.Answer, v.Action)
			assert.Equal(t, "192.0.2.7", string(v.Reply.Raw))
		})
	}
}
