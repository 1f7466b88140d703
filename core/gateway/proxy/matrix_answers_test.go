package proxy_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// told is an answer as a client has parsed it, in the terms of its shape.
type told struct {
	Text, Refusal string
	Calls         []string // name and arguments
	Finish        string
	Usage         *spent
}

type spent struct{ In, Out, Thought int }

func strictly(t *testing.T, raw string, v any) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(raw), v), raw)
}

// sseFrame is one server-sent event.
type sseFrame struct{ event, data string }

// framesOf splits a stream into events as a client does.
func framesOf(t *testing.T, body string) (out []sseFrame) {
	t.Helper()
	body = strings.ReplaceAll(body, "\r\n", "\n") // Google's line ends
	require.True(t, strings.HasSuffix(body, "\n\n"), "a stream ends in a blank line: %q", body)
	for _, e := range strings.Split(strings.TrimSuffix(body, "\n\n"), "\n\n") {
		f := sseFrame{}
		for _, line := range strings.Split(e, "\n") {
			switch {
			case strings.HasPrefix(line, "event: "):
				f.event = line[7:]
			case strings.HasPrefix(line, "data: "):
				f.data += line[6:]
			default:
				require.Fail(t, "not a line of an event", "%q", line)
			}
		}
		out = append(out, f)
	}
	return out
}
