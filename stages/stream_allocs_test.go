package stages_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/gateway/replay"
	"github.com/headgate-dev/headgate/stages"
)

// Once its buffers have grown, a stream allocates nothing for a delta: what is judged, held and released lies in buffers of the
// exchange. Windows of the guardrail, which end every few hundred characters, are part of it.
func TestADeltaOfAStreamIsJudgedWithoutAllocating(t *testing.T) {
	if raceDetector {
		t.Skip("under the race detector a pool drops things now and then")
	}
	host := stages.Host{Tokens: replay.Tokens{Key: []byte("key")}}
	for _, names := range [][]string{{"pii"}, {"pii", "cache"}, {"pii", "guardrail", "cache"}} {
		t.Run(fmt.Sprint(names), func(t *testing.T) {
			var links []chain.Link
			for _, name := range names {
				st, err := stages.New(name, yamlBlock("{}"), host)
				require.NoError(t, err)
				links = append(links, chain.Link{Name: name, Stage: st, Phases: stages.FindPhases(name), Mode: chain.Enforce})
			}
			ch, err := chain.New(links, host.Tokens)
			require.NoError(t, err)
			ctx := t.Context()
			run := func(question string) float64 {
				x := &core.Exchange{ID: "x", Dialect: openai.ChatName, Principal: &core.Principal{Tenant: "t", KeyID: "k"}}
				x.Request.Raw = []byte(`{"model":"m","stream":true,"messages":[{"role":"user","content":"Tell me about ` + question + `, please."}]}`)
				require.Nil(t, openai.Chat{}.Scan(x))
				require.Equal(t, core.Pass, ch.RunRequest(ctx, x).Action)
				s, e := ch.Stream(ctx, x, openai.Chat{})
				require.Nil(t, e)
				defer s.Close(ctx)
				raw := []byte(`data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"some words of an answer, "},"finish_reason":null}]}` + "\n\n")
				var ev core.Event
				var out []byte
				event := func() {
					ev.Reset(raw)
					require.NoError(t, openai.Chat{}.ScanEvent(x, &ev))
					var e *core.Error
					if out, e = s.RunEvent(ctx, &ev, out[:0]); e != nil {
						panic(e)
					}
				}
				for range 200 {
					event()
				}
				return testing.AllocsPerRun(200, event)
			}
			run("masts") // the cache's buffers
			assert.Zero(t, run("sails"), "allocations of a delta")
		})
	}
}
