package anthropic

import (
	"bytes"
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
	withField(`"stream":true`),
	withField(`"tools":[{"name":"f","input_schema":{"type":"object"}}],"tool_choice":{"type":"tool","name":"f"}`),
	withBlock(
		`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBO"}},{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"\u00e9"}]}`,
	),
	withMessages(
		`{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{"a":1234567,"b":"\u00e9"}},{"type":"thinking","thinking":"t","signature":"s"}]}`,
	),
	`{"messages":[{"role":"user","content":"x"}], "\u006dodel" :"m", "x":12345678901234567890}`,
	`{}`,
	`[`,
	`{"a":1,"a":2}`,
}

// FuzzRequests asks an implementation that is not ours what is valid JSON, and
// takes what is accepted through all that is done with a request.
func FuzzRequests(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		x, e := scanRequest(string(body))
		valid := jsontext.Value(body).IsValid()
		if e != nil {
			assert.Equal(t, 400, e.HTTPStatus())
			if valid && (e.Code == core.CodeInvalidJSON || e.Code == core.CodeDuplicateKey) {
				assert.Greater(
					t,
					bytes.Count(body, []byte("["))+bytes.Count(body, []byte("{")),
					100,
					"only depth may refuse what the oracle takes: %s",
					e.Public,
				)
			}
			return
		}
		require.True(t, valid, "accepted, and no JSON")
		for i := range x.Request.Segments {
			_ = x.Request.ReadText(i)
			_ = x.Request.Segments[i].Path()
		}
		cuts, e := Messages{}.AppendForwardCuts(x, core.Traits{Model: "other \"model\"", DefaultCap: 5}, nil)
		require.Nil(t, e)
		out, err := splice.Apply(body, cuts)
		require.NoError(t, err)
		require.True(t, jsontext.Value(out).IsValid(), "%s", out)
		r, e := Messages{}.Decode(x)
		if e != nil {
			assert.Equal(t, 400, e.HTTPStatus())
			return
		}
		out, e = MessagesWire{}.EncodeRequest(nil, r, all)
		if e != nil {
			assert.Equal(t, 400, e.HTTPStatus())
			return
		}
		require.True(t, json.Valid(out), "%s", out)
		_, e = scanRequest(string(out))
		require.Nil(t, e, "what is written is read: %v: %s", e, out)
	})
}

func FuzzAnswersNeverPanic(f *testing.F) {
	for _, s := range append(seeds, `{"type":"message","content":[{"type":"text","text":"a"},{"type":"tool_use","id":"t","name":"f","input":{"a":"b"}}],"stop_reason":"tool_use","usage":{"input_tokens":1}}`) {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		x := &core.Exchange{}
		x.Response.Raw = doc
		if err := (Messages{}).ScanResponse(x); err == nil {
			require.True(t, jsontext.Value(doc).IsValid())
			for i := range x.Response.Segments {
				_ = x.Response.ReadText(i)
			}
		}
		var ev core.Event
		ev.Reset([]byte("data: " + string(doc) + "\n\n"))
		if err := (Messages{}).ScanEvent(x, &ev); err == nil {
			body := ev.Raw
			if ev.Joined != nil {
				body = ev.Joined
			}
			for _, d := range ev.Deltas {
				require.LessOrEqual(t, d.Span.End, len(body))
				require.LessOrEqual(t, d.Span.Start, d.Span.End)
			}
		}
		_, _ = readError(doc)
		if a, err := (MessagesWire{}).DecodeResponse(doc); err == nil {
			out := Messages{}.Encode(nil, &llm.Request{}, a)
			x.Response.Raw = out
			require.NoError(t, Messages{}.ScanResponse(x), "%s", out)
		}
	})
}

func FuzzStreamsAreReadAlikeHoweverTheyAreChopped(f *testing.F) {
	for _, body := range transcripts(f) {
		f.Add(body, uint8(3))
	}
	f.Add(
		[]byte("data: {\"type\":\"content_block_start\",\"content_block\":{\"type\":\"tool_use\",\"input\":{\"a\":1}}}\r\rdata: {"),
		uint8(1),
	)
	f.Fuzz(func(t *testing.T, body []byte, n uint8) {
		read := func(n int) (out []byte, failed bool) {
			d := MessagesWire{}.DecodeStream()
			emit := func(ev *llm.Event) error {
				out = append(out, tell(ev)...)
				return nil
			}
			for from := 0; from < len(body); from += n {
				if d.Decode(body[from:min(from+n, len(body))], emit) != nil {
					return out, true
				}
			}
			return out, d.Close(emit) != nil
		}
		out, failed := read(len(body) + 1)
		again, failedAgain := read(int(n) + 1)
		assert.Equal(t, string(out), string(again))
		assert.Equal(t, failed, failedAgain)
		if !failed {
			_ = encodeStream(t, body)
		}
	})
}
