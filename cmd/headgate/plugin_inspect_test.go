package main_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestInspectTellsWhatAModuleIsAndMayTouch(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	key := s.createKeyPair("a")
	other := s.createKeyPair("b")
	s.copy("plugins/"+employees, sample(t))
	require.Zero(t, s.run("plugin", "sign", "--key", "a.key", "--comment", "reviewed by two", "plugins/"+employees).code)
	require.Zero(t, s.run("plugin", "lock", "--dir", "plugins").code)

	f := s.run("plugin", "inspect", "--pub", key, "plugins/"+employees)
	require.Zero(t, f.code, f.err)
	for _, line := range []string{
		`file +employee-id\.wasm, \d+ bytes`, "sha256 +" + digest(sample(t)), "plugin +employee-id 1.0.0, kind detector, licence Apache-2.0",
		"manifest +in the module", "labels +employee_id", "max match +10 bytes", "phases +request, response", "sees text +all", "sees fields +none",
		"capabilities +none", "memory +128 KiB at the start", `exports +memory, hg_abi_1 \(\) -> \(i32\), .*hg_detect \(i32, i32, i32\) -> \(i64\)`,
		"imports +none", `signature +good, by the key [0-9A-F]{16}: timestamp:\d+ file:employee-id\.wasm hashed reviewed by two`, "pinned +yes",
	} {
		assert.Regexp(t, "(?m)^"+line+"$", f.out)
	}
	type told struct {
		Digest, ManifestFrom, Pinned, Problem string
		Manifest                              struct{ Name, Version string }
		MayTouch                              map[string][]string
		Exports, Imports                      []string
		Signature                             struct{ State, Key, Reason string }
	}
	look := func(args ...string) (v told, code int) {
		f := s.run(append([]string{"plugin", "inspect", "--json"}, args...)...)
		require.NoError(t, json.Unmarshal([]byte(f.out), &v), f.out+f.err)
		return v, f.code
	}
	v, _ := look("plugins/" + employees)
	assert.Equal(t, "unchecked", v.Signature.State)
	assert.Equal(t, "1.0.0", v.Manifest.Version)
	assert.Equal(t, map[string][]string{"phases": {"request", "response"}, "text": {"all"}, "fields": {}, "capabilities": {}}, v.MayTouch)
	assert.Len(t, v.Exports, 4)
	assert.Empty(t, v.Imports)
	v, _ = look("--pub", "b.pub", "plugins/"+employees)
	assert.Equal(t, "bad", v.Signature.State)
	assert.Contains(t, v.Signature.Reason, "not listed")
	assert.NotEmpty(t, other)

	s.copy("plugins/"+employees, build(sample(t), "changed"))
	v, _ = look("--pub", "a.pub", "plugins/"+employees)
	assert.Equal(t, "bad", v.Signature.State)
	assert.Equal(t, "no", v.Pinned)
	s.remove("plugins/" + employees + ".sig")
	s.write("plugins/plugins.lock", []byte("?"))
	v, _ = look("plugins/" + employees)
	assert.Equal(t, "none", v.Signature.State)
	assert.Contains(t, v.Pinned, "unknown: plugins.lock, line 1")

	s.copy("plugins/bad.wasm", sample(t)[:700])
	v, code := look("plugins/bad.wasm")
	assert.Equal(t, 1, code)
	assert.Contains(t, v.Problem, "check the module")
	assert.Equal(t, digest(sample(t)[:700]), v.Digest)
}
