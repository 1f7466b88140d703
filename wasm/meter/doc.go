// Package meter checks a WebAssembly binary when it is loaded and rewrites it
// so that a running guest can always be cut. It imports the standard library
// only; the runtime that runs the result is the caller's.
//
// Native code made from Wasm cannot be pre-empted: a guest that loops stops the
// garbage collector, and with it every goroutine, until it returns. The meter
// therefore puts a private counter into the module. Code pays for itself before
// it runs, and when the counter is used up the guest calls the injected import
// headgate.tick, where the host looks at deadlines, lets the collector in, and
// either answers with the next slice or panics with the error that ends the
// call.
//
// # What is charged, and where
//
// A checkpoint is a few instructions that subtract a fixed charge from the
// counter and tick when it falls below zero. The charge is the weight of the
// code that can run after the checkpoint and before the next one: one for an
// ordinary instruction, more for expensive ones (division, calls, vector
// arithmetic; see the opcode tables), nothing for block and end.
//
//   - Every function starts with a checkpoint, a leaf too.
//   - Every loop header is one, passed on every turn, however it is entered.
//     A header straight behind a short entry pays for the entry as well.
//   - A run of code heavier than a stride (256) is split by further checkpoints.
//   - A checkpoint pays for nothing behind a call (of anything but an import or
//     a function known to call nothing), behind a loop, or behind the end of a
//     block within which another checkpoint or such a call lies: the next
//     instruction there gets its own checkpoint. Exempt are four units of
//     weight behind a call, paid together with it, so that "call, then return
//     the result" costs no second checkpoint.
//   - The two arms of an if are alternatives: the dearer one is charged.
//   - Code behind an unconditional branch cannot run and is not charged.
//
// Between two visits of a loop header, or after the entry of a function,
// control only moves forward through the text, so no instruction runs more
// often than it was paid for, and none runs unpaid (but for the short entry
// above, paid a moment later). What a tick can find paid for but not yet run is
// a stride in the running function, one more in a caller that waits for a leaf,
// and four units in each frame below. So
//
//	weight between two ticks <= Slice + 2*256, and while frames unwind + 4*Depth
//
// which is 20 512 by default, and 60 512 when a stack of full depth unwinds,
// plus one bulk operation, see below. A unit takes 0.1 to 0.4 ns of native code
// on a machine of 2026 whose data is in the cache, a slice about 5 us.
//
// A function with a loop keeps the counter in a local between calls, so that a
// register can hold it.
//
// # Bulk operations
//
// memory.fill, memory.copy and memory.init of a segment above 64 KiB become
// calls of an added function that works in chunks of 64 KiB and charges each
// chunk by its length, after one check of the whole range, so that a range out
// of bounds still writes nothing. A constant length of at most 8 KiB is charged
// beforehand and left in place. Table operations (bounded by Limits.Table
// entries) and memory.init of small segments are charged by their length
// operand before they run. memory.grow and table.grow tick before they run, and
// the first checkpoint after them ticks again.
//
// # Depth
//
// A second private counter rises at the entry of every function that makes
// calls and falls at its exit; return becomes a branch to the end of a block
// around the body. A function counts as one frame for each 3 KiB its native
// frame may need, estimated from its locals, assignments and joins. Beyond
// Limits.Depth the guest traps (unreachable), which bounds the native stack: the
// fattest frames tried took 30 MB in all.
//
// The count is exported as ExportDepth, so that a host can tell this trap from
// others.
//
// An instance that trapped or was cut has wrong counters. It must be closed and
// never be called again.
//
// # State
//
// A host that wants to take back what a guest has done copies its memory, and
// the globals that can change: these are exported under private names, see
// State. Tables and dropped segments cannot be copied; State tells whether the
// code can change any.
//
// # What is refused
//
// Everything the charging does not know: memories, tables, globals and tags
// that are imported, threads, exceptions, garbage-collected types, memory64,
// several memories, tail calls, relaxed SIMD, unknown sections, and any index
// beyond what the module itself declares, as such an index could name one of
// the private counters. So are functions that would keep the compiler busy for
// tens of seconds: bodies above Limits.Body, estimates above 262 144 values, and
// the control flow that bombs.go bounds, by body and by module. A module of many
// hostile bodies still compiles for long, with the meter or without, so the caller
// needs separate limits on time and memory.
//
// Custom sections are given to the caller and left out, except for the names of
// the functions. The meter does not check types; the runtime does, on
// the rewritten module, and every module the meter accepts that was invalid
// stays invalid.
package meter
