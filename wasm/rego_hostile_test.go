package wasm

import (
	"context"
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/wasm/extism"
	"github.com/headgate-dev/headgate/wasm/rego"
)

var nestedManifest = Manifest{Name: "nested", Kind: "rego", Phases: []string{"request"}}

// The stack of a call must not be re-entered during that call: the runtime would run the inner call over the outer call's frames.
func TestABuiltInThatIsCalledWhileTheHostReadsAValueIsRefused(t *testing.T) {
	source, err := os.ReadFile("testdata/nested.wasm")
	require.NoError(t, err)
	m := nestedManifest
	_, err = Load(context.Background(), LoadOptions{Source: source, Name: "nested.wasm", Manifest: &m, Limits: Limits{Timeout: time.Second}})
	var e *Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, core.FaultABI, e.Kind, e.Reason)
	assert.Contains(t, e.Reason, "built-in")
}

// For a module without a memory the runtime returns none, and the host must not dereference it.
func TestAForeignModuleWithoutAMemoryIsRefused(t *testing.T) {
	// (module (func (export "detect") (result i32) (i32.const 0)))
	source := []byte(
		"\x00asm\x01\x00\x00\x00\x01\x05\x01\x60\x00\x01\x7f\x03\x02\x01\x00\x07\x0a\x01\x06detect\x00\x00\x0a\x06\x01\x04\x00\x41\x00\x0b",
	)
	_, err := loadExtism(t, source, "{}")
	require.ErrorContains(t, err, "does not export memory")
}

func TestTheFunctionsOfAnotherKindAreNotLinked(t *testing.T) {
	for _, f := range []importedFunc{{rego.Module, "opa_builtin2", typIIIII}, {extism.Module, "input_length", typL}} {
		_, err := Load(context.Background(), LoadOptions{Source: guest{imports: []importedFunc{f}}.bytes(), Name: "x.wasm"})
		assert.ErrorContains(t, err, "does not offer", f.module)
	}
}

// A start function runs before the instance exists.
func TestAForeignModuleThatCallsTheHostWhileItStartsIsRefused(t *testing.T) {
	// (module (import "extism:host/env" "input_length" (func (result i64))) (memory (export "memory") 1)
	//   (func (export "detect") (result i32) (i32.const 0)) (func $s (drop (call 0))) (start $s))
	source := cat([]byte(moduleHeader),
		section(1, vec([][]byte{{0x60, 0, 1, 0x7e}, {0x60, 0, 1, 0x7f}, {0x60, 0, 0}})),
		section(2, vec([][]byte{cat(str(extism.Module), str("input_length"), []byte{0, 0})})),
		section(3, vec([][]byte{{1}, {2}})), section(5, []byte{1, 0, 1}),
		section(7, vec([][]byte{cat(str("memory"), []byte{2, 0}), cat(str(extism.Hook), []byte{0, 1})})),
		section(8, []byte{2}),
		section(10, vec([][]byte{{4, 0, 0x41, 0, 0x0b}, {5, 0, 0x10, 0, 0x1a, 0x0b}})))
	_, err := loadExtism(t, source, "{}")
	var e *Error
	require.ErrorAs(t, err, &e)
	assert.Contains(t, e.Reason, "before it was ready")
	assert.NotContains(t, e.Reason, "nil pointer")
}

func TestModulesOfEveryKindCanBeLookedAt(t *testing.T) {
	for name, c := range map[string]struct {
		source   []byte
		manifest Manifest
	}{"a policy": {modelAccessModule(t), regoManifest}, "an Extism plug-in": {codenamesModule(t), codenames}} {
		packed, err := json.Marshal(c.manifest)
		require.NoError(t, err)
		whole, err := WithManifest(c.source, packed)
		require.NoError(t, err)
		seen, err := Inspect(whole, nil)
		require.NoError(t, err, name)
		assert.Equal(t, c.manifest.Kind, seen.Manifest.Kind)
		assert.True(t, seen.Packed)
		seen, err = Inspect(c.source, &c.manifest)
		require.NoError(t, err, name)
		assert.False(t, seen.Packed)
		assert.Positive(t, seen.Memory)
	}
}
