package openai

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/sse"
	"github.com/headgate-dev/headgate/core/dialect/wire"
	"github.com/headgate-dev/headgate/core/llm"
)

// FuzzDecodedRequestsAreEncodedAsJSONThatIsTakenBack translates whatever can be
// scanned, and translates the result once more.
func FuzzDecodedRequestsAreEncodedAsJSONThatIsTakenBack(f *testing.F) {
	for _, s := range append(seeds, roundTrips...) {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		x, e := scanRequest(string(body))
		if e != nil {
			return
		}
		r, e := Chat{}.Decode(x)
		if e != nil {
			require.Equal(t, 400, e.HTTPStatus())
			return
		}
		for _, traits := range []core.Traits{everyTrait, {Model: "m"}} {
			out, e := ChatWire{}.EncodeRequest(nil, r, traits)
			if e != nil {
				continue
			}
			require.True(t, json.Valid(out), "%s", out)
			y, e := scanRequest(string(out))
			require.Nil(t, e, "%v: %s", e, out)
			_, e = Chat{}.Decode(y)
			require.Nil(t, e, "%v: %s", e, out)
		}
	})
}

// FuzzStreamsDecodeAlikeHoweverTheyAreCut also writes what is decoded for clients
// of both shapes, whose scans must take it.
func FuzzStreamsDecodeAlikeHoweverTheyAreCut(f *testing.F) {
	for _, body := range wireTranscripts(f) {
		f.Add(body, uint16(9), uint16(500))
	}
	f.Add([]byte("data: {\"choices\":[{\"delta\":{\"tool_calls\":[{},{\"id\":\"a\"}]}}]}\n\ndata:{\"error\":{}}\n\n"), uint16(1), uint16(2))
	f.Fuzz(func(t *testing.T, body []byte, a, b uint16) {
		i, j := int(a)%(len(body)+1), int(b)%(len(body)+1)
		whole, err := decodeStream(ChatWire{}.DecodeStream(), body)
		cut, err2 := decodeStream(ChatWire{}.DecodeStream(), body, min(i, j), max(i, j))
		require.Equal(t, err == nil, err2 == nil)
		require.Equal(t, whole, cut)
		for _, d := range []wire.Translator{Chat{}, Completions{}} {
			dec, enc := ChatWire{}.DecodeStream(), d.EncodeStream(&llm.Request{Model: "m", Logprobs: a%2 == 0})
			var out []byte
			_ = dec.Decode(body, func(ev *llm.Event) error {
				out = enc.Append(out, ev)
				return nil
			})
			var s sse.Splitter
			require.NoError(t, s.Write(out))
			x := &core.Exchange{}
			var ev core.Event
			for raw := s.Next(); raw != nil; raw = s.Next() {
				ev.Reset(raw)
				require.NoError(t, d.ScanEvent(x, &ev), "%s", raw)
			}
			require.Empty(t, s.Rest())
		}
	})
}

func FuzzWholeAnswersAreWrittenAsTheirShapesTakeThem(f *testing.F) {
	f.Add(
		[]byte(
			`{"choices":[{"message":{"content":"a","reasoning":"b","tool_calls":[{"id":"1","type":"custom","custom":{"name":"c","input":"x"}}]},"logprobs":{"content":[{"token":"a","logprob":-1}]},"finish_reason":"stop"}],"usage":{"prompt_tokens":1}}`,
		),
	)
	f.Add(answer(100))
	f.Fuzz(func(t *testing.T, body []byte) {
		_, _ = ChatWire{}.ReadError(body)
		a, err := ChatWire{}.DecodeResponse(body)
		if err != nil {
			return
		}
		for _, d := range []wire.Translator{Chat{}, Completions{}} {
			x := &core.Exchange{}
			x.Response.Raw = d.Encode(nil, &llm.Request{Model: "m"}, a)
			require.NoError(t, d.ScanResponse(x), "%s", x.Response.Raw)
			for i := range x.Response.Segments {
				_ = x.Response.ReadText(i)
			}
		}
	})
}

func FuzzCompletionsAndEmbeddingsNeverPanic(f *testing.F) {
	f.Add([]byte(`{"model":"m","prompt":["a","b"],"logprobs":1,"stop":["x"],"stream":true,"stream_options":{}}`))
	f.Add([]byte(`{"model":"m","input":["a",""],"encoding_format":"base64"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		if x, e := scanWith(Completions{}, string(body)); e == nil {
			n := Completions{}.CountPrompts(x)
			r, e := Completions{}.DecodePrompt(x, n-1)
			require.Nil(t, e)
			out, e := ChatWire{}.EncodeRequest(nil, r, everyTrait)
			require.Nil(t, e)
			_, e = scanRequest(string(out))
			require.Nil(t, e, "%v: %s", e, out)
		}
		if x, e := scanWith(Embeddings{}, string(body)); e == nil {
			_, e = Embeddings{}.AppendForwardCuts(x, core.Traits{Model: "n"}, nil)
			require.Nil(t, e)
		}
		x := &core.Exchange{}
		x.Response.Raw = body
		_ = Completions{}.ScanResponse(x)
		_ = Embeddings{}.ScanResponse(x)
		_ = Completions{}.AppendDelta(nil, []byte("data: "+strings.ReplaceAll(string(body), "\n", "")+"\n\n"), core.Part{}, "x")
	})
}
