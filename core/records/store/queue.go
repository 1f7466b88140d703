package store

import "github.com/headgate-dev/headgate/core/body/zerocopy"

// queue is one batch of traffic records in the making. All text and bytes of its records lie in one arena, so adding a
// record copies its bytes and allocates nothing once the queue has grown to its usual size.
type queue struct {
	arena  []byte
	audit  []auditEntry
	usage  []usageEntry
	tokens []tokenEntry
	marks  []usageMark
	done   chan struct{} // closed when the batch is durable; made when somebody waits for it
}

// span is where in the arena a text lies.
type span struct{ start, end uint32 }

// batchRecords and batchBytes are the size at which a batch takes no more records: one transaction writes a batch, and a
// queue that had to wait for its database is written in several.
const (
	batchRecords = 16384
	batchBytes   = 8 << 20
)

// maxArena bounds what one append may add to an arena, in bytes: offsets are 32 bits wide.
const maxArena = 1 << 30

// keepArena is the arena size in bytes that a batch may keep for the next one; a burst does not stay for ever.
const keepArena = 4 << 20

func (q *queue) len() int { return len(q.audit) + len(q.usage) + len(q.tokens) }

func (q *queue) load() load { return load{q.len(), len(q.arena)} }

func (q *queue) reset() {
	q.arena, q.audit, q.usage, q.tokens, q.marks, q.done = q.arena[:0], q.audit[:0], q.usage[:0], q.tokens[:0], q.marks[:0], nil
	if cap(q.arena) > keepArena {
		*q = queue{}
	}
}

// put copies v into the arena.
func put[T ~string | ~[]byte](q *queue, v T) span {
	start := len(q.arena)
	q.arena = append(q.arena, v...)
	return span{uint32(start), uint32(len(q.arena))}
}

func (q *queue) bytes(s span) []byte { return q.arena[s.start:s.end:s.end] }

// text is the text at s without a copy. It is valid until the queue is reset, which happens after the database driver
// has copied everything; nothing that a flush hands out may be kept longer.
func (q *queue) text(s span) string {
	b := q.arena[s.start:s.end]
	return zerocopy.String(b)
}
