package main_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// needy is a detector whose hg_configure refuses settings of fewer than three bytes, so that it does not start without any.
func needy() []byte {
	section := func(id byte, body ...byte) []byte { return append([]byte{id, byte(len(body))}, body...) }
	named := func(name string, rest ...byte) []byte {
		return append(append([]byte{byte(len(name))}, name...), rest...)
	}
	code := func(body ...byte) []byte { return append(append([]byte{byte(len(body) + 2), 0}, body...), 0x0b) }
	const i32, i64 = 0x7f, 0x7e
	return slices.Concat(
		[]byte("\x00asm\x01\x00\x00\x00"),
		section(1, 4, 0x60, 0, 1, i32, 0x60, 1, i32, 1, i32, 0x60, 3, i32, i32, i32, 1, i64, 0x60, 2, i32, i32, 1, i32),
		section(3, 4, 0, 1, 2, 3),
		section(5, 1, 0, 32),
		section(7, slices.Concat(
			[]byte{5}, named("memory", 2, 0), named("hg_abi_1", 0, 0), named("hg_alloc", 0, 1), named("hg_detect", 0, 2), named("hg_configure", 0, 3),
		)...),
		section(10, slices.Concat(
			[]byte{4},
			code(0x41, 0),                // version: no features
			code(0x41, 0x80, 0x08),       // alloc: 1024
			code(0x42, 0),                // detect: no spans
			code(0x20, 1, 0x41, 3, 0x49), // configure: length < 3
		)...),
		section(0, named("headgate.manifest", []byte(`{"name":"needy","kind":"detector","labels":["a"],"max_match":4}`)...)...),
	)
}

func TestVerifyTellsAGoodSignatureFromMissingSettings(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	key := s.createKeyPair("a")
	s.copy("plugins/needy.wasm", needy())
	f := s.run("plugin", "sign", "--key", "a.key", "plugins/needy.wasm")
	require.Zero(t, f.code, f.out+f.err)

	f = s.run("plugin", "verify", "--pub", "a.pub", "plugins/needy.wasm")
	assert.Zero(t, f.code, f.out+f.err)
	assert.Contains(t, f.out, "plugins/needy.wasm: signature ok; not tried: ")
	assert.Contains(t, f.out, "name its link's settings with --config")

	s.write("gateway.yaml", []byte(configText("", "  - {wasm: needy.wasm, config: {action: flag, settings: {a: 1}}}\n")))
	f = s.run("plugin", "verify", "--pub", "a.pub", "--config", "gateway.yaml", "plugins/needy.wasm")
	assert.Zero(t, f.code, f.out+f.err)
	assert.Contains(t, f.out, "plugins/needy.wasm: ok: needy ")

	s.write("gateway.yaml", []byte(configText("", "  - {wasm: needy.wasm, config: {action: flag}}\n")))
	f = s.run("plugin", "verify", "--pub", "a.pub", "--config", "gateway.yaml", "plugins/needy.wasm")
	assert.Equal(t, 1, f.code, "the configuration names no settings")
	assert.Contains(t, f.out, "plugins/needy.wasm: REFUSED: ")

	other := append(needy(), 0, 2, 1, 'x') // another module than the signed one
	s.copy("plugins/needy.wasm", other)
	f = s.run("plugin", "verify", "--pub", "a.pub", "plugins/needy.wasm")
	assert.Equal(t, 1, f.code)
	assert.NotContains(t, f.out, "signature ok")
	assert.NotEmpty(t, key)
}
