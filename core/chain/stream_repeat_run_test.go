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

// repeated is what a client got of a stream that repeats its texts.
type repeated struct {
	out    string
	pieces map[string]string   // the texts put together from their pieces
	wholes map[string][]string // the texts as they were repeated
	so     []map[string]string // the pieces after each event
	err    *core.Error
}

// repeat runs events of the Responses shape through a chain, as the proxy does.
func repeat(t testing.TB, c *chain.Chain, d core.Dialect, events []string) *repeated {
	t.Helper()
	x := &core.Exchange{Dialect: d.Name()}
	x.Request.Raw = []byte(`{"model":"m","stream":true,"input":"hello"}`)
	require.Nil(t, d.Scan(x))
	require.Equal(t, core.Pass, c.RunRequest(context.Background(), x).Action)
	s, e := c.Stream(context.Background(), x, d)
	defer s.Close(context.Background())
	require.Nil(t, e)
	r := &repeated{}
	var out []byte
	var ev core.Event
	for _, raw := range events {
		ev.Reset([]byte(raw))
		require.NoError(t, d.ScanEvent(x, &ev), raw)
		if out, r.err = s.RunEvent(context.Background(), &ev, out); r.err != nil {
			break
		}
		r.read(t, string(out))
		r.so = append(r.so, r.pieces)
	}
	r.read(t, string(out))
	return r
}

// responsesItem is an item as far as it has text.
type responsesItem struct {
	Content   []responsesPart
	Summary   []responsesPart
	Arguments any
	Input     string
}

type responsesPart struct{ Text, Refusal string }

func (r *repeated) read(t testing.TB, out string) {
	r.out, r.pieces, r.wholes = out, map[string]string{}, map[string][]string{}
	var s sse.Splitter
	require.NoError(t, s.Write([]byte(out)))
	for raw := s.Next(); raw != nil; raw = s.Next() {
		lo, hi, _ := sse.FindData(raw)
		var v struct {
			Type    string
			Output  int    `json:"output_index"`
			ItemID  string `json:"item_id"`
			Content int    `json:"content_index"`
			Summary int    `json:"summary_index"`
			Delta   string
			responsesPart
			Arguments, Input string
			Part             *responsesPart
			Item             *responsesItem
			Response         struct{ Output []responsesItem }
		}
		require.NoError(t, json.Unmarshal(raw[lo:hi], &v), "each event that is sent is JSON: %s", raw)
		require.Equal(t, "event: "+v.Type+"\n", string(raw[:strings.IndexByte(string(raw), '\n')+1]))
		key := fmt.Sprintf("%d.%d", v.Output, v.Content+v.Summary)
		switch {
		case strings.HasSuffix(v.Type, ".delta"):
			require.Equal(t, fmt.Sprintf("item%d", v.Output), v.ItemID, "%s", raw)
			r.pieces[key] += v.Delta
		case v.Type == "response.completed":
			for i := range v.Response.Output {
				r.item(i, &v.Response.Output[i])
			}
		case v.Type == "response.output_item.done":
			r.item(v.Output, v.Item)
		case v.Part != nil && strings.HasSuffix(v.Type, ".done"):
			r.recordWhole(key, v.Part.Text+v.Part.Refusal)
		case strings.HasSuffix(v.Type, ".done"):
			r.recordWhole(key, v.Text+v.Refusal+v.Arguments+v.Input)
		}
	}
}

func (r *repeated) recordWhole(key, text string) { r.wholes[key] = append(r.wholes[key], text) }

func (r *repeated) item(i int, it *responsesItem) {
	for n, p := range append(it.Content, it.Summary...) {
		r.recordWhole(fmt.Sprintf("%d.%d", i, n), p.Text+p.Refusal)
	}
	if args, ok := it.Arguments.(string); ok || it.Input != "" {
		r.recordWhole(fmt.Sprintf("%d.0", i), args+it.Input)
	}
}

// says is a part of a stream: its kind, and its text in pieces.
type says struct {
	kind   string // output_text, refusal, reasoning_summary_text, function_call_arguments, custom_tool_call_input
	pieces []string
}

func (s says) text() string { return strings.Join(s.pieces, "") }

// item is the whole item that the part is of.
func (s says) item(i int) string {
	text := quote(s.text())
	switch s.kind {
	case "output_text":
		return fmt.Sprintf(
			`{"id":"item%d","type":"message","role":"assistant","content":[{"type":"output_text","text":%s,"logprobs":[],"annotations":[]}]}`,
			i,
			text,
		)
	case "refusal":
		return fmt.Sprintf(`{"id":"item%d","type":"message","role":"assistant","content":[{"type":"refusal","refusal":%s}]}`, i, text)
	case "reasoning_summary_text":
		return fmt.Sprintf(
			`{"id":"item%d","type":"reasoning","summary":[{"type":"summary_text","text":%s}],"encrypted_content":"12345678"}`,
			i,
			text,
		)
	case "function_call_arguments":
		return fmt.Sprintf(`{"id":"item%d","type":"function_call","call_id":"c","name":"f","arguments":%s}`, i, text)
	}
	return fmt.Sprintf(`{"id":"item%d","type":"custom_tool_call","call_id":"c","name":"f","input":%s}`, i, text)
}

// event is one event of the Responses shape.
func event(typ, rest string) string {
	return "event: response." + typ + "\ndata: {\"type\":\"response." + typ + "\"," + rest + "}\n\n"
}

// toldIn is a whole stream that says these parts, an item each.
func toldIn(parts ...says) (events []string) {
	events = []string{event("created", `"response":{"id":"r","output":[]}`)}
	var items []string
	for i, p := range parts {
		items = append(items, p.item(i))
		field := map[string]string{"output_text": "text", "refusal": "refusal", "reasoning_summary_text": "text", "function_call_arguments": "arguments", "custom_tool_call_input": "input"}[p.kind]
		at := fmt.Sprintf(`"item_id":"item%d","output_index":%d`, i, i)
		switch p.kind {
		case "output_text", "refusal":
			at += `,"content_index":0`
		case "reasoning_summary_text":
			at += `,"summary_index":0`
		}
		for _, piece := range p.pieces {
			events = append(events, event(p.kind+".delta", at+`,"delta":`+quote(piece)))
		}
		events = append(events, event(p.kind+".done", at+`,"`+field+`":`+quote(p.text())))
		if p.kind == "output_text" {
			events = append(events, event("content_part.done", at+`,"part":{"type":"output_text","text":`+quote(p.text())+`}`))
		}
		events = append(events, event("output_item.done", fmt.Sprintf(`"output_index":%d,"item":%s`, i, p.item(i))))
	}
	return append(events, event("completed", `"response":{"id":"r","output":[`+strings.Join(items, ",")+`]}`))
}

// wholeParts is what a whole answer with these parts becomes.
func wholeParts(t testing.TB, c *chain.Chain, parts ...says) (map[string][]string, *core.Error) {
	x := &core.Exchange{}
	x.Request.Raw = []byte(`{"model":"m","input":"hello"}`)
	require.Nil(t, openai.Responses{}.Scan(x))
	require.Equal(t, core.Pass, c.RunRequest(context.Background(), x).Action)
	var items []string
	for i, p := range parts {
		items = append(items, p.item(i))
	}
	x.Response.Raw = []byte(`{"id":"r","output":[` + strings.Join(items, ",") + `]}`)
	require.NoError(t, openai.Responses{}.ScanResponse(x))
	if d := c.RunResponse(context.Background(), x); d.Action == core.Block {
		return nil, d.Err
	}
	r := &repeated{}
	r.read(t, "event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":"+string(x.Response.Raw)+"}\n\n")
	return r.wholes, nil
}
