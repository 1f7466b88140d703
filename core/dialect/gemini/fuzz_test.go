package gemini

import (
	"encoding/json"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/llm"
)

var seeds = []string{
	bodyOfEverything,
	requestOfEverything,
	withConfig(`"max_output_tokens":"5","topP":null`),
	withField(`"generationConfig":null`),
	withField(`"generation_config":{}`),
	withField(`"model":"m"`),
	`{"contents":{"parts":{"text":"x"}}}`,
	`{}`,
	`[`,
	`{"a":1,"a":2}`,
	withField(
		`"tools":[{"functionDeclarations":[{"name":"f","parameters":{"type":"OBJECT","nullable":true,"anyOf":[{}],"example":{"a":"\ud83d\ude00"}}}]}]`,
	),
	withPart("user", `{"functionResponse":{"name":"f","response":{"output":"\u00e9"}}}`),
}

// FuzzARequest asks an implementation that is not ours what is valid JSON, and
// checks that what is accepted is forwarded and translated to JSON again.
func FuzzARequest(f *testing.F) {
	for i, s := range seeds {
		f.Add([]byte(s), int64(i%3), int64(i%2))
	}
	f.Fuzz(func(t *testing.T, body []byte, limit, standard int64) {
		x, e := scanRequest(string(body))
		if e != nil {
			assert.Equal(t, 400, e.HTTPStatus())
			return
		}
		require.True(t, jsontext.Value(body).IsValid(), "accepted, and no JSON")
		for i := range x.Request.Segments {
			_ = x.Request.ReadText(i)
			_ = x.Request.Segments[i].Path()
		}
		traits := all
		traits.Cap, traits.DefaultCap = max(limit, 0), max(standard, 0)
		cuts, e := Generate{}.AppendForwardCuts(x, traits, nil)
		require.Nil(t, e)
		out, err := splice.Apply(x.Request.Raw, cuts)
		require.NoError(t, err)
		require.True(t, jsontext.Value(out).IsValid(), "%s", out)

		r, e := Generate{}.Decode(x)
		if e != nil {
			assert.Equal(t, 400, e.HTTPStatus())
			return
		}
		out, e = GenerateWire{}.EncodeRequest(nil, r, traits)
		if e == nil {
			require.True(t, json.Valid(out), "%s", out)
		}
		x.Request.Raw = body
		if (CountTokens{}).Scan(x) == nil {
			_, _ = CountTokens{}.Decode(x)
		}
	})
}

func FuzzAnAnswer(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	for _, s := range transcripts(f) {
		for _, ev := range cut(f, s) {
			f.Add(ev)
		}
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		x := &core.Exchange{}
		x.Response.Raw = doc
		if err := (Generate{}).ScanResponse(x); err == nil {
			require.True(t, jsontext.Value(doc).IsValid())
			for i := range x.Response.Segments {
				_ = x.Response.ReadText(i)
			}
		}
		if a, err := (GenerateWire{}).DecodeResponse(doc); err == nil {
			out := Generate{}.Encode(nil, &llm.Request{Thoughts: true}, a)
			x.Response.Reset()
			x.Response.Raw = out
			require.NoError(t, Generate{}.ScanResponse(x), "%s", out)
		}
		for _, raw := range [][]byte{doc, []byte("data: " + string(doc) + "\n\n")} {
			var ev core.Event
			ev.Reset(raw)
			if err := (Generate{}).ScanEvent(x, &ev); err == nil {
				body := ev.Raw
				if ev.Joined != nil {
					body = ev.Joined
				}
				for _, d := range ev.Deltas {
					require.LessOrEqual(t, d.Span.End, len(body))
					require.LessOrEqual(t, d.Span.Start, d.Span.End)
				}
			}
			_ = Generate{}.AppendDelta(nil, raw, core.Part{}, "x")
		}
		_, _ = Generate{}.ReadError(doc)
		_ = CountTokens{}.ScanResponse(x)
		_, _, _ = SplitCall(string(doc))
	})
}

// FuzzAStream checks that what is read does not depend on where it is cut, and
// that what is written of it is read by the shape's own scan.
func FuzzAStream(f *testing.F) {
	for _, s := range transcripts(f) {
		f.Add([]byte(s), uint16(40), uint16(300))
	}
	f.Fuzz(func(t *testing.T, body []byte, a, b uint16) {
		i, j := int(a)%(len(body)+1), int(b)%(len(body)+1)
		if i > j {
			i, j = j, i
		}
		read := func(pieces ...[]byte) (lines []string, out []byte, err error) {
			d, e := GenerateWire{}.DecodeStream(), Generate{}.EncodeStream(&llm.Request{Thoughts: a&2 == 2, Logprobs: a&1 == 1})
			emit := func(ev *llm.Event) error {
				lines = append(lines, line(ev))
				out = e.Append(out, ev)
				return nil
			}
			for _, p := range pieces {
				if err = d.Decode(p, emit); err != nil {
					return lines, out, err
				}
			}
			return lines, out, d.Close(emit)
		}
		whole, out, err := read(body)
		pieces, _, err2 := read(body[:i], body[i:j], body[j:])
		require.Equal(t, err == nil, err2 == nil)
		require.Equal(t, whole, pieces)
		x := &core.Exchange{}
		for _, raw := range cut(t, string(out)) {
			var ev core.Event
			ev.Reset(raw)
			require.NoError(t, Generate{}.ScanEvent(x, &ev), "%s", raw)
		}
		var w ArrayWriter
		array, err := w.Append(nil, out)
		require.NoError(t, err)
		require.True(t, json.Valid(w.Close(array)))
	})
}
