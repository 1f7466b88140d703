package openai

import (
	"bytes"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/sse"
	"github.com/headgate-dev/headgate/core/llm"
)

// decodeResponsesStream reads a stream in the pieces that it comes in.
func decodeResponsesStream(t testing.TB, pieces ...[]byte) (out string, events []llm.Event) {
	t.Helper()
	d := ResponsesWire{}.DecodeStream()
	var b strings.Builder
	emit := func(ev *llm.Event) error {
		b.WriteString(neutral(ev))
		events = append(events, *ev)
		return nil
	}
	for _, p := range pieces {
		require.NoError(t, d.Decode(p, emit))
	}
	require.NoError(t, d.Close(emit))
	return b.String(), events
}

func TestAResponsesStreamIsDecodedTheSameHoweverItIsCut(t *testing.T) {
	transcripts(t, func(t *testing.T, name string, body []byte) {
		want, _ := decodeResponsesStream(t, body)
		compareGolden(t, filepath.Join("responses", name+".decoded.txt"), []byte(want))
		for i := 0; i < len(body); i += 5 { // each place is cut below
			got, _ := decodeResponsesStream(t, body[:i], body[i:])
			require.Equal(t, want, got, "cut at %d", i)
		}
		got, _ := decodeResponsesStream(t, bytes.SplitAfter(body, nil)...)
		require.Equal(t, want, got, "byte by byte")
		for seed := range uint64(20) {
			r := rand.New(rand.NewPCG(seed, 2))
			var pieces [][]byte
			for rest := body; len(rest) > 0; {
				n := min(1+r.IntN(200), len(rest))
				pieces, rest = append(pieces, rest[:n]), rest[n:]
			}
			got, _ := decodeResponsesStream(t, pieces...)
			require.Equal(t, want, got)
		}
		got, _ = decodeResponsesStream(t, bytes.TrimRight(body, "\r\n"))
		require.Equal(t, want, got, "without the last blank line")
		got, _ = decodeResponsesStream(t, []byte(": hello\n\n"), body)
		require.Equal(t, want, got, "behind a comment")
		if name != "crlf" {
			got, _ = decodeResponsesStream(t, bytes.ReplaceAll(body, []byte("\n"), []byte("\r\n")))
			require.Equal(t, want, got, "with CR LF")
			got, _ = decodeResponsesStream(t, bytes.ReplaceAll(body, []byte(`,"sequence_number"`), []byte("\ndata: ,\"sequence_number\"")))
			require.Equal(t, want, got, "with several data lines")
		}
	})
}

func TestAResponsesStreamThatWasCutOffGivesNoEnd(t *testing.T) {
	transcripts(t, func(t *testing.T, _ string, body []byte) {
		for i := 0; i < len(body)-40; i += 7 {
			_, events := decodeResponsesStream(t, body[:i])
			for k := range events {
				require.NotEqual(t, llm.Ended, events[k].Kind, "cut at %d", i)
			}
		}
	})
}

func TestItemsThatAreOnlyToldWholeAreToldOnce(t *testing.T) {
	const item = `{"type":"function_call","id":"fc","call_id":"c","name":"f","arguments":"{\"a\":1}"}`
	const done = `data: {"type":"response.output_item.done","output_index":0,"item":` + item + "}\n\n"
	const completed = `data: {"type":"response.completed","response":{"id":"r","status":"completed","output":[` + item + `]}}` + "\n\n"
	want, _ := decodeResponsesStream(t, []byte(`data: {"type":"response.created","response":{"id":"r"}}`+"\n\n"+done+completed))
	assert.Equal(t, 1, strings.Count(want, `{\"a\":1}`))
	got, _ := decodeResponsesStream(t, []byte(completed))
	assert.Equal(t, want, got, "in the last event alone")
	got, _ = decodeResponsesStream(t, []byte(`data: {"type":"response.created","response":{"id":"r"}}`+"\n\n"+
		`data: {"type":"response.output_item.added","output_index":0,"item":`+strings.Replace(item, `{\"a\":1}`, "", 1)+"}\n\n"+done+completed))
	assert.Equal(t, want, got, "announced, but without pieces")
}

func TestAnEventThatIsNoJSONIsTheProvidersFault(t *testing.T) {
	for _, s := range []string{"data: {\n\n", "data: x\n\n", "data: []\n\n", "data: {\"type\":\"a\"}{}\n\n"} {
		d := ResponsesWire{}.DecodeStream()
		assert.Error(t, d.Decode([]byte(s), func(*llm.Event) error { return nil }), s)
	}
}

func TestAnEncodedStreamIsOneOfTheShape(t *testing.T) {
	transcripts(t, func(t *testing.T, name string, body []byte) {
		want, events := decodeResponsesStream(t, body)
		e := Responses{}.EncodeStream(&llm.Request{Model: "m"})
		var out []byte
		for i := range events {
			out = e.Append(out, &events[i])
		}
		compareGolden(t, filepath.Join("responses", name+".encoded.sse"), out)
		got, _ := decodeResponsesStream(t, out)
		assert.Equal(t, texts(want), texts(got), "it decodes to what it was made of")

		var s sse.Splitter
		require.NoError(t, s.Write(out))
		x := &core.Exchange{}
		var ev core.Event
		done := false
		seen := map[core.Part]string{}
		for raw := s.Next(); raw != nil; raw = s.Next() {
			ev.Reset(raw)
			require.NoError(t, Responses{}.ScanEvent(x, &ev))
			done = done || ev.Done || ev.Failed
			for _, d := range ev.Deltas {
				seen[d.Part] += string(raw[d.Span.Start:d.Span.End])
			}
			for _, w := range ev.Wholes {
				if text, ok := seen[w.Part]; ok {
					assert.Equal(t, text, string(raw[w.Span.Start:w.Span.End]), "a whole repeats its pieces: %s", raw)
				}
			}
		}
		assert.Empty(t, s.Rest())
		assert.True(t, done, "the stream has its end")
	})
}

// texts omits what each gateway chooses differently: ids of items and what is sealed.
func texts(s string) string {
	var out []string
	for _, line := range strings.Split(s, "\n") {
		if strings.Contains(line, "reasoning {") {
			line = "reasoning"
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}
