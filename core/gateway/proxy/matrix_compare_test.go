package proxy_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// member is a member of a JSON object, with its value as written.
type member struct{ key, value string }

func membersOf(t *testing.T, body string) (out []member) {
	d := json.NewDecoder(strings.NewReader(body))
	_, err := d.Token()
	require.NoError(t, err)
	for d.More() {
		k, err := d.Token()
		require.NoError(t, err)
		var v json.RawMessage
		require.NoError(t, d.Decode(&v))
		out = append(out, member{k.(string), string(bytes.TrimSpace(v))})
	}
	return out
}

// compare returns the members of the client's request that the provider did not get. It fails on any other difference,
// except for the routed model, the name of the token limit and the option that requests usage.
func (c *cell) compare(t *testing.T) (cut []string) {
	sent, inPath := membersOf(t, c.asked.body), false
	at := func(key string) int { return slices.IndexFunc(sent, func(m member) bool { return m.key == key }) }
	if i := at("stream_options"); i >= 0 {
		assert.Equal(t, streamed, c.manner)
		sent = slices.Delete(sent, i, i+1)
	}
	if i := at("anthropic_version"); i >= 0 {
		assert.Contains(t, []string{`"vertex-2023-10-16"`, `"bedrock-2023-05-31"`}, sent[i].value)
		sent = slices.Delete(sent, i, i+1)
		inPath = true
	}
	var kept []member
	for _, m := range membersOf(t, c.body) {
		if m.key == "model" {
			_, name, _ := strings.Cut(c.modelFor(c.shape, c.feature), "/")
			m.value = `"` + name + `"`
		}
		if m.key == "max_tokens" && at("max_completion_tokens") >= 0 {
			m.key = "max_completion_tokens"
		}
		if inPath && at(m.key) < 0 && (m.key == "model" || m.key == "stream") {
			continue // a cloud has them in the path
		}
		if at(m.key) < 0 {
			cut = append(cut, m.key)
			continue
		}
		kept = append(kept, m)
	}
	assert.Equal(t, kept, sent)
	return cut
}

// compareAnswer checks that a native answer is the provider's own, byte for byte, except for the chunk that only the
// gateway requested.
func (c *cell) compareAnswer(t *testing.T) {
	if c.asked.said == "" { // the mock's own answer
		return
	}
	want := c.asked.said
	if c.manner == streamed && c.asked.wire == "openai.chat" {
		want = withoutUsage(want)
	}
	assert.Equal(t, want, c.got.body)
}
