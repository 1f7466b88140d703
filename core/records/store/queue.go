package store

import "github.com/headgate-dev/headgate/core/body/zerocopy"

// queue is a batch of traffic records under construction. One arena holds all strings and bytes of its records, so
// adding a record copies bytes and does not allocate once the queue has reached its usual size.
type queue struct {
	arena  []byte
	audit  []auditEntry
	usage  []usageEntry
	tokens []tokenEntry
	marks  []usageMark
	done   chan struct{} // closed when the batch is durable; created by the first waiter
}

// span is the position of a string in the arena.
type span struct{ start, end uint32 }

// batchRecords and batchBytes are the size at which a batch accepts no more records. One transaction writes a batch; a
// queue that waited for its database is written in several.
const (
	batchRecords = 16384
	batchBytes   = 8 << 20
)

// maxArena is the maximum number of bytes that one append adds to an arena, because offsets have 32 bits.
const maxArena = 1 << 30

// keepArena is the largest arena, in bytes, that a batch hands on to the next, so that a burst does not occupy memory
// for ever.
const keepArena = 4 << 20

func (q *queue) count() int { return len(q.audit) + len(q.usage) + len(q.tokens) }

func (q *queue) measureLoad() load { return load{q.count(), len(q.arena)} }

func (q *queue) reset() {
	q.arena, q.audit, q.usage, q.tokens, q.marks, q.done = q.arena[:0], q.audit[:0], q.usage[:0], q.tokens[:0], q.marks[:0], nil
	if cap(q.arena) > keepArena {
		*q = queue{}
	}
}

// copyToArena copies v into the arena.
func copyToArena[T ~string | ~[]byte](q *queue, v T) span {
	start := len(q.arena)
	q.arena = append(q.arena, v...)
	return span{uint32(start), uint32(len(q.arena))}
}

func (q *queue) readBytes(s span) []byte { return q.arena[s.start:s.end:s.end] }

// readText returns the string at s without a copy. It is valid until the queue is reset, which happens after the driver has
// copied everything; a flush must not retain it.
func (q *queue) readText(s span) string {
	b := q.arena[s.start:s.end]
	return zerocopy.String(b)
}
