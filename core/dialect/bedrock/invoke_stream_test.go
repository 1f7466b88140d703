package bedrock

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// chunk is a frame as InvokeModelWithResponseStream sends it, per
// https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModelWithResponseStream.html
// and https://docs.aws.amazon.com/AmazonS3/latest/API/RESTSelectObjectAppendix.html for its form.
func chunk(tb testing.TB, data string) string {
	return string(frame(
		tb,
		map[string]string{":event-type": "chunk", ":content-type": "application/json", ":message-type": "event"},
		`{"bytes":"`+base64.StdEncoding.EncodeToString([]byte(data))+`","p":"abcdefghij"}`,
	))
}

func exception(tb testing.TB, name, text string) string {
	return string(frame(tb, map[string]string{":exception-type": name, ":message-type": "exception"}, `{"message":"`+text+`"}`))
}

func TestEachFrameOfAnInvokedModelIsAnEventAsItIs(t *testing.T) {
	const start = `{"type":"message_start","message":{"id":"msg_bdrk_1","usage":{"input_tokens":3,"cache_read_input_tokens":2}}}`
	const stop = `{"type":"message_stop","amazon-bedrock-invocationMetrics":{"inputTokenCount":3}}`
	all := chunk(t, start) + chunk(t, "{\n \"type\":\"ping\"\n}") +
		string(frame(t, map[string]string{":event-type": "news", ":message-type": "event"}, `{}`)) + chunk(t, stop)
	want := "event: message_start\ndata: " + start + "\n\nevent: ping\ndata: {\"type\":\"ping\"}\n\nevent: message_stop\ndata: " + stop + "\n\n"
	for _, size := range []int{1, 7, 100, len(all)} {
		var s InvokeStream
		var got []byte
		for rest := all; rest != ""; {
			n := min(size, len(rest))
			var err error
			got, err = s.Append(got, []byte(rest[:n]))
			require.NoError(t, err)
			rest = rest[n:]
		}
		assert.Equal(t, want, string(got), "in pieces of %d", size)
	}
}

func TestAnExceptionBecomesTheErrorEventOfMessages(t *testing.T) {
	for name, typ := range map[string]string{
		"throttlingException": "rate_limit_error", "validationException": "invalid_request_error", "serviceUnavailableException": "overloaded_error",
		"internalServerException": "api_error", "modelStreamErrorException": "api_error", "modelTimeoutException": "api_error", "newException": "api_error",
	} {
		var s InvokeStream
		got, err := s.Append(nil, []byte(exception(t, name, `it \"failed\"`)))
		require.NoError(t, err)
		assert.Equal(t, "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\""+typ+"\",\"message\":\"it \\\"failed\\\"\"}}\n\n", string(got), name)
	}
}

func TestAFrameThatHoldsNoEventIsTheProvidersFault(t *testing.T) {
	for _, bad := range []string{
		chunk(t, "no JSON"), chunk(t, `{"type":"a\nevent: b"}`), chunk(t, "{\"type\":\"x\"}\n{}"),
		string(frame(t, map[string]string{":event-type": "chunk", ":message-type": "event"}, `{"bytes":1}`)),
		strings.Repeat("x", 40),
	} {
		var s InvokeStream
		_, err := s.Append(nil, []byte(bad))
		require.ErrorContains(t, err, "broken event stream")
	}
}
