package bedrock

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
)

const label = "Amazon Bedrock"

func claude() core.Traits {
	return core.Traits{Model: "us.anthropic.claude-sonnet-4-5-20250929-v1:0", Label: label, Effort: true, ResultImages: true}
}

func file(t testing.TB, name string) []byte {
	b, err := os.ReadFile("testdata/" + name)
	require.NoError(t, err)
	return b
}

// frame builds one frame as the AWS SDK does.
func frame(t testing.TB, headers map[string]string, payload string) []byte {
	m := eventstream.Message{Payload: []byte(payload)}
	for _, k := range []string{":event-type", ":exception-type", ":error-code", ":error-message", ":content-type", ":message-type"} {
		if v, ok := headers[k]; ok {
			m.Headers.Set(k, eventstream.StringValue(v))
		}
	}
	var b bytes.Buffer
	require.NoError(t, eventstream.NewEncoder().Encode(&b, m))
	return b.Bytes()
}

// frames builds the stream that a file of events describes.
func frames(t testing.TB, name string) (stream []byte) {
	for line := range strings.Lines(string(file(t, name))) {
		kind, payload, _ := strings.Cut(strings.TrimSpace(line), " ")
		headers := map[string]string{":event-type": kind, ":content-type": "application/json", ":message-type": "event"}
		if name, ok := strings.CutPrefix(kind, "!"); ok {
			headers = map[string]string{":exception-type": name, ":content-type": "application/json", ":message-type": "exception"}
		}
		stream = append(stream, frame(t, headers, payload)...)
	}
	return stream
}

// collect decodes a stream that arrives in pieces of n bytes; 0: in one. Deltas of
// a part are joined, so that pieces can be compared.
func collect(stream []byte, n int) (out []llm.Event, err error) {
	d := ConverseWire{}.DecodeStream()
	emit := func(ev *llm.Event) error {
		out = append(out, *ev)
		return nil
	}
	if n == 0 {
		n = max(len(stream), 1)
	}
	for at := 0; at < len(stream) && err == nil; at += n {
		piece := append([]byte(nil), stream[at:min(at+n, len(stream))]...)
		err = d.Decode(piece, emit)
		clear(piece) // what is kept of it must be a copy
	}
	if err == nil {
		err = d.Close(emit)
	}
	return out, err
}

func newOpened(p llm.Part) llm.Event   { return llm.Event{Kind: llm.Opened, Part: p} }
func delta(text string) llm.Event      { return llm.Event{Kind: llm.Delta, Text: text} }
func call(c llm.Call) llm.Part         { return llm.Part{Kind: llm.CallPart, Call: &c} }
func result(r llm.Result) llm.Part     { return llm.Part{Kind: llm.ResultPart, Result: &r} }
func thought(g llm.Reasoning) llm.Part { return llm.Part{Kind: llm.ReasoningPart, Reasoning: &g} }
func user(p ...llm.Part) llm.Message   { return llm.Message{Role: llm.User, Parts: p} }
func model(p ...llm.Part) llm.Message  { return llm.Message{Role: llm.Assistant, Parts: p} }
func tool(p ...llm.Part) llm.Message   { return llm.Message{Role: llm.ToolRole, Parts: p} }
