package main_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPluginConformSaysWhichRulesAModuleBreaks(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.copy("employee-id.wasm", sample(t))
	s.copy("employee-id.cases.yaml", fromRoot(t, "sdk/samples/employee-id/employee-id.cases.yaml"))
	f := s.run("plugin", "conform", "employee-id.wasm")
	require.Zero(t, f.code, f.out+f.err)
	assert.Contains(t, f.out, "15 rules hold, 0 broken, 0 say nothing about it")
	assert.NotContains(t, f.out, "  holds", "only what is broken is listed")

	s.copy("garbage.wasm", []byte("GIF89a"))
	f = s.run("plugin", "conform", "--json", "employee-id.wasm", "garbage.wasm")
	assert.Equal(t, 1, f.code)
	var all []struct {
		File   string
		Broken int
		Rules  []struct{ Rule, State, Detail string }
	}
	require.NoError(t, json.Unmarshal([]byte(f.out), &all), f.out)
	require.Len(t, all, 2)
	assert.Zero(t, all[0].Broken)
	assert.Equal(t, 1, all[1].Broken)
	assert.Equal(t, "broken", all[1].Rules[0].State)

	f = s.run("plugin", "conform", "nowhere.wasm")
	assert.Equal(t, 1, f.code)
	assert.Contains(t, f.err, "nowhere.wasm")
}

func TestPluginABIPrintsTheDescription(t *testing.T) {
	t.Parallel()
	f := newSite(t).run("plugin", "abi")
	require.Zero(t, f.code, f.err)
	var d struct {
		Version int
		Imports []struct{ Name string }
	}
	require.NoError(t, json.Unmarshal([]byte(f.out), &d))
	assert.Equal(t, 1, d.Version)
	assert.Greater(t, len(d.Imports), 15)
}

func TestPluginTestGatesFuelAndFuzzes(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.copy("employee-id.wasm", sample(t))
	s.copy("employee-id.cases.yaml", fromRoot(t, "sdk/samples/employee-id/employee-id.cases.yaml"))
	f := s.run("plugin", "test", "employee-id.wasm", "--max-fuel", "1000000", "--fuzz", "300ms", "--seed", "3")
	require.Zero(t, f.code, f.out+f.err)
	assert.Contains(t, f.out, " texts tried, 0 faults found")
	f = s.run("plugin", "test", "employee-id.wasm", "--max-fuel", "1")
	assert.Equal(t, 1, f.code)
	assert.Contains(t, f.out, "fuel: at most 1, took ")
}
