package main_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// createKey creates a key in a separate process.
func (s *site) createKey(args ...string) string {
	s.t.Helper()
	f := s.run(append([]string{"keys", "create", "--config", "gateway.yaml"}, args...)...)
	require.Zero(s.t, f.code, f.err)
	key := strings.TrimSpace(f.out)
	require.Regexp(s.t, `^gw_[A-Za-z0-9_-]{20,}$`, key)
	return key
}

// inForce waits until a key is known, and returns how long it took.
func (g *gate) inForce(key string) time.Duration {
	g.t.Helper()
	c := g.client(key)
	took := eventually(g.t, "the key is known", func() bool {
		a, err := c.try("mock-echo", "hello")
		return err == nil && a.status != http.StatusUnauthorized
	})
	// The promise is 2 s; a loaded machine may need longer, but never so long.
	assert.Less(g.t, took, 10*time.Second)
	g.t.Logf("the key was in force after %s", took.Round(10*time.Millisecond))
	return took
}

func TestACreatedKeyIsInForceInTheRunningGateway(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.configure("", "  - stage: pii\n")
	g := s.serve("--config", "gateway.yaml")
	for _, c := range []struct {
		name         string
		flags        []string
		chat, models int
	}{
		{"with the scope it gets unless another is named", nil, 200, 403},
		{"with the scope of models alone", []string{"--scope", "models:read"}, 403, 200},
		{"with both", []string{"--scope", "completions:write,models:read"}, 200, 200},
		{"with no scope at all, which is all of them", []string{"--scope", ""}, 200, 200},
		{"with a label, which opens nothing", []string{"--scope", "cost:high"}, 403, 403},
	} {
		t.Run(c.name, func(t *testing.T) {
			key := s.createKey(append([]string{"--name", strings.ReplaceAll(c.name, " ", "-")}, c.flags...)...)
			g.inForce(key)
			client := g.client(key)
			assert.Equal(t, c.chat, client.chat(t, "mock-echo", "hello").status)
			a, err := client.do("GET", "/v1/models", nil)
			require.NoError(t, err)
			assert.Equal(t, c.models, a.status)
			assert.NotContains(t, g.out.String()+g.errs.String(), key)
		})
	}
	assert.Equal(t, 200, g.client(testKey).chat(t, "mock-echo", "hello").status, "the key of the file still serves")
}

func TestAKeyEndsWhenItWasSaidTo(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.configure("", "  - stage: pii\n")
	g := s.serve("--config", "gateway.yaml")
	past := s.run("keys", "create", "--config", "gateway.yaml", "--name", "past",
		"--expires-at", time.Now().Add(-time.Minute).Format(time.RFC3339))
	assert.Equal(t, 1, past.code)
	assert.Contains(t, past.err, "expires_at: write a time in the future")
	lasting := s.createKey("--name", "lasting", "--expires-at", time.Now().Add(time.Hour).Format(time.RFC3339))
	short := s.createKey("--name", "short", "--expires-at", time.Now().Add(8*time.Second).Format(time.RFC3339))
	g.inForce(lasting)
	g.inForce(short)
	eventually(t, "the short key ends", func() bool {
		return g.client(short).chat(t, "mock-echo", "hello").status == http.StatusUnauthorized
	})
	assert.Equal(t, 200, g.client(lasting).chat(t, "mock-echo", "hello").status)
}

func TestMakingAKeyWithTheSampleConfigurationTakesNothingAway(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.configure("", "  - stage: pii\n")
	s.write("gateway.yaml", []byte(strings.Replace(configText("", "  - stage: pii\n"), "name: dev", "name: of-the-file", 1)))
	g := s.serve("--config", "gateway.yaml")
	// Without --config the command uses the sample, whose tenant has other keys: the gateway's file decides about those.
	f := s.run("keys", "create", "--name", "another")
	require.Zero(t, f.code, f.err)
	g.inForce(strings.TrimSpace(f.out))
	assert.Equal(t, 200, g.client(testKey).chat(t, "mock-echo", "hello").status)
}

func TestAKeyForATenantThatThereIsNotIsAnError(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.configure("", "  - stage: pii\n")
	f := s.run("keys", "create", "--config", "gateway.yaml", "--name", "x", "--tenant", "nobody")
	assert.Equal(t, 1, f.code)
	assert.Contains(t, f.err, `unknown tenant "nobody"`)
	f = s.run("keys", "create", "--config", "gateway.yaml", "--name", "x", "--expires-at", "tomorrow")
	assert.Equal(t, 1, f.code)
	assert.Contains(t, f.err, "2027-01-31T00:00:00Z")
	f = s.run("keys", "create", "--config", "gateway.yaml")
	assert.Equal(t, 1, f.code)
	assert.Contains(t, f.err, "name")
}

func TestATenantOrKeyTakenOutOfTheFileIsNoLongerServed(t *testing.T) {
	t.Parallel()
	const second = "gw_e2eSecondTenant0123456789abcdef"
	s := newSite(t)
	text := configText("", "  - stage: pii\n")
	more := strings.Replace(text, "plugins:", "  - {id: second, keys: [{name: two, key: "+second+", scopes: []}]}\nplugins:", 1)
	s.write("gateway.yaml", []byte(more))
	g := s.serve("--config", "gateway.yaml")
	require.Equal(t, 200, g.client(second).chat(t, "mock-echo", "hello").status)
	s.write("gateway.yaml", []byte(text))
	eventually(t, "the key of the removed tenant is refused", func() bool {
		return g.client(second).chat(t, "mock-echo", "hello").status == http.StatusUnauthorized
	})
	assert.Equal(t, 200, g.client(testKey).chat(t, "mock-echo", "hello").status)
	s.write("gateway.yaml", []byte(more))
	eventually(t, "it serves again when it is put back", func() bool {
		return g.client(second).chat(t, "mock-echo", "hello").status == http.StatusOK
	})
}

func TestAKeyOfTheFileChangesWithTheFile(t *testing.T) {
	t.Parallel()
	const other = "gw_e2eOtherKey0123456789abcdefgh"
	s := newSite(t)
	text := configText("", "  - stage: pii\n")
	s.write("gateway.yaml", []byte(text))
	g := s.serve("--config", "gateway.yaml")
	models := func(key string) int {
		a, err := g.client(key).do("GET", "/v1/models", nil)
		require.NoError(t, err)
		return a.status
	}
	require.Equal(t, 200, models(testKey))
	for _, step := range []struct {
		name, old, new string
		first, second  int // statuses of the two keys
	}{
		{"narrower scopes", "scopes: []", "scopes: [completions:write]", 403, 401},
		{"a replaced key", testKey, other, 401, 200},
		{"the first key again", testKey, testKey, 200, 401},
		{"an end in the past", "scopes: []", "scopes: [], expires_at: 2020-01-01T00:00:00Z", 401, 401},
		{"no end", "scopes: []", "scopes: []", 200, 401},
	} {
		s.write("gateway.yaml", []byte(strings.Replace(text, step.old, step.new, 1)))
		eventually(t, step.name, func() bool { return models(testKey) == step.first && models(other) == step.second })
		assert.False(t, g.status().warned("refused"), step.name)
	}
}

func TestModulesThatAreSlowToLoadDelayNeitherKeysNorTheStatus(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.configure("", everyPlugin)
	g := s.serve("--config", "gateway.yaml")
	// Each loads until the time limit of a start, which is one second.
	const slow = 15
	for i := range slow {
		s.copy(fmt.Sprintf("plugins/slow-%02d.wasm", i), build(guest{funcs: [][]byte{endless(nil)}, start: true}.bytes(), strconv.Itoa(i)))
	}
	eventually(t, "they are being loaded", func() bool { return g.status().warned("plugin slow-00.wasm") })
	key := s.createKey("--name", "meanwhile")
	g.inForce(key)
	assert.False(t, g.status().warned(fmt.Sprintf("plugin slow-%02d.wasm", slow-1)), "they are being loaded still")
	require.NoError(t, g.client(key).checkEcho("mock-echo", "hello"))
}

func TestAKeyMayAskOnlyForItsModels(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	config := strings.Replace(configText("", "  - stage: pii\n"), "scopes: []}", `scopes: [], models: ["mock-e*"]}`, 1)
	s.write("gateway.yaml", []byte(config))
	g := s.serve("--config", "gateway.yaml")
	created := s.createKey("--name", "limited", "--scope", "", "--model", "mock-e*,gpt-*")
	g.inForce(created)
	for name, key := range map[string]string{"a key of the file": testKey, "a key of the command line": created} {
		t.Run(name, func(t *testing.T) {
			client := g.client(key)
			assert.Equal(t, 200, client.chat(t, "mock-echo", "hello").status)
			assert.Equal(t, 403, client.chat(t, "mock-tools", "hello").status)
		})
	}
	s.write("gateway.yaml", []byte(strings.Replace(config, `["mock-e*"]`, "[mock-tools]", 1)))
	require.Eventually(t, func() bool { // a reload changes them
		a, err := g.client(testKey).try("mock-tools", "hello")
		return err == nil && a.status == 200
	}, patience, 20*time.Millisecond)
	assert.Equal(t, 403, g.client(testKey).chat(t, "mock-echo", "hello").status)

	for _, pattern := range []string{"mcp/files/read", strings.Repeat("m", 257)} {
		refused := s.run("keys", "create", "--config", "gateway.yaml", "--name", "wrong", "--model", pattern)
		assert.NotZero(t, refused.code)
		assert.Contains(t, refused.err, "1 to 256 characters")
	}
}
