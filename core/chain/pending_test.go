package chain_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/dialect/anthropic"
	"github.com/headgate-dev/headgate/core/dialect/openai"
)

// relay sends events through a chain and returns what the client is sent after each.
func relay(t *testing.T, c *chain.Chain, d core.Dialect, body string, events []string) (after []string) {
	t.Helper()
	x := &core.Exchange{Dialect: d.Name()}
	x.Request.Raw = []byte(body)
	require.Nil(t, d.Scan(x))
	require.Equal(t, core.Pass, c.RunRequest(context.Background(), x).Action)
	s, e := c.Stream(context.Background(), x, d)
	require.Nil(t, e)
	defer s.Close(context.Background())
	var ev core.Event
	for _, raw := range events {
		ev.Reset([]byte(raw))
		require.NoError(t, d.ScanEvent(x, &ev))
		out, e := s.RunEvent(context.Background(), &ev, nil)
		require.Nil(t, e)
		after = append(after, string(out))
	}
	out, e := s.End(context.Background(), nil)
	require.Nil(t, e)
	return append(after, string(out))
}

const chatAsk = `{"model":"m","stream":true,"messages":[{"role":"user","content":"hello"}]}`

func TestToolArgumentsThatNobodyChangesLeaveInTheEventsThatTheyCameIn(t *testing.T) {
	passing := func(core.Window) (core.Verdict, int, error) { return core.Verdict{Action: core.Pass}, 0, nil }
	chains := map[string]*chain.Chain{
		"a link that only looks": newChain(t, vault{}, link("look", (&guard{filter: func(*core.Exchange, any) (core.StreamFilter, error) {
			return filterFunc(passing), nil
		}}))),
		"a link that redacts": redactingChain(t),
	}
	for name, c := range chains {
		for _, args := range []string{
			`{"a":12345,"b":-1.5e10,"c":[1,23,456],"d":"x\n\u00e9\ud83d\ude00y"}`,
			`{"very long":` + strings.Repeat("9", 90) + `}`,
			`12345`,
		} {
			for _, pieces := range argChoppings(args) {
				events := []string{chunk(0, `"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"f","arguments":""}}]`, "null")}
				for i, p := range pieces {
					events = append(events, argsOf(0, p))
					if i%3 == 1 {
						events = append(events, ":\n\n")
					}
				}
				if args == `12345` { // it ends with the call only
					got := relay(t, c, openai.Chat{}, chatAsk, append(events, chunk(0, "", `"tool_calls"`), doneEvent))
					assert.Contains(t, strings.Join(got, ""), "5")
					continue
				}
				events = append(events, chunk(0, "", `"tool_calls"`), doneEvent)
				got := relay(t, c, openai.Chat{}, chatAsk, events)
				require.Equal(t, strings.Join(events, ""), strings.Join(got, ""), "%s: %q", name, pieces)
			}
		}
	}
}

func TestNumbersOfParallelCallsThatComeInTurnsAreWhole(t *testing.T) {
	r := stream(t, redactingChain(t), []string{
		argsOf(0, `{"a":12`), argsOf(1, `{"b":34`), argsOf(0, `3,"c":1234`), argsOf(1, `5}`), argsOf(0, `5678}`), chunk(0, "", `"tool_calls"`), doneEvent,
	})
	require.Nil(t, r.err)
	assert.Regexp(t, `^\{"a":123,"c":"\{\{PII_NUMBER_\w+\}\}"\}$`, r.parts["0.args0"])
	assert.JSONEq(t, `{"b":345}`, r.parts["0.args1"])
}

func TestAnEventThatWaitsForTheEndOfANumberLeavesWithTheNext(t *testing.T) {
	events := []string{argsOf(0, `{"a":4`), argsOf(0, `2}`)}
	got := relay(t, redactingChain(t), openai.Chat{}, chatAsk, events)
	assert.Equal(t, []string{"", events[0] + events[1], ""}, got)
}

func TestInputOfToolsInMessagesLeavesInTheEventsThatItCameIn(t *testing.T) {
	const head = "event: content_block_delta\ndata: "
	events := []string{
		"event: message_start\ndata: " + `{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":1,"output_tokens":1}}}` + "\n\n",
		"event: content_block_start\ndata: " + `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_1","name":"f","input":{}}}` + "\n\n",
		head + `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\": 4"}}` + "\n\n",
		"event: ping\ndata: " + `{"type":"ping"}` + "\n\n",
		head + `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"2"}}` + "\n\n",
		head + `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":", \"b\": 1"}}` + "\n\n",
		head + `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"}"}}` + "\n\n",
		"event: content_block_stop\ndata: " + `{"type":"content_block_stop","index":0}` + "\n\n",
		"event: message_delta\ndata: " + `{"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":9}}` + "\n\n",
		"event: message_stop\ndata: " + `{"type":"message_stop"}` + "\n\n",
	}
	got := relay(t, redactingChain(t), anthropic.Messages{}, `{"model":"m","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"hello"}]}`, events)
	assert.Equal(t, strings.Join(events, ""), strings.Join(got, ""))
}
