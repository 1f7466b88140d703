package dialect_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/dialect/anthropic"
	"github.com/headgate-dev/headgate/core/dialect/gemini"
	"github.com/headgate-dev/headgate/core/dialect/openai"
)

// marker is what the guard of this test takes out wherever it sees it.
const marker = "it is 12345678 here"

const hidden = "12345678"

// hider is a guard that takes the number of the marker out.
type hider struct{}

func (hider) Check(_ context.Context, x *core.Exchange, _ core.Phase, _ any) (core.Verdict, error) {
	v := core.Verdict{Action: core.Pass}
	for i := range x.Response.Segments {
		if at := strings.Index(x.Response.ReadText(i), hidden); at >= 0 {
			v.Action = core.Rewrite
			v.Edits = append(v.Edits, core.Edit{Segment: i, Start: at, End: at + len(hidden), With: "-"})
		}
	}
	return v, nil
}

func (hider) Stream(context.Context, *core.Exchange, any) (core.StreamFilter, error) {
	return hidingFilter{}, nil
}

type hidingFilter struct{}

func (hidingFilter) Close(context.Context) error { return nil }

func (hidingFilter) Check(_ context.Context, w core.Window) (core.Verdict, int, error) {
	v := core.Verdict{Action: core.Pass}
	if at := strings.Index(w.Text[w.Sent:], hidden); at >= 0 {
		v.Action = core.Rewrite
		v.Edits = []core.Edit{{Start: w.Sent + at, End: w.Sent + at + len(hidden), With: "-"}}
	}
	return v, 0, nil
}

// judgedAnswers are answers of each shape that a client speaks, with what their places are.
var judgedAnswers = []struct {
	d      core.Dialect
	whole  string
	stream []string
	sealed []string // places that no guard may change or that repeat the request, as paths
}{
	{
		d: openai.Chat{},
		whole: `{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"m","system_fingerprint":"fp","service_tier":"default",` +
			`"prompt_filter_results":[{"prompt_index":0,"content_filter_results":{"hate":{"filtered":false,"severity":"safe"}}}],` +
			`"choices":[{"index":0,"message":{"role":"assistant","content":"A","refusal":null,"reasoning_content":"B","annotations":[{"type":"url_citation","url_citation":{"url":"https://a.example","title":"T"}}],` +
			`"audio":{"id":"a","transcript":"C","data":"UklG"},"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}],"function_call":{"name":"g","arguments":"{}"}},` +
			`"logprobs":{"content":[{"token":"A","logprob":-1,"bytes":[65],"top_logprobs":[{"token":"B","logprob":-2,"bytes":[66]}]}],"refusal":null},` +
			`"content_filter_results":{"hate":{"filtered":false,"severity":"safe"}},"finish_reason":"stop"}],` +
			`"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2,"prompt_tokens_details":{"cached_tokens":0}}}`,
		stream: []string{
			`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","system_fingerprint":"fp","choices":[{"index":0,"delta":{"role":"assistant","content":"A"},"logprobs":{"content":[{"token":"A","logprob":-1,"bytes":[65],"top_logprobs":[{"token":"B","logprob":-2}]}]},"finish_reason":null}]}`,
			`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"reasoning_content":"B","annotations":[{"url_citation":{"title":"T"}}],"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]},"content_filter_results":{"hate":{"severity":"safe"}},"finish_reason":"tool_calls"}],"x_groq":{"id":"r","usage":{"prompt_tokens":1}},"usage":{"prompt_tokens":1,"completion_tokens":1}}`,
		},
	},
	{
		d:     openai.Completions{},
		whole: `{"id":"cmpl-1","object":"text_completion","created":1,"model":"m","choices":[{"text":"A","index":0,"logprobs":{"tokens":["A"],"token_logprobs":[-1],"top_logprobs":[{"B":-2}],"text_offset":[0]},"finish_reason":"stop"}],"usage":{"prompt_tokens":1}}`,
		stream: []string{
			`{"id":"cmpl-1","object":"text_completion","created":1,"model":"m","choices":[{"text":"A","index":0,"logprobs":{"tokens":["A"],"token_logprobs":[-1],"top_logprobs":[{"B":-2}],"text_offset":[0]},"finish_reason":null}]}`,
			`{"id":"cmpl-1","object":"text_completion","created":1,"model":"m","choices":[{"text":"","index":0,"finish_reason":"stop"}],"usage":{"prompt_tokens":1}}`,
		},
	},
	{
		d: anthropic.Messages{},
		whole: `{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"A","citations":[{"type":"char_location","cited_text":"B","document_title":"T"}]},` +
			`{"type":"tool_use","id":"t","name":"f","input":{"a":"b"}}],"stop_reason":"end_turn","stop_sequence":null,"container":{"id":"c"},"usage":{"input_tokens":1,"output_tokens":1,"service_tier":"standard","cache_creation":{"ephemeral_5m_input_tokens":0}}}`,
		stream: []string{
			`{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"usage":{"input_tokens":1,"output_tokens":1,"service_tier":"standard"}}}`,
			`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"A"}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{"type":"char_location","cited_text":"B","document_title":"T"}}}`,
			`{"type":"content_block_stop","index":0}`,
			`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t","name":"f","input":{}}}`,
			`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"a\":\"b\"}"}}`,
			`{"type":"content_block_stop","index":1}`,
			`{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":1}}`,
			`{"type":"message_stop"}`,
		},
	},
	{
		d: gemini.Generate{},
		whole: `{"candidates":[{"content":{"parts":[{"text":"A"},{"executableCode":{"language":"PYTHON","code":"b"}},{"inlineData":{"mimeType":"image/png","data":"aGk="}},{"functionCall":{"name":"f","args":{"a":"b"}}}],"role":"model"},"finishReason":"STOP","index":0,` +
			`"safetyRatings":[{"category":"HARM_CATEGORY_HARASSMENT","probability":"NEGLIGIBLE"}],"citationMetadata":{"citationSources":[{"uri":"https://a.example","license":"mit"}]},` +
			`"logprobsResult":{"chosenCandidates":[{"token":"A","tokenId":1,"logProbability":-1}],"topCandidates":[{"candidates":[{"token":"B","tokenId":2}]}]},` +
			`"groundingMetadata":{"webSearchQueries":["Q"],"groundingChunks":[{"web":{"uri":"https://a.example","title":"T"}}]}}],` +
			`"promptFeedback":{"safetyRatings":[{"category":"C"}]},"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":1,"promptTokensDetails":[{"modality":"TEXT","tokenCount":1}]},"modelVersion":"m","responseId":"r"}`,
		stream: []string{
			`{"candidates":[{"content":{"parts":[{"text":"A"}],"role":"model"},"index":0,"safetyRatings":[{"category":"C","probability":"NEGLIGIBLE"}],"logprobsResult":{"chosenCandidates":[{"token":"A","tokenId":1}],"topCandidates":[{"candidates":[{"token":"B"}]}]}}],"usageMetadata":{"promptTokenCount":1},"modelVersion":"m","responseId":"r"}`,
			`{"candidates":[{"content":{"parts":[{"executableCode":{"language":"PYTHON","code":"b"}},{"inlineData":{"mimeType":"image/png","data":"aGk="}},{"functionCall":{"name":"f","args":{"a":"b"}}}],"role":"model"},"finishReason":"STOP","index":0,"groundingMetadata":{"webSearchQueries":["Q"],"groundingChunks":[{"web":{"title":"T"}}]}}],"usageMetadata":{"promptTokenCount":1}}`,
		},
	},
	{
		d: openai.Responses{},
		whole: `{"id":"resp_1","object":"response","created_at":1,"status":"completed","error":null,"incomplete_details":null,"instructions":null,"model":"m","output":[{"type":"message","id":"msg_1","status":"completed","role":"assistant",` +
			`"content":[{"type":"output_text","text":"A","annotations":[{"type":"url_citation","title":"T"}],"logprobs":[{"token":"A","logprob":-1,"top_logprobs":[{"token":"B","logprob":-2}]}]}]},` +
			`{"type":"function_call","id":"fc_1","call_id":"c","name":"f","arguments":"{\"a\":1}","status":"completed"},{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"B"}],"encrypted_content":"aGk="}],` +
			`"metadata":{},"usage":{"input_tokens":1,"output_tokens":1,"output_tokens_details":{"reasoning_tokens":0}}}`,
		stream: []string{
			`{"type":"response.created","sequence_number":0,"response":{"id":"resp_1","object":"response","status":"in_progress","model":"m","output":[],"metadata":{}}}`,
			`{"type":"response.output_item.added","sequence_number":1,"output_index":0,"item":{"id":"msg_1","type":"message","status":"in_progress","role":"assistant","content":[]}}`,
			`{"type":"response.content_part.added","sequence_number":2,"item_id":"msg_1","output_index":0,"content_index":0,"part":{"type":"output_text","text":"","annotations":[]}}`,
			`{"type":"response.output_text.delta","sequence_number":3,"item_id":"msg_1","output_index":0,"content_index":0,"delta":"A","logprobs":[{"token":"A","logprob":-1,"top_logprobs":[{"token":"B"}]}],"obfuscation":"aB3"}`,
			`{"type":"response.output_text.annotation.added","sequence_number":4,"item_id":"msg_1","output_index":0,"content_index":0,"annotation_index":0,"annotation":{"type":"url_citation","title":"T"}}`,
			`{"type":"response.output_text.done","sequence_number":5,"item_id":"msg_1","output_index":0,"content_index":0,"text":"A","logprobs":[{"token":"A","logprob":-1}]}`,
			`{"type":"response.content_part.done","sequence_number":6,"item_id":"msg_1","output_index":0,"content_index":0,"part":{"type":"output_text","text":"A","annotations":[{"title":"T"}],"logprobs":[{"token":"A","logprob":-1}]}}`,
			`{"type":"response.output_item.done","sequence_number":7,"output_index":0,"item":{"id":"msg_1","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"A","annotations":[]}]}}`,
			`{"type":"response.completed","sequence_number":8,"response":{"id":"resp_1","object":"response","status":"completed","model":"m","output":[{"type":"message","id":"msg_1","content":[{"type":"output_text","text":"A"}]}],"metadata":{},"usage":{"input_tokens":1,"output_tokens":1}}}`,
		},
		sealed: []string{"metadata", "response.metadata", "metadata.note", "response.metadata.note", "output.2.encrypted_content"},
	},
}

// variant is a document with the marker in one place.
type variant struct{ place, doc string }

// variants are the documents that have the marker as each value, behind each list, as a
// member of each object and as the name of one.
func variants(t *testing.T, doc string) (all []variant) {
	var root any
	d := json.NewDecoder(strings.NewReader(doc))
	d.UseNumber()
	require.NoError(t, d.Decode(&root))
	add := func(place string) {
		b, err := json.Marshal(root)
		require.NoError(t, err)
		all = append(all, variant{place, string(b)})
	}
	var walk func(path string, v any, set func(any))
	walk = func(path string, v any, set func(any)) {
		if path != "" {
			set(marker)
			add(path)
			set([]any{marker})
			add(path + "[]")
			set(v)
		}
		at := strings.TrimPrefix(path+".", ".")
		switch v := v.(type) {
		case map[string]any:
			v["note"] = marker
			add(at + "note")
			v["note"] = map[string]any{marker: 1}
			add(at + "note.name")
			delete(v, "note")
			keys := make([]string, 0, len(v))
			for k := range v {
				keys = append(keys, k)
			}
			slices.Sort(keys)
			for _, k := range keys {
				walk(at+k, v[k], func(n any) { v[k] = n })
			}
		case []any:
			set(append(slices.Clone(v), marker))
			add(at + "more")
			set(v)
			for i := range v {
				walk(fmt.Sprintf("%s%d", at, i), v[i], func(n any) { v[i] = n })
			}
		}
	}
	walk("", root, nil)
	return all
}

func TestNoPlaceOfAnAnswerIsHiddenFromTheGuards(t *testing.T) {
	for _, a := range judgedAnswers {
		t.Run(a.d.Name()+"/whole", func(t *testing.T) {
			all := variants(t, a.whole)
			assert.Greater(t, len(all), 40)
			for _, v := range all {
				if out, ok := throughWhole(t, a.d, v.doc); ok && !isSealed(a.sealed, v.place) {
					assert.NotContains(t, out, hidden, "%s: %s", v.place, v.doc)
				}
			}
			same, ok := throughWhole(t, a.d, a.whole)
			assert.True(t, ok)
			assert.Equal(t, a.whole, same, "log probabilities that repeat the text stay")
		})
		t.Run(a.d.Name()+"/stream", func(t *testing.T) {
			for i := range a.stream {
				for _, v := range variants(t, a.stream[i]) {
					events := slices.Clone(a.stream)
					events[i] = v.doc
					if out, ok := throughStream(t, a.d, events, "data: %s\n\n"); ok && !isSealed(a.sealed, v.place) {
						assert.NotContains(t, out, hidden, "event %d, %s: %s", i, v.place, v.doc)
					}
				}
			}
			for _, form := range []string{
				": " + marker + "\ndata: %s\n\n", "data: %s\n: " + marker + "\n\n", "event: " + marker + "\ndata: %s\n\n",
				"note: " + marker + "\ndata: %s\n\n", ": " + marker + "\n\ndata: %s\n\n", "\xEF\xBB\xBF: " + marker + "\ndata: %s\n\n",
			} {
				out, ok := throughStream(t, a.d, a.stream, form)
				assert.True(t, ok)
				assert.NotContains(t, out, hidden, form)
			}
			var all strings.Builder
			for _, e := range a.stream {
				fmt.Fprintf(&all, "data: %s\n\n", e)
			}
			same, ok := throughStream(t, a.d, a.stream, "data: %s\n\n")
			assert.True(t, ok)
			assert.Equal(t, all.String(), same, "log probabilities that repeat the text stay")
		})
	}
}

func isSealed(sealed []string, place string) bool {
	return slices.Contains(sealed, strings.TrimSuffix(strings.TrimSuffix(place, "[]"), ".name"))
}

func newGuardedChain(t *testing.T) (*chain.Chain, *core.Exchange) {
	c, err := chain.New([]chain.Link{{Name: "hide", Stage: hider{}, Phases: core.NewPhaseSet(core.Request, core.Response), Mode: chain.Enforce}}, nil)
	require.NoError(t, err)
	x := &core.Exchange{}
	require.Equal(t, core.Pass, c.RunRequest(t.Context(), x).Action)
	return c, x
}

// throughWhole gives what the client is sent of an answer; ok is false if it is refused.
func throughWhole(t *testing.T, d core.Dialect, doc string) (out string, ok bool) {
	c, x := newGuardedChain(t)
	x.Response.Raw = []byte(doc)
	if d.ScanResponse(x) != nil {
		return "", false
	}
	require.Equal(t, core.Pass, c.RunResponse(t.Context(), x).Action)
	return string(x.Response.Raw), true
}

// throughStream gives what the client is sent of a stream of events that are written in a form.
func throughStream(t *testing.T, d core.Dialect, events []string, form string) (out string, ok bool) {
	c, x := newGuardedChain(t)
	s, e := c.Stream(t.Context(), x, d)
	require.Nil(t, e)
	defer s.Close(t.Context())
	var sent []byte
	for _, doc := range events {
		for _, raw := range strings.SplitAfter(fmt.Sprintf(form, doc), "\n\n") {
			if raw == "" {
				continue
			}
			var ev core.Event
			ev.Reset([]byte(raw))
			if d.ScanEvent(x, &ev) != nil {
				return "", false
			}
			if ev.Failed { // told in the gateway's words, or as it came: not the answer
				return "", false
			}
			if sent, e = s.RunEvent(t.Context(), &ev, sent); e != nil {
				require.Fail(t, "the stream failed", "%v: %s", e, raw)
			}
			if ev.Done {
				return string(sent), true
			}
		}
	}
	if sent, e = s.End(t.Context(), sent); e != nil {
		require.Fail(t, "the stream failed at its end", "%v", e)
	}
	return string(sent), true
}
