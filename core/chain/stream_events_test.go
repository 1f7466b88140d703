package chain_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/dialect/openai"
)

func redactingChain(t testing.TB) *chain.Chain {
	return newChain(t, vault{}, link("redact", redacting().stage()))
}

func TestEventsWhoseTextIsNotChangedLeaveByteForByte(t *testing.T) {
	odd := []string{
		":\n\n",
		"id: 7\r\nevent: message\r\ndata: { \"choices\" : [ {\"delta\":{\"content\":\"\\u0061\\/b \"} , \"index\":0 } ] , \"n\": 12345678901234567890, \"f\":1.0e0}\r\n\r\n",
		"data:{\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n",
		"data: {\"choices\":[{\"index\":0,\ndata: \"delta\":{\"content\":\"two lines \"}}]}\n\n",
		"data:\n\n",
		"data: {\"choices\":[],\"x\":{\"content\":\"beside\"}}\n\n",
		"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":null},\"logprobs\":{\"content\":[]},\"finish_reason\":\"stop\"}]}\n\n",
		"data: [DONE]\n\n",
	}
	r := stream(t, redactingChain(t), odd)
	require.Nil(t, r.err)
	assert.Equal(t, strings.Join(odd, ""), r.out)
}

func TestHeldTextLeavesBeforeWhateverEndsItsPart(t *testing.T) {
	for name, ends := range map[string][]string{
		"the finish reason":               {chunk(0, "", `"stop"`)},
		"the finish reason with no text":  {chunk(0, `"content":""`, `"stop"`)},
		"a tool call with its first text": {argsOf(0, `{"a":1}`)},
		"a tool call without text yet":    {chunk(0, `"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":""}}]`, "null")},
		"a tool call without arguments":   {chunk(0, `"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"f"}}]`, "null")},
		"a refusal":                       {chunk(0, `"refusal":"no"`, "null")},
		"the end of the stream":           {doneEvent},
		"a failure of the provider":       {},
	} {
		t.Run(name, func(t *testing.T) {
			r := stream(t, redactingChain(t), append([]string{contentOf(0, "held 123")}, ends...))
			require.Nil(t, r.err)
			assert.Equal(t, "held 123", r.parts["0.content"])
			held := strings.Index(r.out, `"content":"123"`)
			require.GreaterOrEqual(t, held, 0)
			if len(ends) > 0 {
				assert.Greater(t, strings.Index(r.out, ends[0]), held, "it leaves before the event that ends it")
			}
			assert.Contains(t, r.out[held-120:held], `"id":"c1"`, "the event we make looks like the others")
		})
	}
}

func TestTextInTheEventThatFinishesIsReleasedInIt(t *testing.T) {
	r := stream(t, redactingChain(t), []string{contentOf(0, "a 1234"), chunk(0, `"content":"5678"`, `"stop"`), doneEvent})
	require.Nil(t, r.err)
	assert.Regexp(t, `^a \{\{PII_NUMBER_[0-9a-f]{16}\}\}$`, r.parts["0.content"])
	assert.Equal(t, 1, strings.Count(r.out, `"stop"`))
}

func TestTextBeforeAnotherPartInOneEventIsReleasedInIt(t *testing.T) {
	for name, next := range map[string]string{
		"a refusal":            `"refusal":"no"`,
		"a call":               `"tool_calls":[{"index":0,"function":{"name":"f","arguments":"{}"}}]`,
		"a call without text":  `"tool_calls":[{"index":0,"id":"c","function":{"name":"f"}}]`,
		"reasoning, then text": `"reasoning_content":"so","refusal":"no"`,
	} {
		t.Run(name, func(t *testing.T) {
			r := stream(
				t,
				redactingChain(t),
				[]string{contentOf(0, "first "), chunk(0, `"content":"held 123",`+next, "null"), chunk(0, "", `"stop"`)},
			)
			require.Nil(t, r.err)
			assert.Equal(t, "first held 123", r.parts["0.content"])
			assert.Less(t, strings.Index(r.out, "held 123"), strings.Index(r.out, next[:9]), "in the event that it came in")
		})
	}
}

func TestWhatAnEventCarriesBesideItsTextIsNeitherDroppedNorDoubled(t *testing.T) {
	for name, delta := range map[string]string{
		"a role":             `"role":"assistant","content":"12"`,
		"a tool call's name": `"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"f","arguments":"{\"a\":\"12"}}]`,
		"an unknown field":   `"content":"12","x":{"y":1}`,
	} {
		t.Run(name, func(t *testing.T) {
			r := stream(t, redactingChain(t), []string{chunk(0, delta, "null"), doneEvent})
			require.Nil(t, r.err)
			for _, word := range []string{"assistant", "call_1", `"name":"f"`, `"x":{"y":1}`} {
				if strings.Contains(delta, word) {
					assert.Equal(t, 1, strings.Count(r.out, word), word)
				}
			}
		})
	}
	usage := `data: {"id":"c1","choices":[{"index":0,"delta":{"content":"12"}}],"usage":{"prompt_tokens":3,"completion_tokens":4}}` + "\n\n"
	r := stream(t, redactingChain(t), []string{usage, doneEvent})
	assert.Equal(t, 1, strings.Count(r.out, `"prompt_tokens":3`))
	assert.Equal(t, "12", r.parts["0.content"])
}

func TestSeveralChoicesAreIndependent(t *testing.T) {
	events := []string{
		contentOf(0, "a 1234"), contentOf(1, "b 12"), contentOf(0, "5678 c"), contentOf(1, "34 d"), contentOf(2, "e 9"),
		chunk(1, "", `"stop"`), chunk(0, "", `"stop"`), doneEvent,
	}
	r := stream(t, redactingChain(t), events)
	require.Nil(t, r.err)
	assert.Regexp(t, `^a \{\{PII_NUMBER_\w+\}\} c$`, r.parts["0.content"])
	assert.Equal(t, "b 1234 d", r.parts["1.content"])
	assert.Equal(t, "e 9", r.parts["2.content"])

	both := `data: {"choices":[{"index":1,"delta":{"content":"x 12345678 "}},{"index":0,"delta":{"content":"same "}}]}` + "\n\n"
	r = stream(t, redactingChain(t), []string{both, doneEvent})
	assert.Equal(t, "same ", r.parts["0.content"])
	assert.Regexp(t, `^x \{\{PII_NUMBER_\w+\}\} $`, r.parts["1.content"])
}

func TestTheOrderOfPartsIsKept(t *testing.T) {
	r := stream(t, redactingChain(t), []string{
		chunk(0, `"reasoning_content":"let me 12","content":""`, "null"),
		chunk(0, `"reasoning_content":"345678 see 1","content":""`, "null"),
		contentOf(0, "calling 12"), argsOf(0, `{"n":"12`), argsOf(0, `3"}`), argsOf(1, `{"m":"9"}`), chunk(0, "", `"tool_calls"`), doneEvent,
	})
	require.Nil(t, r.err)
	assert.Equal(t, []string{"0.reasoning_content", "0.content", "0.args0", "0.args1"}, r.order)
	assert.Regexp(t, `^let me \{\{PII_NUMBER_\w+\}\} see 1$`, r.parts["0.reasoning_content"], "an empty content beside it does not cut it")
	assert.Equal(t, "calling 12", r.parts["0.content"])
}

func TestHeldTextComesBackInTheFieldItCameIn(t *testing.T) {
	for name, tc := range map[string]struct{ delta, part string }{
		"reasoning":           {`"reasoning":"a 12"`, "0.reasoning"},
		"reasoning_content":   {`"reasoning_content":"a 12"`, "0.reasoning_content"},
		"refusal":             {`"refusal":"a 12"`, "0.refusal"},
		"a custom tool input": {`"tool_calls":[{"index":3,"custom":{"input":"a 12"}}]`, "0.input3"},
		"a function call":     {`"tool_calls":[{"index":2,"function":{"arguments":"\"a 12"}}]`, "0.args2"},
	} {
		t.Run(name, func(t *testing.T) {
			r := stream(t, redactingChain(t), []string{chunk(0, tc.delta, "null"), doneEvent})
			require.Nil(t, r.err)
			assert.Equal(t, "a 12", strings.TrimPrefix(r.parts[tc.part], `"`))
		})
	}
}

func TestLogProbabilitiesOfChangedTextAreTakenOut(t *testing.T) {
	events := []string{
		`data: {"choices":[{"logprobs":{"content":[{"token":"fine"}]},"delta":{"content":"fine "},"index":0}]}` + "\n\n",
		`data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"4567"},"logprobs":{"content":[{"token":"4567"}]}}]}` + "\n\n",
		`data: {"choices":[{"index":0,"delta":{"content":"4567 x"},"logprobs":{"content":[{"token":"4567"}]}},{"index":1,"delta":{"content":"y"},"logprobs":{"content":[{"token":"y"}]}}]}` + "\n\n",
		doneEvent,
	}
	r := stream(t, redactingChain(t), events)
	require.Nil(t, r.err)
	assert.NotContains(t, r.out, "4567")
	assert.Equal(t, 2, strings.Count(r.out, `"logprobs":null`))
	assert.Contains(t, r.out, `"token":"fine"`)
	assert.Contains(t, r.out, `"token":"y"`)
}

func TestAStreamOfVeryManyPartsStaysLinear(t *testing.T) {
	calls := 0
	c := newChain(t, nil, link("count", &guard{filter: func(*core.Exchange, any) (core.StreamFilter, error) {
		return filterFunc(func(core.Window) (core.Verdict, int, error) {
			calls++
			return core.Verdict{Action: core.Pass}, 0, nil
		}), nil
	}}))
	var events []string
	for i := range 2000 {
		events = append(events, argsOf(i, fmt.Sprintf(`{"a":"%d"}`, i)))
	}
	x := newRequest(t, helloRequest)
	require.Equal(t, core.Pass, c.RunRequest(t.Context(), x).Action)
	s, e := c.Stream(t.Context(), x, openai.Chat{})
	require.Nil(t, e)
	defer s.Close(t.Context())
	var ev core.Event
	for _, raw := range events {
		ev.Reset([]byte(raw))
		require.NoError(t, openai.Chat{}.ScanEvent(x, &ev))
		_, e = s.RunEvent(t.Context(), &ev, nil)
		require.Nil(t, e)
	}
	assert.LessOrEqual(t, calls, 2*len(events), "a part that has ended is not looked at again")
	assert.Less(t, testing.AllocsPerRun(50, func() {
		ev.Reset([]byte(events[0]))
		_ = openai.Chat{}.ScanEvent(x, &ev)
		_, _ = s.RunEvent(t.Context(), &ev, nil)
	}), 40.0)
}

func TestAStreamHidesNothingThatAWholeAnswerShows(t *testing.T) {
	for name, event := range map[string]string{
		"behind a byte order mark":         "\xEF\xBB\xBF" + `data: {"choices":[{"index":0,"delta":{"content":"12345678 is it"}}]}`,
		"in the title of an annotation":    `data: {"choices":[{"index":0,"delta":{"content":"","annotations":[{"type":"url_citation","url_citation":{"url":"https://a.example","title":"12345678 is it"}}]}}]}`,
		"in a member of a choice":          `data: {"choices":[{"index":0,"delta":{},"note":"12345678 is it"}]}`,
		"in a member of the chunk":         `data: {"choices":[],"note":{"deep":["12345678 is it"]}}`,
		"in a name of a member":            `data: {"choices":[],"note":{"12345678 is it":1}}`,
		"beside a name of a tool":          `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"12345678 is it","arguments":"{}"}}]}}]}`,
		"in a name of a member of a call":  `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":"{\"12345678\":1}"}}]}}]}`,
		"in the middle of text in a piece": `data: {"choices":[{"index":0,"delta":{"content":"it is 12345678 "}}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			c := redactingChain(t)
			r := stream(t, c, []string{event + "\n\n", doneEvent})
			require.Nil(t, r.err)
			assert.NotContains(t, r.out, "12345678")
			assert.Contains(t, r.out, "{{PII_NUMBER_")
		})
	}
}

func TestAChunkOfTheGatewayIsLikeTheAnswersAndNotLikeAzuresFilterResults(t *testing.T) {
	const filtered = `data: {"choices":[],"created":0,"id":"","model":"","object":"","prompt_filter_results":[{"prompt_index":0}]}` + "\n\n"
	piece := func(delta, finish string) string {
		return `data: {"choices":[{"index":0,"delta":` + delta + `,"finish_reason":` + finish + `}],"created":7,"id":"chatcmpl-1","model":"gpt","object":"chat.completion.chunk"}` + "\n\n"
	}
	r := stream(t, redactingChain(t), []string{filtered, piece(`{"content":"it is 12345"}`, "null"), piece(`{}`, `"stop"`), doneEvent})
	require.Nil(t, r.err)
	assert.Equal(t, "it is 12345", r.parts["0.content"])
	assert.Equal(t, 1, strings.Count(r.out, `"id":""`), r.out)
	assert.Equal(t, strings.Count(r.out, `"choices":[{`), strings.Count(r.out, `"id":"chatcmpl-1"`), r.out)
}
