package anthropic

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/sse"
	"github.com/headgate-dev/headgate/core/chain"
)

// masker replaces the word "secret" by "[masked]" wherever it sees it, and blocks
// at the word "poison". It holds what may be the beginning of either.
type masker struct{}

const secret, masked, poison = "secret", "[masked]", "poison"

func (masker) Check(_ context.Context, x *core.Exchange, p core.Phase, _ any) (core.Verdict, error) {
	body := &x.Request
	if p == core.Response {
		body = &x.Response
	}
	var edits []core.Edit
	for i := range body.Segments {
		if at := strings.Index(body.ReadText(i), secret); at >= 0 {
			edits = append(edits, core.Edit{Segment: i, Start: at, End: at + len(secret), With: masked})
		}
	}
	if edits == nil {
		return core.Verdict{Action: core.Pass}, nil
	}
	return core.Verdict{Action: core.Rewrite, Edits: edits}, nil
}

func (masker) Stream(context.Context, *core.Exchange, any) (core.StreamFilter, error) {
	return filtering{}, nil
}

type filtering struct{}

func (filtering) Close(context.Context) error { return nil }

func (filtering) Check(_ context.Context, w core.Window) (core.Verdict, int, error) {
	if strings.Contains(w.Text, poison) {
		return core.Verdict{Action: core.Block, Err: &core.Error{Kind: core.ContentFiltered, Code: core.CodeContentFilter, Public: "no"}}, 0, nil
	}
	v := core.Verdict{Action: core.Pass}
	from := w.Sent
	for {
		at := strings.Index(w.Text[from:], secret)
		if at < 0 {
			break
		}
		at += from
		from = at + len(secret)
		v.Action = core.Rewrite
		v.Edits = append(v.Edits, core.Edit{Start: at, End: from, With: masked})
	}
	if w.Last {
		return v, 0, nil
	}
	for _, word := range []string{secret, poison} {
		for n := min(len(word)-1, len(w.Text)-from); n > 0; n-- {
			if strings.HasSuffix(w.Text, word[:n]) {
				return v, n, nil
			}
		}
	}
	return v, 0, nil
}

func masking(t testing.TB) *chain.Chain {
	c, err := chain.New(
		[]chain.Link{{Name: "mask", Stage: masker{}, Phases: core.NewPhaseSet(core.Request, core.Response), Mode: chain.Enforce}},
		nil,
	)
	require.NoError(t, err)
	return c
}

// runStream runs a stream through a chain, as the proxy does.
func runStream(t testing.TB, body string) (string, *core.Error) {
	ctx := context.Background()
	x, e := scanRequest(withField(`"stream":true`))
	require.Nil(t, e)
	c := masking(t)
	require.Equal(t, core.Pass, c.RunRequest(ctx, x).Action)
	s, e := c.Stream(ctx, x, Messages{})
	require.Nil(t, e)
	defer s.Close(ctx)
	var split sse.Splitter
	require.NoError(t, split.Write([]byte(body)))
	var out []byte
	var ev core.Event
	for raw := split.Next(); raw != nil; raw = split.Next() {
		ev.Reset(raw)
		require.NoError(t, Messages{}.ScanEvent(x, &ev))
		if out, e = s.RunEvent(ctx, &ev, out); e != nil {
			return string(Messages{}.AppendEnd(out, nil, nil, e)), e
		}
	}
	return string(out), nil
}

func formatEvent(data string) string {
	typ, _, _ := strings.Cut(strings.TrimPrefix(data, `{"type":"`), `"`)
	return "event: " + typ + "\ndata: " + data + "\n\n"
}

func piece(index, delta string) string {
	return formatEvent(`{"type":"content_block_delta","index":` + index + `,"delta":` + delta + `}`)
}

func TestHeldTextGoesOutBeforeItsBlockStops(t *testing.T) {
	start := formatEvent(`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`)
	stop := formatEvent(`{"type":"content_block_stop","index":0}`)
	out, e := runStream(
		t,
		start+piece("0", `{"type":"text_delta","text":"a sec"}`)+piece("0", `{"type":"text_delta","text":"ret and a secr"}`)+stop,
	)
	require.Nil(t, e)
	assert.Equal(
		t,
		start+piece(
			"0",
			`{"type":"text_delta","text":"a "}`,
		)+piece(
			"0",
			`{"type":"text_delta","text":"[masked] and a "}`,
		)+piece(
			"0",
			`{"type":"text_delta","text":"secr"}`,
		)+stop,
		out,
	)
}

func TestTheInputOfACallIsMaskedInPieces(t *testing.T) {
	start := formatEvent(`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t","name":"f","input":{}}}`)
	stop := formatEvent(`{"type":"content_block_stop","index":1}`)
	out, e := runStream(
		t,
		start+piece(
			"1",
			`{"type":"input_json_delta","partial_json":"{\"a\":\"sec"}`,
		)+piece(
			"1",
			`{"type":"input_json_delta","partial_json":"ret\"}"}`,
		)+stop,
	)
	require.Nil(t, e)
	assert.Equal(
		t,
		start+piece(
			"1",
			`{"type":"input_json_delta","partial_json":"{\"a\":\""}`,
		)+piece(
			"1",
			`{"type":"input_json_delta","partial_json":"[masked]\"}"}`,
		)+stop,
		out,
	)
	whole := formatEvent(
		`{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"t","name":"f","input":{"a":"a secret","b":["s"]}}}`,
	)
	out, e = runStream(t, whole)
	require.Nil(t, e)
	assert.Equal(t, strings.Replace(whole, secret, masked, 1), out)
}

func TestACitationIsMaskedAndDoesNotEndItsText(t *testing.T) {
	cite := piece(
		"0",
		`{"type":"citations_delta","citation":{"type":"char_location","cited_text":"the \"secret\" sec","document_title":"secret","file_id":"secret"}}`,
	)
	out, e := runStream(t, piece("0", `{"type":"text_delta","text":"a sec"}`)+cite+piece("0", `{"type":"text_delta","text":"ret"}`))
	require.Nil(t, e)
	cite = strings.Replace(
		strings.Replace(cite, `\"secret\"`, `\"[masked]\"`, 1),
		`"document_title":"secret"`,
		`"document_title":"[masked]"`,
		1,
	)
	assert.Equal(t, piece("0", `{"type":"text_delta","text":"a "}`)+cite+piece("0", `{"type":"text_delta","text":"[masked]"}`), out)
}

func TestSealedThinkingLeavesAsItCame(t *testing.T) {
	body := formatEvent(`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"secret","signature":""}}`) +
		piece("0", `{"type":"thinking_delta","thinking":"a secret"}`) + piece("0", `{"type":"signature_delta","signature":"secret"}`) +
		formatEvent(`{"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"secret"}}`)
	out, e := runStream(t, body)
	require.Nil(t, e)
	assert.Equal(t, body, out)

	request := withMessages(
		`{"role":"assistant","content":[{"signature":"secret","thinking":"secret","type":"thinking"},{"type":"redacted_thinking","data":"secret"}]}`,
	)
	x, e := scanRequest(request)
	require.Nil(t, e)
	masking(t).RunRequest(context.Background(), x)
	assert.Equal(t, request, string(x.Request.Raw))
}

// Servers that copy Anthropic's API take such thoughts for the model's own: anything could pass the guards there.
func TestThinkingWithoutASignatureIsJudged(t *testing.T) {
	for block, want := range map[string]string{
		`{"type":"thinking","thinking":"a secret"}`:                                      `{"type":"thinking","thinking":"a [masked]"}`,
		`{"signature":"","thinking":"a secret","type":"thinking"}`:                       `{"signature":"","thinking":"a [masked]","type":"thinking"}`,
		`{"signature":null,"type":"thinking","thinking":["a secret"]}`:                   `{"signature":null,"type":"thinking","thinking":["a [masked]"]}`,
		`{"type":"thinking","thinking":"a secret","signature":"EqQB","text":"a secret"}`: `{"type":"thinking","thinking":"a secret","signature":"EqQB","text":"a [masked]"}`,
		`{"type":"redacted_thinking","data":"a secret"}`:                                 `{"type":"redacted_thinking","data":"a [masked]"}`,
		`{"type":"redacted_thinking","data":"secret","x":{"y":"a secret"}}`:              `{"type":"redacted_thinking","data":"secret","x":{"y":"a [masked]"}}`,
	} {
		x, e := scanRequest(withMessages(`{"role":"assistant","content":[` + block + `]}`))
		require.Nil(t, e)
		masking(t).RunRequest(context.Background(), x)
		assert.Equal(t, withMessages(`{"role":"assistant","content":[`+want+`]}`), string(x.Request.Raw))
	}
}

func TestALateDenialLeavesAStreamThatClientsUnderstand(t *testing.T) {
	out, e := runStream(t, piece("0", `{"type":"text_delta","text":"fine "}`)+piece("0", `{"type":"text_delta","text":"poison"}`))
	require.NotNil(t, e)
	assert.Equal(
		t,
		piece(
			"0",
			`{"type":"text_delta","text":"fine "}`,
		)+formatEvent(
			`{"type":"error","error":{"type":"invalid_request_error","message":"no","code":"content_filter"}}`,
		),
		out,
	)
}

func TestARequestIsMaskedWhereverTextStands(t *testing.T) {
	x, e := scanRequest(
		`{"model":"m","max_tokens":9,"system":[{"type":"text","text":"secret","cache_control":{"type":"ephemeral"}}],"messages":[
{"role":"assistant","content":[{"type":"tool_use","id":"secret","name":"secret","input":{"secret":"secret","n":["a secret"]}}]},
{"role":"user","content":[{"type":"tool_result","tool_use_id":"secret","content":[{"type":"text","text":"\u0073ecret"}]},{"type":"document","source":{"type":"text","media_type":"text/plain","data":"secret"}}]}]}`,
	)
	require.Nil(t, e)
	require.Equal(t, core.Pass, masking(t).RunRequest(context.Background(), x).Action)
	want := `{"model":"m","max_tokens":9,"system":[{"type":"text","text":"[masked]","cache_control":{"type":"ephemeral"}}],"messages":[
{"role":"assistant","content":[{"type":"tool_use","id":"secret","name":"secret","input":{"[masked]":"[masked]","n":["a [masked]"]}}]},
{"role":"user","content":[{"type":"tool_result","tool_use_id":"secret","content":[{"type":"text","text":"[masked]"}]},{"type":"document","source":{"type":"text","media_type":"text/plain","data":"[masked]"}}]}]}`
	assert.Equal(t, want, string(x.Request.Raw))
}
