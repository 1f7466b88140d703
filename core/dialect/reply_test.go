package dialect_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/dialect"
	"github.com/headgate-dev/headgate/core/dialect/openai"
)

func TestABodyThatClientsOfEachShapeReadIsAReply(t *testing.T) {
	for _, d := range shapes {
		for _, more := range []string{"", `,"stream":true`} {
			x := newRequest(t, d, more)
			made, err := dialect.BuildAnswer(x, reply)
			require.NoError(t, err)
			got, err := dialect.ParseReply(x, made.Raw)
			require.NoError(t, err, "%s: %s", d.Name(), made.Raw)
			assert.Equal(t, made.Header, got.Header, d.Name())
			assert.Equal(t, string(made.Raw), string(got.Raw), d.Name())

			for name, body := range map[string]string{
				"an empty object":  "{}",
				"another object":   `{"hello":1}`,
				"text":             "hello",
				"half of it":       string(made.Raw[:len(made.Raw)/2]),
				"half an event":    strings.TrimRight(string(made.Raw), "\n}"),
				"something behind": string(made.Raw) + "{",
			} {
				_, err := dialect.ParseReply(x, []byte(body))
				assert.Error(t, err, "%s: %s: %s", d.Name(), name, body)
			}
		}
	}
}

func TestABodyIsOfTheKindThatTheClientAskedFor(t *testing.T) {
	whole, streamed := newRequest(t, openai.Chat{}, ""), newRequest(t, openai.Chat{}, `,"stream":true`)
	a, err := dialect.BuildAnswer(whole, reply)
	require.NoError(t, err)
	b, err := dialect.BuildAnswer(streamed, reply)
	require.NoError(t, err)
	_, err = dialect.ParseReply(streamed, a.Raw)
	require.ErrorContains(t, err, "asked for a stream")
	_, err = dialect.ParseReply(whole, b.Raw)
	require.ErrorContains(t, err, "did not ask for a stream")
	whole.Dialect = "direct.speech"
	_, err = dialect.ParseReply(whole, a.Raw)
	require.ErrorContains(t, err, "does not accept")
}
