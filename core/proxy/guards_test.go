package proxy_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

//go:generate go test -tags nomsgpack -run TestEveryGuardSeesEveryPlace -update .

// guard is a stage that objects to a value, or takes it out.
type guard struct {
	name  string
	value string
	chain func(t testing.TB) func(core.Tokens) []core.Link
}

// TestEveryGuardSeesEveryPlace plants a value in each place of each shape, both ways, and
// wants it stopped. The same request without the guard has to let the value through:
// otherwise the cell would say nothing.
func TestEveryGuardSeesEveryPlace(t *testing.T) {
	table := newParity()
	for _, g := range guards {
		t.Run(g.name, func(t *testing.T) {
			for _, c := range askings() {
				for _, m := range c.manners() {
					t.Run("request/"+c.shape+"/"+c.place+"/"+string(m), func(t *testing.T) {
						assert.True(t, c.arrives(t, m, g.value, nil), "without the guard the value has to reach the provider")
						assert.False(t, c.arrives(t, m, g.value, g.chain(t)), "the provider was sent the value")
						table.note(g.name, "request", c.shape, c.place, m)
					})
				}
			}
			for _, c := range tellings() {
				t.Run("answer/"+c.shape+" of "+c.provider+"/"+c.place+"/"+string(c.manner), func(t *testing.T) {
					assert.True(t, c.arrives(t, g.value, nil), "without the guard the value has to reach the client")
					assert.False(t, c.arrives(t, g.value, g.chain(t)), "the client was sent the value")
					table.note(g.name, "answer", c.shape, c.place, c.manner)
				})
			}
		})
	}
	if t.Failed() || !table.complete() { // some were left out by -run
		return
	}
	doc := filepath.Join("..", "..", "docs", "parity.md")
	if *update {
		require.NoError(t, os.WriteFile(doc, []byte(table.String()), 0o644))
		return
	}
	old, err := os.ReadFile(doc)
	require.NoError(t, err)
	assert.Equal(t, string(old), table.String(), "docs/parity.md is not what this run saw: go generate ./core/proxy")
}

func (c *asking) manners() []manner {
	if c.streams {
		return []manner{wholly, streamed}
	}
	return []manner{wholly}
}

// arrives sends the request and reports whether the provider was shown the value.
func (c *asking) arrives(t *testing.T, m manner, value string, chain func(core.Tokens) []core.Link) bool {
	t.Helper()
	kind := map[string]string{
		messagesPath: "anthropic", countPath: "anthropic", generatePath: "gemini", tokensPath: "gemini",
	}[c.path]
	if kind == "" {
		kind = "openai"
	}
	up := newFake(t, says(whole(418, "application/json", `{}`)))
	g := open(t, setup{provider: provided(t, kind, up.url), override: "own", chain: chain})
	half := len(value) / 2
	body := strings.NewReplacer("@1", value[:half], "@2", value[half:], "@", value).Replace(c.body)
	a := g.to(inManner(c.path, m), streamedBody(body, m))
	assert.NotContains(t, a.body, core.CodeGuardUnavailable, "a guard that fails stops everything, and proves nothing")
	sent := up.requests()
	if chain == nil {
		require.NotEmpty(t, sent, "the provider is asked: %d %s", a.status, a.body)
	}
	for _, s := range sent {
		said := strings.Join(strings.Fields(spoken(t, s.body)), "")
		if strings.Contains(said, value) {
			return true
		}
	}
	return false
}

// arrives asks, and reports whether the client was shown the value.
func (c *telling) arrives(t *testing.T, value string, chain func(core.Tokens) []core.Link) bool {
	t.Helper()
	up := newScripted(t)
	up.say(c.feature(), c.manner)
	up.edit = planted(value)
	g := open(t, setup{provider: provided(t, c.provider, up.url), chain: chain})
	a := g.to(inManner(c.path, c.manner), streamedBody(c.body, c.manner))
	if chain == nil {
		require.Equal(t, 200, a.status, a.body)
	}
	assert.NotContains(t, a.body, core.CodeGuardUnavailable, "a guard that fails stops everything, and proves nothing")
	return strings.Contains(spoken(t, a.body), value)
}

func inManner(path string, m manner) string {
	if m == streamed {
		return strings.Replace(path, ":generateContent", ":streamGenerateContent?alt=sse", 1)
	}
	return path
}

func streamedBody(body string, m manner) string {
	if m == streamed {
		return strings.Replace(body, "STREAM", `,"stream":true`, 1)
	}
	return strings.Replace(body, "STREAM", "", 1)
}
