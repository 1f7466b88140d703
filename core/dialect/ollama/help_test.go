package ollama

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
)

func llama() core.Traits {
	return core.Traits{Model: "llama3.2", Label: "Ollama", Effort: true, Penalties: true, Seed: true, Logprobs: true}
}

func file(t testing.TB, name string) []byte {
	b, err := os.ReadFile("testdata/" + name)
	require.NoError(t, err)
	return b
}

// collect decodes a stream that arrives in pieces of n bytes; 0: in one.
func collect(stream []byte, n int) (out []llm.Event, err error) {
	d := ChatWire{}.DecodeStream()
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

func newOpened(p llm.Part) llm.Event { return llm.Event{Kind: llm.Opened, Part: p} }
func delta(text string) llm.Event    { return llm.Event{Kind: llm.Delta, Text: text} }
func calls(c llm.Call) llm.Part      { return llm.Part{Kind: llm.CallPart, Call: &c} }
func result(r llm.Result) llm.Part   { return llm.Part{Kind: llm.ResultPart, Result: &r} }
func user(p ...llm.Part) llm.Message { return llm.Message{Role: llm.User, Parts: p} }
func model(p ...llm.Part) llm.Message {
	return llm.Message{Role: llm.Assistant, Parts: p}
}
