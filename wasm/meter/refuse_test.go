package meter_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/wasm/meter"
)

const magic = "\x00asm\x01\x00\x00\x00"

// bodyOf returns a module with one function that has no parameters and one local.
func bodyOf(code []byte) []byte {
	return guest{pages: 1, tables: []int{1}, passive: []int{3}, funcs: []fn{{locals: ops(tI32), code: code}}}.bytes()
}

func importing(kind ...byte) []byte {
	return cat([]byte(magic), section(1, vec(ops(0x60, 0, 1, tI32))), section(2, vec(cat(name("host"), name("x"), kind))))
}

func TestRewrite_Refuses(t *testing.T) {
	t.Parallel()
	types := section(1, vec(ops(0x60, 0, 0)))
	cases := map[string]struct {
		src    []byte
		reason string
	}{
		"nothing":                          {nil, meter.ReasonMalformed},
		"another file":                     {[]byte("PK\x03\x04 and so on"), meter.ReasonMalformed},
		"another version":                  {[]byte("\x00asm\x02\x00\x00\x00"), meter.ReasonMalformed},
		"a component":                      {[]byte("\x00asm\x0d\x00\x01\x00"), meter.ReasonMalformed},
		"a truncated section":              {cat([]byte(magic), ops(1, 100, 0)), meter.ReasonMalformed},
		"an unknown section":               {cat([]byte(magic), section(14, nil)), meter.ReasonMalformed},
		"sections out of order":            {cat([]byte(magic), section(3, vec()), types), meter.ReasonMalformed},
		"a section twice":                  {cat([]byte(magic), types, types), meter.ReasonMalformed},
		"bytes behind a section's content": {cat([]byte(magic), section(1, ops(0, 0))), meter.ReasonMalformed},
		"an integer of too many bytes":     {cat([]byte(magic), section(1, ops(0x80, 0x80, 0x80, 0x80, 0x80, 0))), meter.ReasonMalformed},
		"an integer of too many bits":      {cat([]byte(magic), section(1, ops(0x80, 0x80, 0x80, 0x80, 0x10))), meter.ReasonMalformed},
		"a vector longer than its section": {cat([]byte(magic), section(1, ops(100, 0x60, 0, 0))), meter.ReasonMalformed},
		"a function without a body":        {cat([]byte(magic), types, section(3, vec(ops(0)))), meter.ReasonMalformed},
		"a tag section":                    {cat([]byte(magic), section(13, vec())), meter.ReasonUnsupported},
		"a type that is not a function":    {cat([]byte(magic), section(1, vec(ops(0x5f, 0)))), meter.ReasonUnsupported},
		"an unknown value type":            {cat([]byte(magic), section(1, vec(ops(0x60, 1, 0x6e, 0)))), meter.ReasonUnsupported},
		"an imported table":                {importing(1, tFuncRef, 0, 1), meter.ReasonImport},
		"an imported memory":               {importing(2, 0, 1), meter.ReasonImport},
		"an imported global":               {importing(3, tI32, 0), meter.ReasonImport},
		"an imported tag":                  {importing(4, 0, 0), meter.ReasonImport},
		"an import of an unknown kind":     {importing(5, 0, 0), meter.ReasonMalformed},
		"a module that imports the tick": {
			cat([]byte(magic), section(1, vec(ops(0x60, 0, 1, tI32))), section(2, vec(cat(name("headgate"), name("tick"), ops(0, 0))))),
			meter.ReasonImport,
		},
		"a shared memory":     {cat([]byte(magic), section(5, vec(ops(3, 1, 2)))), meter.ReasonUnsupported},
		"a memory of 64 bits": {cat([]byte(magic), section(5, vec(ops(4, 1)))), meter.ReasonUnsupported},
		"two memories":        {cat([]byte(magic), section(5, vec(ops(0, 1), ops(0, 1)))), meter.ReasonUnsupported},
		"a table with an initial value": {
			cat([]byte(magic), section(4, vec(ops(0x40, 0, tFuncRef, 0, 1, 0xd0, tFuncRef, end)))),
			meter.ReasonUnsupported,
		},
		"a memory above the limit":        {guest{pages: 257, funcs: []fn{{}}}.bytes(), meter.ReasonTooLarge},
		"a table above the limit":         {guest{tables: []int{65537}, funcs: []fn{{}}}.bytes(), meter.ReasonTooLarge},
		"tables above the limit together": {guest{tables: []int{40_000, 40_000}, funcs: []fn{{}}}.bytes(), meter.ReasonTooLarge},
		"a hundred tables":                {guest{tables: make([]int, 100), funcs: []fn{{}}}.bytes(), meter.ReasonTooLarge},
		"a body above the limit":          {bodyOf(make([]byte, 70_000)), meter.ReasonTooLarge},
		"too many locals": {
			cat([]byte(magic), types, section(3, vec(ops(0))), section(10, vec(cat(ops(6, 1), uleb(100_000), ops(tI32, end))))),
			meter.ReasonTooLarge,
		},
		"four billion locals": {
			cat(
				[]byte(magic),
				types,
				section(3, vec(ops(0))),
				section(10, vec(cat(ops(14, 2), uleb(1<<32-1), ops(tI32), uleb(1<<32-1), ops(tI32, end)))),
			),
			meter.ReasonTooLarge,
		},
		"a tail call":                         {bodyOf(ops(0x12, 0)), meter.ReasonUnsupported},
		"an indirect tail call":               {bodyOf(ops(0x13, 0, 0)), meter.ReasonUnsupported},
		"a call of a reference":               {bodyOf(ops(0x14, 0)), meter.ReasonUnsupported},
		"a try":                               {bodyOf(ops(0x06, void, end)), meter.ReasonUnsupported},
		"a try table":                         {bodyOf(ops(0x1f, void, 0, end)), meter.ReasonUnsupported},
		"a throw":                             {bodyOf(ops(0x08, 0)), meter.ReasonUnsupported},
		"an atomic instruction":               {bodyOf(ops(0xfe, 3, 0)), meter.ReasonUnsupported},
		"a garbage-collected type":            {bodyOf(ops(0xfb, 0, 0)), meter.ReasonUnsupported},
		"relaxed SIMD":                        {bodyOf(ops(0xfd, 0x80, 0x02)), meter.ReasonUnsupported},
		"an unknown SIMD opcode":              {bodyOf(ops(0xfd, 0x9a, 0x01)), meter.ReasonUnsupported},
		"an unknown opcode":                   {bodyOf(ops(0xff)), meter.ReasonUnsupported},
		"an unknown opcode behind 0xfc":       {bodyOf(ops(0xfc, 18)), meter.ReasonUnsupported},
		"an access to a second memory":        {bodyOf(cat(i32(0), ops(0x28, 0x42, 1, 0, drop))), meter.ReasonMalformed},
		"the size of a second memory":         {bodyOf(ops(0x3f, 1, drop)), meter.ReasonUnsupported},
		"an else without an if":               {bodyOf(ops(block, void, opElse, end)), meter.ReasonMalformed},
		"a superfluous end":                   {bodyOf(ops(end)), meter.ReasonMalformed},
		"a missing end":                       {bodyOf(ops(block, void)), meter.ReasonMalformed},
		"reading the private counter":         {bodyOf(cat(globalGet(1), ops(drop))), meter.ReasonIndex},
		"setting the private counter":         {bodyOf(cat(i32(1<<30), globalSet(1))), meter.ReasonIndex},
		"setting the private depth":           {bodyOf(cat(i32(-1), globalSet(2))), meter.ReasonIndex},
		"setting the private local":           {bodyOf(cat(i32(1), localSet(1))), meter.ReasonIndex},
		"a call beyond the functions":         {bodyOf(call0(1)), meter.ReasonIndex},
		"a reference beyond the functions":    {bodyOf(ops(0xd2, 1, drop)), meter.ReasonIndex},
		"a branch beyond the function":        {bodyOf(ops(br, 1)), meter.ReasonIndex},
		"a branch table beyond the function":  {bodyOf(cat(i32(0), ops(brTable, 1, 1, 0))), meter.ReasonIndex},
		"a block of a private type":           {bodyOf(ops(block, 1, end)), meter.ReasonIndex},
		"an indirect call of a private type":  {bodyOf(cat(i32(0), ops(0x11, 1, 0))), meter.ReasonIndex},
		"an indirect call by an absent table": {bodyOf(cat(i32(0), ops(0x11, 0, 1))), meter.ReasonIndex},
		"an absent data segment":              {bodyOf(ops(0xfc, 9, 1)), meter.ReasonIndex},
		"an absent element segment":           {bodyOf(ops(0xfc, 13, 0)), meter.ReasonIndex},
		"an export of the private counter":    {cat([]byte(magic), section(7, vec(cat(name("x"), ops(3, 0))))), meter.ReasonIndex},
		"an export of a missing memory": {
			cat([]byte(magic), section(5, ops(0x80, 0)), section(7, vec(cat(name("x"), ops(2, 0))))),
			meter.ReasonIndex,
		},
		"an export of a private name": {
			cat([]byte(magic), section(5, vec(ops(0, 1))), section(7, vec(cat(name("headgate.depth"), ops(2, 0))))),
			meter.ReasonUnsupported,
		},
		"an export of the tick":                {cat([]byte(magic), section(7, vec(cat(name("x"), ops(0, 0))))), meter.ReasonIndex},
		"a start function that does not exist": {cat([]byte(magic), section(8, ops(0))), meter.ReasonIndex},
		"an element that does not exist": {
			cat([]byte(magic), section(4, vec(ops(tFuncRef, 0, 1))), section(9, vec(cat(ops(0), i32(0), ops(end, 1, 0))))),
			meter.ReasonIndex,
		},
		"a global set to the private counter": {cat([]byte(magic), section(6, vec(ops(tI32, 0, 0x23, 1, end)))), meter.ReasonIndex},
		"a constant of several instructions": {
			cat([]byte(magic), section(6, vec(ops(tI32, 0, 0x41, 1, 0x41, 1, 0x6a, end)))),
			meter.ReasonUnsupported,
		},
		"a name that is not UTF-8": {cat([]byte(magic), section(0, ops(1, 0xff))), meter.ReasonMalformed},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			out, err := meter.Rewrite(c.src, meter.Limits{})
			require.Error(t, err)
			assert.Nil(t, out)
			reason, ok := meter.IsRefused(err)
			require.True(t, ok)
			assert.Equal(t, c.reason, reason, "%v", err)
		})
	}
}

func TestRewrite_RefusesCountsAboveTheirLimit(t *testing.T) {
	t.Parallel()
	src := guest{
		imports: []fn{{}, {}}, funcs: []fn{{}, {}}, pages: 2, tables: []int{5, 5}, elements: []int{0, 1},
		passive: []int{1, 1},
	}.bytes()
	_, err := meter.Rewrite(src, meter.Limits{})
	require.NoError(t, err)
	for sentence, lim := range map[string]meter.Limits{
		"bytes": {Size: len(src) - 1}, "body": {Body: 1}, "functions": {Functions: 1}, "table": {Table: 9},
		"pages": {MemoryPages: 1}, "data": {Data: 1}, "elements": {Elements: 2}, "types": {Types: 3},
		"exports": {Exports: 2}, "imports": {Imports: 1}, "tables": {Tables: 1},
	} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			_, err := meter.Rewrite(src, lim)
			reason, _ := meter.IsRefused(err)
			assert.Equal(t, meter.ReasonTooLarge, reason)
		})
	}
}
