package wasm

import (
	"context"
	"encoding/binary"

	"github.com/tetratelabs/wazero/api"

	"github.com/headgate-dev/headgate/wasm/abi"
	"github.com/headgate-dev/headgate/wasm/extism"
)

// newExtismFunc returns a host function. f gets the instance and finds its parameters on the stack, where it leaves its result.
func newExtismFunc(params []api.ValueType, results []api.ValueType, f func(i *instance, g *extismGuest, stack []uint64)) hostFunc {
	return hostFunc{params: params, results: results, fn: func(ctx context.Context, _ api.Module, stack []uint64) {
		i := ctx.(*callContext).inst
		if i.extism == nil {
			endWithBreach(early)
		}
		f(i, i.extism, stack)
	}}
}

var (
	one64 = []api.ValueType{i64}
	two64 = []api.ValueType{i64, i64}
	one32 = []api.ValueType{i32}
	mixed = []api.ValueType{i64, i32}
	// extismFuncs is the kernel that guests import.
	extismFuncs = map[string]hostFunc{
		"alloc": newExtismFunc(one64, one64, func(i *instance, g *extismGuest, s []uint64) {
			i.call.check()
			if s[0] = g.memory.AllocateBytes(s[0]); s[0] == 0 {
				panic(errNoBlock)
			}
		}),
		"free": newExtismFunc(one64, nil, func(_ *instance, g *extismGuest, s []uint64) { g.memory.Free(s[0]) }),
		"length": newExtismFunc(one64, one64, func(_ *instance, g *extismGuest, s []uint64) {
			s[0] = g.memory.Len(s[0])
		}),
		"length_unsafe": newExtismFunc(one64, one64, func(_ *instance, g *extismGuest, s []uint64) {
			s[0] = g.memory.Len(s[0])
		}),
		"load_u8": newExtismFunc(one64, one32, func(i *instance, g *extismGuest, s []uint64) {
			s[0] = uint64(i.readExtismBytes(g, s[0], 1)[0])
		}),
		"load_u64": newExtismFunc(one64, one64, func(i *instance, g *extismGuest, s []uint64) {
			s[0] = binary.LittleEndian.Uint64(i.readExtismBytes(g, s[0], 8))
		}),
		"store_u8": newExtismFunc(mixed, nil, func(i *instance, g *extismGuest, s []uint64) {
			i.readExtismBytes(g, s[0], 1)[0] = byte(s[1])
		}),
		"store_u64": newExtismFunc(two64, nil, func(i *instance, g *extismGuest, s []uint64) {
			binary.LittleEndian.PutUint64(i.readExtismBytes(g, s[0], 8), s[1])
		}),
		"input_length": newExtismFunc(nil, one64, func(_ *instance, g *extismGuest, s []uint64) { s[0] = uint64(len(g.input)) }),
		"input_load_u8": newExtismFunc(one64, one32, func(_ *instance, g *extismGuest, s []uint64) {
			s[0] = extism.PackWord(g.input, s[0]) & 0xff
		}),
		"input_load_u64": newExtismFunc(one64, one64, func(_ *instance, g *extismGuest, s []uint64) {
			s[0] = extism.PackWord(g.input, s[0])
		}),
		"output_set": newExtismFunc(two64, nil, func(i *instance, g *extismGuest, s []uint64) {
			g.output = i.readExtismBytes(g, s[0], s[1])
		}),
		"error_set": newExtismFunc(one64, nil, func(i *instance, g *extismGuest, s []uint64) {
			i.v.log.writeLine(abi.LevelError, readExtismLine(g, s[0]))
		}),
		"config_get": newExtismFunc(one64, one64, func(i *instance, g *extismGuest, s []uint64) {
			i.call.check()
			s[0] = g.memory.Put(g.config[string(g.memory.Block(s[0]))])
		}),
		"var_get": newExtismFunc(one64, one64, func(i *instance, g *extismGuest, s []uint64) {
			i.call.check()
			s[0] = g.memory.Put(g.vars.Get(string(g.memory.Block(s[0]))))
		}),
		"var_set": newExtismFunc(two64, nil, func(i *instance, g *extismGuest, s []uint64) {
			i.call.check()
			key := string(g.memory.Block(s[0]))
			if s[1] == 0 {
				g.vars.Delete(key)
			} else if !g.vars.Set(key, g.memory.Block(s[1])) {
				panic(errNoBlock)
			}
		}),
		"get_log_level": newExtismFunc(nil, one32, func(_ *instance, _ *extismGuest, s []uint64) { s[0] = extism.LogLevel }),
		"log_trace":     newExtismLog(abi.LevelDebug),
		"log_debug":     newExtismLog(abi.LevelDebug),
		"log_info":      newExtismLog(abi.LevelInfo),
		"log_warn":      newExtismLog(abi.LevelWarn),
		"log_error":     newExtismLog(abi.LevelError),
	}
)

func newExtismLog(level abi.Level) hostFunc {
	return newExtismFunc(one64, nil, func(i *instance, g *extismGuest, s []uint64) {
		i.call.check()
		i.v.log.writeLine(level, readExtismLine(g, s[0]))
	})
}

func readExtismLine(g *extismGuest, at uint64) []byte {
	b := g.memory.Block(at)
	return b[:min(len(b), maxLogLine)]
}

// readExtismBytes returns shared memory. It ends the call of a guest that reaches beyond it.
func (i *instance) readExtismBytes(g *extismGuest, at, n uint64) []byte {
	b, ok := g.memory.ReadSlice(at, n)
	if !ok {
		panic(i.v.newABIFault("it reaches beyond the memory that it shares with the host"))
	}
	return b
}
