package wasm

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// following returns a stage that has hg_stream only. It runs code, which leaves a result, for text of an answer that starts with '!', and
// releases other text.
func following(code []byte, funcs ...fn) []byte {
	return guest{
		manifest: `{"name":"hostile","kind":"stage","phases":["response"],"reads":{"text":["assistant"]}}`,
		nodetect: true, locals: 1, funcs: funcs,
		stream: onOperation(abi.StreamPush, cat([]byte{0x20, 2, 0x45, 0x04, 0x40}, i64c(0), []byte{0x0f, 0x0b}, code)),
	}.bytes()
}

// followers returns hostile stages that follow an answer as it streams.
func followers() []SandboxCase {
	calm := patient
	grow := cat(count(4, 30, cat(i32c(10), []byte{0x40, 0}, i32c(-1), []byte{0x46, 0x04, 0x40, 0x00, 0x0b})), i64c(0))
	deep := cat(i32c(20_000), callf(firstCase), drop, i64c(0))
	out := []SandboxCase{
		{
			Guest: "a stage with hg_stream: a loop", Limit: "deadline", Outcome: core.FaultTimeout,
			Source: following(cat(count(4, 100_000_000, nil), i64c(0))), Tight: hurried, Loose: patient,
		},
		{
			Guest: "a stage with hg_stream: a memory that grows to 19 MB", Limit: "memory", Outcome: core.FaultMemory,
			Source: following(grow), Tight: calm, Loose: calm.change(func(l *Limits) { l.Memory = 64 << 20 }),
		},
		{
			Guest: "a stage with hg_stream: recursion of 20 000 calls", Limit: "depth", Outcome: core.FaultDepth,
			Source: following(deep, recursive(20_000, false).funcs...), Tight: calm, Loose: calm.change(func(l *Limits) { l.Module.Depth = 1 << 20 }),
		},
	}
	for _, c := range []struct {
		guest, limit string
		want         core.Fault
		code         []byte
	}{
		{"a trap", "the runtime", core.FaultTrap, unreachable},
		{"a result that is not a number of bytes", "check of results", core.FaultABI, i64c(abi.Pack(spansAt, 16))},
		{"a hold of more than there is", "check of results", core.FaultABI, i64c(1 << 20)},
		{"its word that it failed", "check of results", core.FaultError, i64c(abi.BytesError)},
	} {
		out = append(out, SandboxCase{
			Guest:   "a stage with hg_stream: " + c.guest,
			Limit:   c.limit,
			Outcome: c.want,
			Source:  following(c.code),
			Tight:   calm,
			Loose:   calm,
			Broken:  true,
		})
	}
	for i := range out {
		out[i].Streamed = true
	}
	return out
}
