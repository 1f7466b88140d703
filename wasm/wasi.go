package wasm

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/tetratelabs/wazero/api"

	"github.com/headgate-dev/headgate/wasm/abi"
	"github.com/headgate-dev/headgate/wasm/meter"
)

// wasiModule is the system interface that compilers of whole languages import. It is sealed off: no files, no environment, no arguments,
// and no clock except one that counts its own readings. Output goes to the log. The host implements these functions instead of using the
// runtime's, because each of them must check the deadline.
const wasiModule = "wasi_snapshot_preview1"

// Error numbers of the system interface.
const (
	errnoSuccess = 0
	errnoBadf    = 8
	errnoFault   = 21
	errnoInval   = 28
	errnoNosys   = 52
)

var wasiFuncs = map[string]hostFunc{
	"args_get":          wrapWASI(doNothing, i32, i32),
	"args_sizes_get":    wrapWASI(reportNoSizes, i32, i32),
	"environ_get":       wrapWASI(doNothing, i32, i32),
	"environ_sizes_get": wrapWASI(reportNoSizes, i32, i32),
	"clock_res_get":     wrapWASI(reportClockResolution, i32, i32),
	"clock_time_get":    wrapWASI(reportClockTime, i32, i64, i32),
	"fd_fdstat_get":     wrapWASI(reportFdstat, i32, i32),
	"fd_write":          wrapWASI(writeWASI, i32, i32, i32, i32),
	"poll_oneoff":       wrapWASI(reportPoll, i32, i32, i32, i32),
	"random_get":        wrapWASI(fillWASIRandom, i32, i32),
	"sched_yield":       wrapWASI(doNothing),
	"proc_exit": {params: []api.ValueType{i32}, fn: func(_ context.Context, _ api.Module, stack []uint64) {
		panic(exitError(uint32(stack[0])))
	}},
}

// wasiAbsent are functions that are linked and report that no such file or object exists.
var wasiAbsent = map[string]uint64{
	"fd_advise": errnoBadf, "fd_allocate": errnoBadf, "fd_close": errnoBadf, "fd_datasync": errnoBadf,
	"fd_fdstat_set_flags": errnoBadf, "fd_fdstat_set_rights": errnoBadf, "fd_filestat_get": errnoBadf,
	"fd_filestat_set_size": errnoBadf, "fd_filestat_set_times": errnoBadf, "fd_pread": errnoBadf,
	"fd_prestat_get": errnoBadf, "fd_prestat_dir_name": errnoBadf, "fd_pwrite": errnoBadf, "fd_read": errnoBadf,
	"fd_readdir": errnoBadf, "fd_renumber": errnoBadf, "fd_seek": errnoBadf, "fd_sync": errnoBadf, "fd_tell": errnoBadf,
	"path_create_directory": errnoBadf, "path_filestat_get": errnoBadf, "path_filestat_set_times": errnoBadf,
	"path_link": errnoBadf, "path_open": errnoBadf, "path_readlink": errnoBadf, "path_remove_directory": errnoBadf,
	"path_rename": errnoBadf, "path_symlink": errnoBadf, "path_unlink_file": errnoBadf,
	"proc_raise": errnoNosys, "sock_accept": errnoBadf, "sock_recv": errnoBadf, "sock_send": errnoBadf, "sock_shutdown": errnoBadf,
}

// newWASIFunc returns a function of the system interface.
func newWASIFunc(m meter.Extern) (hostFunc, bool) {
	if f, ok := wasiFuncs[m.Name]; ok {
		return f, true
	}
	errno, ok := wasiAbsent[m.Name]
	if !ok || !slices.Equal(m.Results, []meter.ValType{meter.I32}) {
		return hostFunc{}, false
	}
	return wrapWASI(func(*callContext, api.Memory, []uint64) uint64 { return errno }, convertTypes(m.Params)...), true
}

// wrapWASI wraps a function of the system interface, which returns an error number.
func wrapWASI(fn func(c *callContext, mem api.Memory, args []uint64) uint64, params ...api.ValueType) hostFunc {
	return hostFunc{params: params, results: []api.ValueType{i32}, fn: func(ctx context.Context, m api.Module, stack []uint64) {
		c := ctx.(*callContext)
		c.check()
		stack[0] = fn(c, m.Memory(), stack)
	}}
}

func doNothing(*callContext, api.Memory, []uint64) uint64 { return errnoSuccess }

func reportNoSizes(_ *callContext, mem api.Memory, args []uint64) uint64 {
	if !mem.WriteUint32Le(uint32(args[0]), 0) || !mem.WriteUint32Le(uint32(args[1]), 0) {
		return errnoFault
	}
	return errnoSuccess
}

// reportFdstat describes standard input and output as terminals. Other files do not exist.
func reportFdstat(_ *callContext, mem api.Memory, args []uint64) uint64 {
	if uint32(args[0]) > 2 {
		return errnoBadf
	}
	var stat [24]byte
	stat[0] = 2 // character device
	if !mem.Write(uint32(args[1]), stat[:]) {
		return errnoFault
	}
	return errnoSuccess
}

// maxVectors bounds the number of pieces of one write.
const maxVectors = 64

func writeWASI(c *callContext, mem api.Memory, args []uint64) uint64 {
	fd, vecs, n, out := uint32(args[0]), uint32(args[1]), uint32(args[2]), uint32(args[3])
	if fd != 1 && fd != 2 {
		return errnoBadf
	}
	if n > maxVectors {
		return errnoInval
	}
	table, ok := mem.Read(vecs, n*8)
	if !ok {
		return errnoFault
	}
	var line []byte
	total := uint32(0)
	for ; len(table) >= 8; table = table[8:] {
		ptr, size := binary.LittleEndian.Uint32(table), binary.LittleEndian.Uint32(table[4:])
		text, ok := mem.Read(ptr, size)
		if !ok {
			return errnoFault
		}
		total += size
		if room := maxLogLine - len(line); room > 0 {
			line = append(line, text[:min(len(text), room)]...)
		}
	}
	level := abi.LevelInfo
	if fd == 2 {
		level = abi.LevelWarn
	}
	c.inst.v.log.writeLine(level, line)
	if !mem.WriteUint32Le(out, total) {
		return errnoFault
	}
	return errnoSuccess
}

func fillWASIRandom(c *callContext, mem api.Memory, args []uint64) uint64 {
	if !fillRandom(c, mem, uint32(args[0]), uint32(args[1])) {
		return errnoFault
	}
	return errnoSuccess
}
