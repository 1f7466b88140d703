package chain_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/sse"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/dialect/openai"
)

// sent is what a client got of a stream.
type sent struct {
	out   string            // all bytes
	after []int             // how many bytes were sent after each event
	texts []string          // choice 0's content after each event
	parts map[string]string // the text of each part, by choice and field
	order []string          // the parts in the order in which text for them came
	err   *core.Error
	x     *core.Exchange
}

// stream runs events through a chain, as the proxy does.
func stream(t testing.TB, c *chain.Chain, events []string) *sent {
	t.Helper()
	r := &sent{x: newRequest(t, `{"model":"m","stream":true,"messages":[{"role":"user","content":"hello"}]}`)}
	require.Equal(t, core.Pass, c.RunRequest(context.Background(), r.x).Action)
	d := openai.Chat{}
	s, e := c.Stream(context.Background(), r.x, d)
	defer s.Close(context.Background())
	r.err = e
	var out []byte
	var ev core.Event
	done := false
	for _, raw := range events {
		if r.err != nil {
			break
		}
		ev.Reset([]byte(raw))
		require.NoError(t, d.ScanEvent(r.x, &ev), raw)
		done = ev.Done
		out, r.err = s.RunEvent(context.Background(), &ev, out)
		r.after = append(r.after, len(out))
		text, _ := read(t, string(out))
		r.texts = append(r.texts, text["0.content"])
	}
	if r.err == nil && !done {
		out, r.err = s.End(context.Background(), out)
	}
	r.out = string(out)
	r.parts, r.order = read(t, r.out)
	return r
}

// read puts the texts of a stream together as a client does.
func read(t testing.TB, out string) (parts map[string]string, order []string) {
	t.Helper()
	var s sse.Splitter
	require.NoError(t, s.Write([]byte(out)))
	parts = map[string]string{}
	add := func(key, text string) {
		parts[key] += text
		if text != "" && (len(order) == 0 || order[len(order)-1] != key) {
			order = append(order, key)
		}
	}
	for raw := s.Next(); raw != nil; raw = s.Next() {
		lo, hi, n := sse.FindData(raw)
		if n != 1 || hi == lo || string(raw[lo:hi]) == "[DONE]" {
			continue
		}
		var v struct {
			Choices []struct {
				Index int
				Delta struct {
					Content, Refusal, Reasoning string
					ReasoningContent            string `json:"reasoning_content"`
					ToolCalls                   []struct {
						Index    int
						Function struct{ Arguments string }
						Custom   struct{ Input string }
					} `json:"tool_calls"`
				}
			}
		}
		require.NoError(t, json.Unmarshal(raw[lo:hi], &v), "each event that is sent is JSON: %s", raw)
		for _, c := range v.Choices {
			key := func(f string) string { return fmt.Sprintf("%d.%s", c.Index, f) }
			add(key("content"), c.Delta.Content)
			add(key("refusal"), c.Delta.Refusal)
			add(key("reasoning"), c.Delta.Reasoning)
			add(key("reasoning_content"), c.Delta.ReasoningContent)
			for _, call := range c.Delta.ToolCalls {
				add(key(fmt.Sprintf("args%d", call.Index)), call.Function.Arguments)
				add(key(fmt.Sprintf("input%d", call.Index)), call.Custom.Input)
			}
		}
	}
	require.Empty(t, s.Rest())
	return parts, order
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// chunk is an event with a delta for a choice.
func chunk(choice int, delta, finish string) string {
	return fmt.Sprintf(
		`data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":%d,"delta":{%s},"finish_reason":%s}]}`+"\n\n",
		choice,
		delta,
		finish,
	)
}

func contentOf(choice int, text string) string {
	return chunk(choice, `"content":`+quote(text), "null")
}

func argsOf(call int, text string) string {
	return chunk(0, fmt.Sprintf(`"tool_calls":[{"index":%d,"function":{"arguments":%s}}]`, call, quote(text)), "null")
}

const doneEvent = "data: [DONE]\n\n"

// chunks is a whole stream of content.
func chunks(pieces ...string) []string {
	var events []string
	for _, p := range pieces {
		events = append(events, contentOf(0, p))
	}
	return append(events, chunk(0, "", `"stop"`), doneEvent)
}

// upper is a filter that writes everything in capitals at once.
func upper(w core.Window) (core.Verdict, int, error) {
	return core.Verdict{
		Action: core.Rewrite,
		Edits:  []core.Edit{{Start: w.Sent, End: len(w.Text), With: strings.ToUpper(w.Text[w.Sent:])}},
	}, 0, nil
}
