package main_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/sdk/project/guests"
)

// count returns how many bodies were received.
func (u *upstream) count() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return len(u.bodies)
}

func TestACacheThatIsAProcessAnswersEachTenantOnItsOwn(t *testing.T) {
	t.Parallel()
	s, up := newSite(t), newUpstream(t)
	close(up.goOn) // lets streams finish
	s.bring("plugins/answercache", filepath.Join(guests.Processes(t), "answercache"))
	const otherKey = testKey + "-other"
	chain := "  - stage: pii\n  - {process: answercache, start_timeout: 1m, timeout: 20s, config: {ttl_seconds: 60}}\n"
	text := configText(up.URL, chain)
	s.write(
		"gateway.yaml",
		[]byte(strings.Replace(text, "plugins: {dir:", "  - {id: other, keys: [{name: dev, key: "+otherKey+", scopes: []}]}\nplugins: {dir:", 1)),
	)
	g := s.serve("--config", "gateway.yaml")
	c := g.client(testKey)

	first := c.chat(t, "gpt-4o", "hello")
	require.Equal(t, 200, first.status, first.body)
	assert.Equal(t, "miss", first.header.Get("X-Answer-Cache"))
	again := c.chat(t, "gpt-4o", "hello")
	require.Equal(t, 200, again.status, again.body)
	assert.Equal(t, "hit", again.header.Get("X-Answer-Cache"))
	assert.Equal(t, first.content(), again.content())
	assert.Equal(t, 1, up.count(), "the provider was called once")
	assert.Equal(t, "miss", c.chat(t, "gpt-4o", "goodbye").header.Get("X-Answer-Cache"))
	assert.Equal(t, "miss", g.client(otherKey).chat(t, "gpt-4o", "hello").header.Get("X-Answer-Cache"), "the answer of another tenant is not served")
	assert.Equal(t, 3, up.count())

	body, err := json.Marshal(
		map[string]any{"model": "gpt-4o", "stream": true, "messages": []any{map[string]any{"role": "user", "content": "tell me"}}},
	)
	require.NoError(t, err)
	var streams []string
	for _, want := range []string{"miss", "hit"} {
		a, err := c.do("POST", "/v1/chat/completions", body)
		require.NoError(t, err)
		assert.Equal(t, want, a.header.Get("X-Answer-Cache"))
		assert.Contains(t, a.body, "[DONE]")
		streams = append(streams, a.body)
	}
	assert.Contains(t, streams[0], "second half")
	assert.Contains(t, streams[1], "first half, second half", "the whole text, in one event")
	assert.Equal(t, 4, up.count())
	f := s.run("validate", "--config", "gateway.yaml")
	assert.Zero(t, f.code, f.err)
}
