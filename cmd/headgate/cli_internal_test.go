package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shell runs commands in this process, on its own database.
type shell struct {
	t    *testing.T
	args []string
}

func newShell(t *testing.T) *shell {
	dir := t.TempDir()
	file := filepath.Join(dir, "gateway.yaml")
	text := "store: {url: \"sqlite:" + filepath.Join(dir, "headgate.db") + "\"}\nproviders: {mock: {type: mock}}\n" +
		"tenants: [{id: default, name: Default}]\nadmin: {key_grace: 1h}\n"
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	t.Chdir(dir) // the key file is beside the database
	return &shell{t: t, args: []string{"--config", file}}
}

func (s *shell) run(words ...string) (string, error) {
	s.t.Helper()
	var out, errs bytes.Buffer
	c := newRootCommand()
	c.SetOut(&out)
	c.SetErr(&errs)
	c.SetArgs(append(words, s.args...))
	err := c.ExecuteContext(s.t.Context())
	return out.String(), err
}

func (s *shell) must(words ...string) string {
	s.t.Helper()
	out, err := s.run(words...)
	require.NoError(s.t, err)
	return out
}

// list runs a list command with --json.
func (s *shell) list(words ...string) (rows []map[string]any) {
	s.t.Helper()
	out := s.must(append(words, "--json")...)
	require.NoError(s.t, json.Unmarshal([]byte(out), &rows), out)
	require.NotNil(s.t, rows, "an empty list is [], not null")
	return rows
}

func TestKeysAreListedRotatedAndRevoked(t *testing.T) {
	s := newShell(t)
	s.must("migrate", "up")
	assert.Empty(t, s.list("keys", "list"))
	first := strings.TrimSpace(s.must("keys", "create", "--name", "ci"))
	rows := s.list("keys", "list")
	require.Len(t, rows, 1)
	id := rows[0]["id"].(string)
	assert.Equal(t, "ci", rows[0]["name"])
	assert.Equal(t, "default", rows[0]["tenant_id"])
	assert.Equal(t, "active", rows[0]["status"])
	assert.NotContains(t, s.must("keys", "list", "--json"), first)
	assert.Equal(t, "cli", rows[0]["source"])
	assert.Empty(t, rows[0]["owner"])
	var events []struct{ Payload map[string]any }
	require.NoError(t, json.Unmarshal([]byte(s.must("audit", "export", "--type", "CONFIG_CHANGED")), &events))
	require.Len(t, events, 1, "the audit log says who has created the key")
	assert.Equal(t, [4]any{"cli", "create", "key", id},
		[4]any{events[0].Payload["actor"], events[0].Payload["action"], events[0].Payload["resource"], events[0].Payload["id"]})

	second := strings.TrimSpace(s.must("keys", "rotate", id))
	assert.NotEqual(t, first, second)
	assert.Equal(t, first[:3], second[:3], "it is a key")
	states := map[string]map[string]any{}
	for _, row := range s.list("keys", "list", "--tenant", "default") {
		states[row["status"].(string)] = row
	}
	require.Len(t, states, 2)
	require.Equal(t, id, states["rotated"]["id"])
	end, err := time.Parse(time.RFC3339, states["rotated"]["expires_at"].(string))
	require.NoError(t, err)
	assert.WithinDuration(t, time.Now().Add(time.Hour), end, 10*time.Minute, "the old key works for admin.key_grace")

	s.must("keys", "revoke", states["active"]["id"].(string))
	table := s.must("keys", "list")
	assert.Regexp(t, `^ID +TENANT +NAME +PREFIX +SCOPES +STATUS `, table)
	assert.Contains(t, table, "revoked")

	for _, verb := range []string{"rotate", "revoke"} {
		_, err := s.run("keys", verb, "nothing")
		assert.ErrorContains(t, err, `unknown key "nothing"`)
	}
	_, err = s.run("keys", "list", "--tenant", "nobody")
	assert.Error(t, err)
}

func TestEveryListVerbPrintsJSON(t *testing.T) {
	for _, c := range listVerbs(newRootCommand()) {
		if !strings.HasPrefix(c.Short, "List ") {
			continue
		}
		f := c.Flags().Lookup("json")
		assert.NotNil(t, f, "%s has no --json", c.CommandPath())
	}
	s := newShell(t)
	s.must("migrate", "up")
	rows := s.list("migrate", "status")
	require.NotEmpty(t, rows)
	assert.Equal(t, "records", rows[0]["name"])
	assert.NotNil(t, rows[0]["applied_at"])
	for _, words := range [][]string{
		{"users", "list"}, {"pat", "list"}, {"webhook", "list"}, {"webhook", "dead"}, {"fleet", "nodes"}, {"policy", "list"},
	} {
		assert.Empty(t, s.list(words...), "%v", words)
	}
	token := strings.TrimSpace(s.must("pat", "create", "--name", "ci"))
	assert.Equal(t, "automation", s.list("users", "list")[0]["id"])
	tokens := s.list("pat", "list")
	assert.Equal(t, "ci", tokens[0]["name"])
	assert.True(t, strings.HasPrefix(token, tokens[0]["prefix"].(string)))
	assert.NotContains(t, s.must("pat", "list", "--json"), token)
}

func TestTheFormerNounOfWebhooksStillWorks(t *testing.T) {
	s := newShell(t)
	s.must("migrate", "up")
	assert.Contains(t, s.must("webhooks", "list"), "pending deliveries: 0, given up: 0")
	help := s.must("--help")
	assert.Contains(t, help, "\n  webhook ")
	assert.NotContains(t, help, "\n  webhooks ")
}

func TestAnUnknownVerbSuggestsTheRightOne(t *testing.T) {
	for words, says := range map[string]string{
		"config check":    `unknown verb "check" of "headgate config"; did you mean "headgate validate"?`,
		"config validate": `did you mean "headgate validate"?`,
		"check":           `did you mean "headgate validate"?`,
		"start":           `did you mean "headgate serve"?`,
		"serv":            `did you mean "headgate serve"?`,
		"webhok":          `did you mean "headgate webhook"?`,
		"key":             `did you mean "headgate keys"?`,
		"keys revok":      `did you mean "headgate keys revoke"?`,
		"audit verfy":     `did you mean "headgate audit verify"?`,
		"redeliver":       `did you mean "headgate webhook redeliver"?`,
		"frobnicate":      `unknown verb "frobnicate" of "headgate"; "headgate --help" lists the verbs`,
	} {
		c := newRootCommand()
		c.SetArgs(strings.Fields(words))
		assert.ErrorContains(t, c.Execute(), says, words)
	}
}

func TestEveryVerbSaysHowItIsUsed(t *testing.T) {
	for _, c := range listVerbs(newRootCommand()) {
		assert.NotEmpty(t, c.Short, c.CommandPath())
		assert.False(t, strings.HasSuffix(c.Short, "."), "%s: no full stop", c.CommandPath())
	}
	c := newRootCommand()
	c.SetArgs([]string{"keys", "revoke"})
	assert.ErrorContains(t, c.Execute(), "usage: headgate keys revoke ID")
}

func TestTheVersionIsPrintedByVerbAndByFlag(t *testing.T) {
	old := version
	t.Cleanup(func() { version = old })
	version = "v9.8.7"
	for _, words := range [][]string{{"version"}, {"--version"}} {
		var out bytes.Buffer
		c := newRootCommand()
		c.SetOut(&out)
		c.SetArgs(words)
		require.NoError(t, c.Execute())
		assert.Regexp(t, `^headgate v9\.8\.7 go1\.\S+ \w+/\w+`, out.String(), words)
		assert.Equal(t, 1, strings.Count(out.String(), "\n"))
	}
	version = ""
	assert.NotEmpty(t, readProgramVersion(), "without a stamp it is what the build recorded")
}
