package vault

import (
	"crypto/sha256"
	"sync/atomic"
)

// mark tells the values of all tenants apart within this process. It is half of a digest that costs half of an HMAC,
// and begins with a secret of the tenant's: an entry that has it is that of the value, and memory tells no more of the
// value than it does by the entry's own digest.
type mark [16]byte

// markedLength is the longest type and value that have a mark. Above a block of the digest it would save nothing.
const markedLength = 64

// mark is the mark of a value; ok is false where it is too long for one.
func (t *tenant) mark(typ, value string) (m mark, ok bool) {
	if len(typ)+1+len(value) > markedLength {
		return m, false
	}
	var buf [len(t.marker) + markedLength]byte
	b := append(append(append(append(buf[:0], t.marker[:]...), typ...), 0x1f), value...)
	sum := sha256.Sum256(b)
	copy(m[:], sum[:])
	return m, true
}

// recalled is how many values are found by their mark: those of the conversations under way, which bring them again
// with each turn.
const recalled = 4096

// recollection holds the entries that were minted again not long ago, each at a place that follows from its mark.
type recollection [recalled]atomic.Pointer[entry]

func (r *recollection) at(m mark) *atomic.Pointer[entry] {
	return &r[(uint(m[0])|uint(m[1])<<8)%recalled]
}

// recall gives the entry of a mark, in its shard, which is locked then; nil when it is not known.
func (c *cache) recall(t *tenant, m mark) (*entry, *shard) {
	e := c.recent.at(m).Load()
	if e == nil {
		return nil, nil
	}
	sh := c.of(e.digest[0])
	sh.mu.Lock()
	if e.mark == m && e.of == t && !e.dropped {
		return e, sh
	}
	sh.mu.Unlock()
	return nil, nil
}

// remember keeps an entry of the locked shard by its mark.
func (c *cache) remember(e *entry, m mark) {
	e.mark = m
	c.recent.at(m).Store(e)
}
