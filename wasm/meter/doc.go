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
// ordinary instruction, more for the dear ones (division, calls, vector
// arithmetic; see the opcode tables), nothing for block, end and the like.
//
//   - Every function begins with a checkpoint, a leaf too.
//   - Every loop header is one, passed on every turn, however it is entered.
//   - A run of code heavier than a stride is split by further checkpoints.
//   - A checkpoint pays for nothing behind a call (of anything but an import or
//     a function known to call nothing), behind a loop, or behind the end of a
//     block within which another checkpoint or such a call lies: the next
//     instruction there gets a checkpoint of its own. Two units of weight per
//     function are exempt and paid at the innermost loop header or the entry,
//     so that "call, then return the result" costs no second checkpoint.
//   - The two arms of an if are alternatives: the dearer one is charged.
//   - Code behind an unconditional branch cannot run and is not charged.
//
// Between two visits of a loop header, or after the entry of a function,
// control only moves forward through the text, so no instruction runs more
// often than it was paid for, and no instruction runs unpaid. What a tick can
// find paid for but not yet run is at most a stride in the running function and
// one more in a caller that waits for a leaf, and two units in each frame below:
//
//	weight between two ticks <= Slice + 2*stride + 2*Depth (40 512 by default, about two slices)
//
// plus one bulk operation, see below.
//
// # Bulk operations
//
// memory.fill, memory.copy and memory.init of a segment above 64 KiB become
// calls of an added function that works in chunks of 64 KiB and charges each
// chunk by its length, after one check of the whole range, so that a range out
// of bounds still writes nothing. Table operations (bounded by Limits.Table
// entries) and memory.init of small segments are charged by their length
// operand before they run. memory.grow and table.grow tick before they run, and
// the first checkpoint after them ticks again.
//
// # Depth
//
// A second private counter rises at the entry of every function that makes
// calls and falls at its exit; return becomes a branch to the end of a block
// around the body. A function whose frame may be large counts for several
// frames. Beyond Limits.Depth the guest traps (unreachable), which bounds the
// native stack.
//
// An instance that trapped or was cut has wrong counters. It must be closed and
// never be called again.
//
// # What is refused
//
// Everything the charging does not know: memories, tables, globals and tags
// that are imported, threads, exceptions, garbage-collected types, memory64,
// several memories, tail calls, relaxed SIMD, unknown sections, and any index
// beyond what the module itself declares, as such an index could name one of
// the private counters. The meter does not check types; the runtime does, on
// the rewritten module, and every module the meter accepts that was invalid
// stays invalid.
package meter
