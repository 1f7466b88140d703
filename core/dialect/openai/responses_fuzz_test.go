package openai

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/sse"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

// FuzzResponsesRequests: what is accepted is JSON, and can be forwarded and, if it
// is not refused, translated into a request of the shape.
func FuzzResponsesRequests(f *testing.F) {
	for _, s := range []string{
		everyResponsesField, everyItem, withMember(`"max_output_tokens":null,"store":null`), withItem(`{"id":"x"}`), `{}`, `[`,
		withMember(`"tool_choice":{"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"g"}]}`),
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		x, e := scanResponses(string(body))
		if e != nil {
			assert.Equal(t, 400, e.HTTPStatus())
			return
		}
		require.True(t, jsontext.Value(body).IsValid(), "accepted, and no JSON")
		for i := range x.Request.Segments {
			_ = x.Request.ReadText(i)
		}
		sent := forwardResponses(t, string(body), core.Traits{Model: "other", DefaultCap: 9, NoStore: true})
		require.True(t, jsontext.Value(sent).IsValid(), "%s", sent)
		is := decode(t, []byte(sent))
		assert.Equal(t, "other", is["model"])
		assert.Equal(t, false, is["store"])
		assert.NotNil(t, is["max_output_tokens"])
		r, e := Responses{}.Decode(x)
		if e != nil {
			return
		}
		out, e := ResponsesWire{}.EncodeRequest(nil, r, takesAll)
		require.Nil(t, e)
		require.True(t, json.Valid(out), "%s", out)
	})
}

// FuzzResponsesStreams: any bytes are read the same in one piece and in many, what
// is encoded of them is of the shape, and nothing panics.
func FuzzResponsesStreams(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("testdata", "responses", "*.sse"))
	require.NoError(f, err)
	for _, path := range files {
		body, err := os.ReadFile(path)
		require.NoError(f, err)
		f.Add(body, uint16(100))
	}
	read := func(pieces ...[]byte) (events []llm.Event, failed bool) {
		d := ResponsesWire{}.DecodeStream()
		emit := func(ev *llm.Event) error {
			events = append(events, *ev)
			return nil
		}
		for _, p := range pieces {
			if d.Decode(p, emit) != nil {
				return events, true
			}
		}
		return events, d.Close(emit) != nil
	}
	f.Fuzz(func(t *testing.T, body []byte, at uint16) {
		n := min(int(at), len(body))
		want, failed := read(body)
		got, failedToo := read(body[:n], body[n:])
		require.Equal(t, failed, failedToo)
		require.Equal(t, want, got)
		e := Responses{}.EncodeStream(&llm.Request{Model: "m"})
		var out []byte
		for i := range want {
			out = e.Append(out, &want[i])
		}
		for _, stream := range [][]byte{out, body} {
			x := &core.Exchange{}
			var s sse.Splitter
			require.NoError(t, s.Write(stream))
			var ev core.Event
			for raw := s.Next(); raw != nil; raw = s.Next() {
				ev.Reset(raw)
				err := Responses{}.ScanEvent(x, &ev)
				if bytes.Equal(stream, out) {
					require.NoError(t, err, "%s", raw)
				}
				_ = Responses{}.AppendDelta(nil, ev.Raw, core.Part{}, "x")
				_ = Responses{}.AppendEnd(nil, ev.Raw, nil, scan.NewInvalid("", ""))
			}
		}
	})
}

// FuzzResponsesAnswers: a whole answer that is read is one that can be written.
func FuzzResponsesAnswers(f *testing.F) {
	f.Add([]byte(wholeResponse))
	f.Add([]byte(`{"output":[{"type":"tool_search_call","arguments":[1]},{"content":[{"refusal":"x"}],"type":"message"}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		x := &core.Exchange{}
		x.Response.Raw = body
		scanned := Responses{}.ScanResponse(x)
		for i := range x.Response.Segments {
			_ = x.Response.ReadText(i)
		}
		_, _ = Responses{}.ReadError(body)
		a, err := ResponsesWire{}.DecodeResponse(body)
		if err != nil {
			return
		}
		require.NoError(t, scanned)
		out := Responses{}.Encode(nil, &llm.Request{}, a)
		x.Reset()
		x.Response.Raw = out
		require.NoError(t, Responses{}.ScanResponse(x), "%s", out)
	})
}
