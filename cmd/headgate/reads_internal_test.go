package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// writers may create a database, a key or other files.
const writers = `costs rebuild, config import, fleet resume, keys create, keys revoke, keys rotate, license create-dev, license set,
	migrate up, pat create, pat revoke, plugin build, plugin compile, plugin keygen, plugin lock, plugin new, plugin pack,
	plugin promote, plugin pull, plugin push, plugin reject, plugin sign, policy activate, policy archive, policy create, policy delete,
	policy promote, policy rollback, policy shadow, policy update, restore, serve, users create, users disable, users enable,
	users passwd, webhook redeliver, webhook seal, webhooks redeliver, webhooks seal`

// fileReaders read files, or ask a running gateway, and open no database.
const fileReaders = `a2a call, import bifrost, import litellm, import portkey, license verify, mcp call, plugin abi, plugin bench,
	plugin conform, plugin inspect, plugin list, plugin test, plugin verify, policy check, policy eval, policy test, scan guard,
	scan pii, validate, version`

// listLeaves lists all verbs below c, hidden ones too.
func listLeaves(c *cobra.Command) (list []string) {
	for _, sub := range c.Commands() {
		if sub.HasSubCommands() {
			list = append(list, listLeaves(sub)...)
			continue
		}
		list = append(list, formatVerbPath(sub))
	}
	return list
}

func TestAReadNeverCreates(t *testing.T) {
	elsewhere := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(elsewhere, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	args := map[string][]string{
		"a2a inspect":     {"agent"},
		"backup":          {"copy.db"},
		"config diff":     {write("records.yaml", "tenants: []\n")},
		"mcp inspect":     {"server"},
		"mcp pin":         {"server", "tool"},
		"policy dry-run":  {write("p.policy", "policy \"p\" {}\n")},
		"policy stats":    {"id"},
		"policy versions": {"id"},
		"prices":          {"mock", "mock-echo"},
		"replay":          {"--chain", write("chain.yaml", "chain: []\n")},
	}
	kinds := map[string]string{}
	for kind, names := range map[string]string{"writer": writers, "file": fileReaders} {
		for name := range strings.SplitSeq(names, ",") {
			kinds[strings.TrimSpace(name)] = kind
		}
	}
	for name := range readers {
		assert.NotContains(t, kinds, name, "a verb is of one kind")
		kinds[name] = "reader"
	}
	for _, name := range listLeaves(newRootCommand()) {
		kind := kinds[name]
		delete(kinds, name)
		if kind == "writer" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			require.NotEmpty(t, kind, "name the verb in readers, or in the lists of this test")
			t.Chdir(t.TempDir())
			var out bytes.Buffer
			c := newRootCommand()
			c.SetOut(&out)
			c.SetErr(&out)
			c.SetIn(strings.NewReader(""))
			c.SetArgs(append(strings.Fields(name), args[name]...))
			err := c.ExecuteContext(t.Context())
			if kind == "reader" {
				require.ErrorContains(t, err, "no database")
				assert.ErrorContains(t, err, "headgate serve")
			}
			made, err := os.ReadDir(".")
			require.NoError(t, err)
			assert.Empty(t, made)
		})
	}
	assert.Empty(t, kinds, "verbs that are gone")
}

func TestADecisionAboutAToolIsNoRead(t *testing.T) {
	for _, flag := range []string{"--approve", "--reject"} {
		verb, rest, err := newRootCommand().Find([]string{"mcp", "pin", "server", "tool", flag, "digest"})
		require.NoError(t, err)
		assert.True(t, readsDatabase(verb), "without a decision it shows the definition alone")
		require.NoError(t, verb.ParseFlags(rest))
		assert.False(t, readsDatabase(verb), flag)
		require.NoError(t, verb.ParseFlags([]string{flag, ""}))
		assert.True(t, readsDatabase(verb), "%s without a digest decides nothing", flag)
	}
}

func TestAReaderOfADatabaseWithoutAKeyMakesNone(t *testing.T) {
	s := newShell(t)
	s.must("migrate", "up") // needs no master key
	assert.Empty(t, s.list("keys", "list"))
	assert.Contains(t, s.must("license", "show"), "NONE")
	_, err := os.Stat("headgate.key")
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func TestVerbsThatShowPrintJSON(t *testing.T) {
	s := newShell(t)
	s.must("migrate", "up")
	assert.Contains(t, s.must("license", "show", "--json"), `"status": "NONE"`)
	rows := s.list("prices", "openai", "gpt-4o")
	require.Len(t, rows, 1)
	assert.Equal(t, "gpt-4o", rows[0]["model"])
	assert.NotEmpty(t, rows[0]["input"])
	require.NoError(t, os.WriteFile("records.yaml", []byte("tenants: [{id: acme, name: Acme}]\n"), 0o600))
	out, err := s.run("config", "diff", "records.yaml", "--json")
	require.EqualError(t, err, "the database differs")
	assert.Contains(t, out, `"dry_run": true`)
	assert.Contains(t, out, `"id": "acme"`)
}
