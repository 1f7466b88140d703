package dialect_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/sse"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/dialect"
	"github.com/headgate-dev/headgate/core/dialect/anthropic"
	"github.com/headgate-dev/headgate/core/dialect/gemini"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/dialect/wire"
	"github.com/headgate-dev/headgate/core/llm"
)

// holder is a guard that holds a text back from the last place on where its mark stands, and may replace a word.
type holder struct{ mark, from, to string }

func (holder) Check(context.Context, *core.Exchange, core.Phase, any) (core.Verdict, error) {
	return core.Verdict{Action: core.Pass}, nil
}

func (h holder) Stream(context.Context, *core.Exchange, any) (core.StreamFilter, error) {
	return holdingFilter{h}, nil
}

type holdingFilter struct{ holder }

func (holdingFilter) Close(context.Context) error { return nil }

func (h holdingFilter) Check(_ context.Context, w core.Window) (core.Verdict, int, error) {
	hold := len(w.Text) - w.Sent
	if at := strings.LastIndex(w.Text[w.Sent:], h.mark); at >= 0 {
		hold -= at + len(h.mark)
	}
	if w.Last {
		hold = 0
	}
	v, clear := core.Verdict{Action: core.Pass}, len(w.Text)-hold
	for at := w.Sent; h.from != ""; at += len(h.from) {
		k := strings.Index(w.Text[at:clear], h.from)
		if k < 0 {
			break
		}
		at += k
		v.Action = core.Rewrite
		v.Edits = append(v.Edits, core.Edit{Start: at, End: at + len(h.from), With: h.to})
	}
	return v, hold, nil
}

// interrupted are streams of each shape in which something else stands between texts, as vendors document them.
var interrupted = map[string]struct {
	d      core.Dialect
	events []string
}{
	"chat: annotations and a trailing member": {openai.Chat{}, []string{
		`{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}`,
		`{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"See the doc"},"finish_reason":null}]}`,
		`{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"annotations":[{"type":"url_citation","url_citation":{"url":"https://a.example","title":"The docs","start_index":4,"end_index":11}}]},"finish_reason":null}]}`,
		`{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"s now. Then re"},"finish_reason":null}]}`,
		`{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"annotations":[{"type":"url_citation","url_citation":{"title":"Two"}}]},"finish_reason":null}]}`,
		`{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"annotations":[{"type":"url_citation","url_citation":{"title":"Three"}}]},"finish_reason":null}]}`,
		`{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"ad."},"finish_reason":null}]}`,
		`{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`,
	}},
	"responses: annotations of a text that is still open": {openai.Responses{}, []string{
		`{"type":"response.created","sequence_number":0,"response":{"id":"r","object":"response","output":[]}}`,
		`{"type":"response.output_item.added","sequence_number":1,"output_index":0,"item":{"id":"msg_1","type":"message","status":"in_progress","role":"assistant","content":[]}}`,
		`{"type":"response.content_part.added","sequence_number":2,"item_id":"msg_1","output_index":0,"content_index":0,"part":{"type":"output_text","text":"","annotations":[]}}`,
		`{"type":"response.output_text.delta","sequence_number":3,"item_id":"msg_1","output_index":0,"content_index":0,"delta":"See the doc"}`,
		`{"type":"response.output_text.annotation.added","sequence_number":4,"item_id":"msg_1","output_index":0,"content_index":0,"annotation_index":0,"annotation":{"type":"url_citation","title":"The docs","url":"https://a.example","start_index":4,"end_index":11}}`,
		`{"type":"response.output_text.delta","sequence_number":5,"item_id":"msg_1","output_index":0,"content_index":0,"delta":"s now. Bye"}`,
		`{"type":"response.output_text.done","sequence_number":6,"item_id":"msg_1","output_index":0,"content_index":0,"text":"See the docs now. Bye"}`,
		`{"type":"response.output_item.done","sequence_number":7,"output_index":0,"item":{"id":"msg_1","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"See the docs now. Bye","annotations":[{"type":"url_citation","title":"The docs","url":"https://a.example","start_index":4,"end_index":11}]}]}}`,
		`{"type":"response.completed","sequence_number":8,"response":{"id":"r","object":"response","status":"completed","output":[]}}`,
	}},
	"messages: citations within a block": {anthropic.Messages{}, []string{
		`{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":1,"output_tokens":1}}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"","citations":[]}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"The grass is gre"}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{"type":"char_location","cited_text":"The grass is green.","document_index":0,"start_char_index":0,"end_char_index":20}}}`,
		`{"type":"ping"}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"en. So"}}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":9}}`,
		`{"type":"message_stop"}`,
	}},
	"generateContent: code, its output, a picture, grounding": {gemini.Generate{}, []string{
		`{"candidates":[{"content":{"parts":[{"text":"Let me com"}],"role":"model"},"index":0}],"modelVersion":"m"}`,
		`{"candidates":[{"content":{"parts":[{"executableCode":{"language":"PYTHON","code":"print(1)"}}],"role":"model"},"index":0}],"modelVersion":"m"}`,
		`{"candidates":[{"content":{"parts":[{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"1"}},{"text":"Here is the pic"},{"inlineData":{"mimeType":"image/png","data":"AAAA"}},{"text":"ture of a ca"}],"role":"model"},"index":0}],"modelVersion":"m"}`,
		`{"candidates":[{"groundingMetadata":{"webSearchQueries":["cats"],"groundingChunks":[{"web":{"uri":"https://a.example","title":"Cats"}}],"groundingSupports":[{"segment":{"startIndex":0,"endIndex":10,"text":"Let me com"},"groundingChunkIndices":[0]}]},"index":0}],"modelVersion":"m"}`,
		`{"candidates":[{"content":{"parts":[{"text":"t on a mat"}],"role":"model"},"index":0}],"modelVersion":"m"}`,
		`{"candidates":[{"content":{"parts":[{"text":"."}],"role":"model"},"finishReason":"STOP","index":0}],"modelVersion":"m"}`,
	}},
}

// listTold returns what a client is told, in order: the texts with adjacent ones joined, and whatever else comes, byte for byte.
func listTold(t testing.TB, stream string) (all []string) {
	t.Helper()
	text := false
	add := func(isText bool, what string) {
		switch {
		case isText && what == "":
		case isText && text:
			all[len(all)-1] += what
		default:
			all, text = append(all, what), isText
		}
	}
	for _, event := range strings.Split(strings.TrimSpace(strings.ReplaceAll(stream, "\r\n", "\n")), "\n\n") {
		lo, hi, _ := sse.FindData([]byte(event + "\n"))
		data := (event + "\n")[lo:hi]
		var v struct {
			Type    string
			Delta   json.RawMessage
			Choices []struct {
				Delta map[string]json.RawMessage
				Why   *string `json:"finish_reason"`
			}
			Candidates []struct {
				Content struct{ Parts []map[string]json.RawMessage }
				Why     string `json:"finishReason"`
			}
		}
		require.NoError(t, json.Unmarshal([]byte(data), &v), data)
		var word string
		switch {
		case len(v.Choices) > 0 && v.Choices[0].Why == nil && len(v.Choices[0].Delta) == 1 && v.Choices[0].Delta["content"] != nil:
			require.NoError(t, json.Unmarshal(v.Choices[0].Delta["content"], &word))
			add(true, word)
		case v.Type == "response.output_text.delta":
			require.NoError(t, json.Unmarshal(v.Delta, &word))
			add(true, word)
		case v.Type == "content_block_delta" && bytes.Contains(v.Delta, []byte("text_delta")):
			var d struct{ Text string }
			require.NoError(t, json.Unmarshal(v.Delta, &d))
			add(true, d.Text)
		case len(v.Candidates) > 0 && v.Candidates[0].Content.Parts != nil:
			for _, p := range v.Candidates[0].Content.Parts {
				if p["text"] != nil {
					require.NoError(t, json.Unmarshal(p["text"], &word))
					add(true, word)
					continue
				}
				b, err := json.Marshal(p)
				require.NoError(t, err)
				add(false, string(b))
			}
			if v.Candidates[0].Why != "" {
				add(false, v.Candidates[0].Why)
			}
		default:
			add(false, data)
		}
	}
	return all
}

// runLinks runs a stream through links, as the proxy does.
func runLinks(t testing.TB, d core.Dialect, events []string, links ...chain.Link) string {
	t.Helper()
	c, err := chain.New(links, nil)
	require.NoError(t, err)
	x := &core.Exchange{Dialect: d.Name()}
	require.Equal(t, core.Pass, c.RunRequest(t.Context(), x).Action)
	s, e := c.Stream(t.Context(), x, d)
	require.Nil(t, e)
	defer s.Close(context.Background())
	var out []byte
	var ev core.Event
	for _, data := range events {
		ev.Reset([]byte("data: " + data + "\n\n"))
		require.NoError(t, d.ScanEvent(x, &ev))
		out, e = s.RunEvent(t.Context(), &ev, out)
		require.Nil(t, e)
	}
	out, e = s.End(t.Context(), out)
	require.Nil(t, e)
	return string(out)
}

func holdingLink(name string, h holder) chain.Link {
	return chain.Link{Name: name, Stage: h, Phases: core.NewPhaseSet(core.Request, core.Response), Mode: chain.Enforce}
}

func TestNothingOvertakesHeldText(t *testing.T) {
	guards := map[string][]chain.Link{
		"words are held":                   {holdingLink("words", holder{mark: " "})},
		"sentences are held":               {holdingLink("sentences", holder{mark: ". "})},
		"all is held":                      {holdingLink("all", holder{mark: "\x00"})},
		"words are held behind sentences":  {holdingLink("words", holder{mark: " "}), holdingLink("sentences", holder{mark: ". "})},
		"sentences are held behind words":  {holdingLink("sentences", holder{mark: ". "}), holdingLink("words", holder{mark: " "})},
		"letters pass, and words are held": {holdingLink("letters", holder{}), holdingLink("words", holder{mark: " "})},
	}
	for shape, row := range interrupted {
		open := listTold(t, runLinks(t, row.d, row.events))
		require.Greater(t, len(open), 4, shape)
		for name, links := range guards {
			t.Run(shape+", where "+name, func(t *testing.T) {
				assert.Equal(t, open, listTold(t, runLinks(t, row.d, row.events, links...)))
			})
		}
	}
}

func TestNothingOvertakesHeldTextOfATranslatedStream(t *testing.T) {
	for from, row := range interrupted {
		provider, ok := dialect.FindWire(row.d.Name())
		require.True(t, ok)
		for _, d := range []wire.Translator{openai.Chat{}, openai.Responses{}, anthropic.Messages{}, gemini.Generate{}} {
			var body []byte
			enc, dec := d.EncodeStream(&llm.Request{Model: "m", Stream: true}), provider.DecodeStream()
			emit := func(ev *llm.Event) error {
				body = enc.Append(body, ev)
				return nil
			}
			for _, data := range row.events {
				require.NoError(t, dec.Decode([]byte("data: "+data+"\n\n"), emit))
			}
			require.NoError(t, dec.Close(emit))
			var events []string
			for event := range strings.SplitSeq(strings.TrimSpace(strings.ReplaceAll(string(body), "\r\n", "\n")), "\n\n") {
				if _, data, _ := strings.Cut(event, "data: "); data != "[DONE]" {
					events = append(events, data)
				}
			}
			open := listTold(t, runLinks(t, d, events))
			t.Run(from+", for "+d.Name(), func(t *testing.T) {
				require.NotEmpty(t, open)
				assert.Equal(t, open, listTold(t, runLinks(t, d, events, holdingLink("words", holder{mark: " "}), holdingLink("sentences", holder{mark: ". "}))))
			})
		}
	}
}

func TestEventsBehindChangedTextStayBehindIt(t *testing.T) {
	for shape, row := range interrupted {
		want := listTold(t, runLinks(t, row.d, row.events))
		words := map[string]string{"docs": "[a long place]", "green": "-", "ture": "", "me": "xx"}
		for from, to := range words {
			t.Run(shape+", without "+from, func(t *testing.T) {
				got := listTold(t, runLinks(t, row.d, row.events,
					holdingLink("change", holder{mark: " ", from: from, to: to}), holdingLink("sentences", holder{mark: ". "})))
				kinds := func(all []string) (list []string) {
					for _, s := range all {
						if strings.HasPrefix(s, "{") {
							s = s[:min(len(s), 70)]
						} else {
							s = "text"
						}
						list = append(list, s)
					}
					return list
				}
				assert.Equal(t, kinds(want), kinds(got))
			})
		}
	}
}

func TestParallelCallsKeepTheirTextsAroundAQueuedEvent(t *testing.T) {
	delta := func(item, text string) string {
		return `{"type":"response.function_call_arguments.delta","sequence_number":1,"item_id":"` + item + `","output_index":` + item + `,"delta":"` + text + `"}`
	}
	done := func(item, text string) string {
		return `{"type":"response.function_call_arguments.done","sequence_number":1,"item_id":"` + item + `","output_index":` + item + `,"arguments":"` + text + `"}`
	}
	const note = `{"type":"response.note","sequence_number":1}`
	out := runLinks(t, openai.Responses{}, []string{
		delta("0", `{\"a\":\"one tw`), delta("1", `{\"b\":\"three fo`), note, delta("0", `o x\"}`), delta("1", `ur y\"}`),
		done("0", `{\"a\":\"one two x\"}`), done("1", `{\"b\":\"three four y\"}`),
	}, holdingLink("words", holder{mark: " "}))
	args := map[string]string{}
	for event := range strings.SplitSeq(strings.TrimSpace(out), "\n\n") {
		var v struct {
			Type, Delta, Arguments string
			Item                   string `json:"item_id"`
		}
		_, data, _ := strings.Cut(event, "data: ")
		require.NoError(t, json.Unmarshal([]byte(data), &v), event)
		if args[v.Item] += v.Delta; v.Arguments != "" {
			assert.Equal(t, args[v.Item], v.Arguments, "what was sent in pieces")
		}
	}
	assert.Equal(t, map[string]string{"": "", "0": `{"a":"one two x"}`, "1": `{"b":"three four y"}`}, args)
	assert.Equal(t, 1, strings.Count(out, note))
}

func TestEventsKeepTheirPlacesHoweverATextIsCut(t *testing.T) {
	const text = "Ünder the tree. A man reads, and \"quotes\" it. No end"
	r := rand.New(rand.NewPCG(20, 5))
	for range 300 {
		var events []string
		for at, n := 0, 0; at < len(text); n++ {
			end := at + 1 + r.IntN(9)
			for end < len(text) && text[end]&0xc0 == 0x80 {
				end++
			}
			end = min(end, len(text))
			word, err := json.Marshal(text[at:end])
			require.NoError(t, err)
			events = append(events, `{"choices":[{"index":0,"delta":{"content":`+string(word)+`},"finish_reason":null}]}`)
			if at = end; r.IntN(2) == 0 {
				events = append(events, `{"choices":[{"index":0,"delta":{"note":`+strings.Repeat("1", 1+n)+`},"finish_reason":null}]}`)
			}
		}
		events = append(events, `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`)
		links := []chain.Link{holdingLink("a", holder{mark: []string{"", " ", ". ", "e"}[r.IntN(4)]}), holdingLink("b", holder{mark: []string{" ", "a", "\x00"}[r.IntN(3)]})}
		require.Equal(t, listTold(t, runLinks(t, openai.Chat{}, events)), listTold(t, runLinks(t, openai.Chat{}, events, links...)), events)
	}
}

func TestQueuedEventsAreBounded(t *testing.T) {
	c, err := chain.New([]chain.Link{holdingLink("all", holder{mark: "\x00"})}, nil)
	require.NoError(t, err)
	x := &core.Exchange{Dialect: openai.ChatName}
	require.Equal(t, core.Pass, c.RunRequest(t.Context(), x).Action)
	s, e := c.Stream(t.Context(), x, openai.Chat{})
	require.Nil(t, e)
	defer s.Close(context.Background())
	var out []byte
	var ev core.Event
	size := 0
	for n := 0; e == nil && n < 100; n++ {
		event := `data: {"choices":[{"index":0,"delta":{"content":"held"},"finish_reason":null}]}` + "\n\n"
		if n > 0 {
			event = `data: {"choices":[{"index":0,"delta":{"n":"` + strings.Repeat("A", 64<<10) + `"},"finish_reason":null}]}` + "\n\n"
		}
		ev.Reset([]byte(event))
		require.NoError(t, openai.Chat{}.ScanEvent(x, &ev))
		out, e = s.RunEvent(t.Context(), &ev, out)
		size += len(event)
	}
	require.NotNil(t, e)
	assert.Equal(t, core.BadGateway, e.Kind)
	assert.Less(t, size, 2<<20)
}
