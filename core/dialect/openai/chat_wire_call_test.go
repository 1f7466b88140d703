package openai

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/llm"
)

func TestAnErrorInAStreamKnowsItsStatus(t *testing.T) {
	for data, want := range map[string]llm.Failure{
		`{"error":{"message":"m","type":"rate_limit_error","code":"rate_limit_exceeded"}}`:       {Status: 429, Code: "rate_limit_exceeded", Message: "m"},
		`{"error":{"message":"m","type":"invalid_request_error","code":"unknown_to_us"}}`:        {Status: 400, Code: "unknown_to_us", Message: "m"},
		`{"error":{"message":"m","code":503}}`:                                                   {Status: 503, Message: "m"},
		`{"error":"boom"}`:                                                                       {Message: "boom"},
		`{"object":"error","message":"m","type":"BadRequestError","code":400}`:                   {Status: 400, Code: "BadRequestError", Message: "m"},
		`{"error":{"message":"m","type":"new"},"choices":[{"index":0,"delta":{"content":"x"}}]}`: {Code: "new", Message: "m"},
	} {
		lines, err := decodeStream(ChatWire{}.DecodeStream(), []byte("data: "+data+"\n\ndata: [DONE]\n\n"))
		require.NoError(t, err, data)
		assert.Equal(t, []string{tellEvent(&llm.Event{Kind: llm.Failed, Error: &want})}, lines, data)
	}
}

func TestCallsOfAStreamAreToldApart(t *testing.T) {
	stream := func(deltas ...string) []byte {
		out := ""
		for _, d := range deltas {
			out += `data: {"choices":[{"index":0,"delta":{"tool_calls":[` + d + `]}}]}` + "\n\n"
		}
		return []byte(out)
	}
	for name, tc := range map[string]struct {
		deltas []string
		want   []string
	}{
		"by an identifier where all have one index": {
			[]string{`{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}},{"index":0,"id":"b","function":{"name":"g","arguments":"{}"}}`},
			[]string{`opened 0: call "a" of "f" kind 0`, `delta 0: "{}"`, `opened 0: call "b" of "g" kind 0`, `delta 0: "{}"`},
		},
		"by an identifier where there is no index": {
			[]string{`{"id":"a","function":{"name":"f","arguments":"{"}}`, `{"function":{"arguments":"}"}}`, `{"id":"b","function":{"name":"g"}}`},
			[]string{`opened 0: call "a" of "f" kind 0`, `delta 0: "{"`, `delta 0: "}"`, `opened 0: call "b" of "g" kind 0`},
		},
		"an identifier that is repeated is no other call": {
			[]string{`{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}`, `{"index":0,"id":"a","function":{"arguments":"}"}}`},
			[]string{`opened 0: call "a" of "f" kind 0`, `delta 0: "{"`, `delta 0: "}"`},
		},
		"a name that comes late is waited for": {
			[]string{`{"index":0,"id":"a"}`, `{"index":0,"function":{"arguments":"{"}}`, `{"index":0,"function":{"name":"f","arguments":"}"}}`},
			[]string{`opened 0: call "a" of "f" kind 0`, `delta 0: "{}"`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			lines, err := decodeStream(ChatWire{}.DecodeStream(), stream(tc.deltas...))
			require.NoError(t, err)
			require.NotEmpty(t, lines)
			assert.Equal(t, tc.want, lines[1:])
		})
	}
	_, err := decodeStream(
		ChatWire{}.DecodeStream(),
		stream(
			`{"index":0,"id":"a","function":{"name":"f"}}`,
			`{"index":1,"id":"b","function":{"name":"g"}}`,
			`{"index":0,"function":{"arguments":"{}"}}`,
		),
	)
	require.Error(t, err, "a call that has ended does not go on")
}

func TestAStreamThatIsCutOffHasNoEnd(t *testing.T) {
	for _, tail := range []string{"", "data: [DO", `data: {"choices":[{"index":0,"delta":{"content":"b"}}`, "da", ": x"} {
		lines, err := decodeStream(
			ChatWire{}.DecodeStream(),
			[]byte("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n"+tail),
		)
		require.NoError(t, err, tail)
		assert.Equal(t, `delta 0: "a"`, lines[len(lines)-1])
	}
	for _, bad := range []string{"x", "[]", `{"choices":[{"index":5000000}]}`, `{"a":1,"a":2}`} {
		_, err := decodeStream(ChatWire{}.DecodeStream(), []byte("data: "+bad+"\n\n"))
		require.Error(t, err, bad)
	}
}
