package meter_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/wasm/meter"
)

// bomb returns a body of n constructs, nested or in sequence, after which all locals are still needed.
func bomb(locals, n int, nested bool, open, shut []byte) []byte {
	var b []byte
	for range n {
		if b = append(b, open...); !nested {
			b = append(b, shut...)
		}
	}
	for k := range locals {
		b = cat(b, localGet(k), ops(drop))
	}
	for range n {
		if nested {
			b = append(b, shut...)
		}
	}
	types := make([]byte, locals)
	for k := range types {
		types[k] = tI32
	}
	return guest{pages: 1, funcs: []fn{{locals: types, code: b}}}.bytes()
}

func TestRewrite_RefusesBodiesThatKeepTheCompilerBusy(t *testing.T) {
	t.Parallel()
	var (
		aLoop  = ops(loop, void)
		again  = cat(i32(0), ops(brIf, 0, end))
		anIf   = cat(localGet(0), ops(opIf, void))
		ends   = cat(localGet(0), localSet(0), ops(end))
		aBlock = ops(block, void)
	)
	for sentence, c := range map[string]struct {
		source []byte
		says   string // empty if the module is accepted
	}{
		"loops within loops":               {bomb(10, 100, true, aLoop, again), "nested loops in a function"},
		"nested loops of many locals":      {bomb(1000, 30, true, aLoop, again), "nested loops times locals"},
		"loops of many locals":             {bomb(1900, 150, false, aLoop, again), "loops times locals"},
		"very many loops":                  {bomb(1, 3000, false, aLoop, again), "loops in a function"},
		"very many blocks":                 {bomb(1, 9000, false, aBlock, ops(end)), "blocks in a function"},
		"paths that join over many locals": {bomb(1900, 400, false, anIf, ends), "blocks times locals"},
		"the loops of an ordinary program": {bomb(60, 20, true, aLoop, again), ""},
		"a large ordinary program":         {bomb(200, 2000, false, anIf, ends), ""},
	} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			_, err := meter.Rewrite(c.source, meter.Limits{})
			if c.says == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.says)
			var refused *meter.RefusedError
			require.ErrorAs(t, err, &refused)
			assert.Equal(t, meter.ReasonTooLarge, refused.Reason)
		})
	}
}
