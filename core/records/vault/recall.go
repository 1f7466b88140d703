package vault

import (
	"crypto/sha256"
	"sync/atomic"
)

// mark identifies a value among all tenants within this process. It is half of a digest that costs half as much as an
// HMAC and is keyed with a secret of the tenant. It reveals no more than the entry's own digest.
type mark [16]byte

// markedLength is the maximum length of type and value for a mark. Beyond one block of the digest a mark would save
// nothing.
const markedLength = 64

// computeMark returns the mark of a value. ok is false if the value is too long.
func (t *tenant) computeMark(typ, value string) (m mark, ok bool) {
	if len(typ)+1+len(value) > markedLength {
		return m, false
	}
	var buf [len(t.marker) + markedLength]byte
	b := append(append(append(append(buf[:0], t.marker[:]...), typ...), 0x1f), value...)
	sum := sha256.Sum256(b)
	copy(m[:], sum[:])
	return m, true
}

// recalled is the number of slots for marks. It covers the values of current conversations, which repeat with each
// turn.
const recalled = 4096

// recollection holds recently minted entries, each in the slot that its mark selects.
type recollection [recalled]atomic.Pointer[entry]

func (r *recollection) findEntry(m mark) *atomic.Pointer[entry] {
	return &r[(uint(m[0])|uint(m[1])<<8)%recalled]
}

// lookupMark returns the entry of a mark with its shard locked, or nil.
func (c *cache) lookupMark(t *tenant, m mark) (*entry, *shard) {
	e := c.recent.findEntry(m).Load()
	if e == nil {
		return nil, nil
	}
	sh := c.chooseShard(e.digest[0])
	sh.mu.Lock()
	if e.mark == m && e.of == t && !e.dropped {
		return e, sh
	}
	sh.mu.Unlock()
	return nil, nil
}

// storeMark stores an entry of the locked shard under its mark.
func (c *cache) storeMark(e *entry, m mark) {
	e.mark = m
	c.recent.findEntry(m).Store(e)
}
