package audit

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"maps"
	"slices"

	"github.com/headgate-dev/headgate/core/records/store"
)

// KeySize is the least length of the signing key in bytes.
const KeySize = 32

// The first byte of what is hashed and of what is signed, so that the one can never be taken for the other.
const (
	recordMark     = 1 // a record of the chain that was written before nodes had names
	headMark       = 2
	segmentMark    = 3
	leafMark       = 4
	linkMark       = 5
	genesisMark    = 6
	baseMark       = 7
	checkpointMark = 8
)

// hasher computes hashes and signatures; it belongs to one goroutine.
type hasher struct {
	mac   hash.Hash
	block cipher.Block
	buf   []byte
	sum   [sha256.Size]byte
	mark  [aes.BlockSize]byte
}

func newHasher(key []byte) (*hasher, error) {
	if len(key) < KeySize {
		return nil, fmt.Errorf("audit key: %d bytes are too few, %d are needed", len(key), KeySize)
	}
	h := &hasher{mac: hmac.New(sha256.New, key)}
	h.buf = append(h.buf, "headgate audit record tag"...)
	own := h.hmacSum() // a key for the tags alone
	var err error
	if h.block, err = aes.NewCipher(own[:]); err != nil {
		return nil, fmt.Errorf("audit key: %w", err)
	}
	return h, nil
}

// genesis is the hash that a node's chain begins with, which binds it to the node's name.
func (h *hasher) genesis(node string) [32]byte {
	if node == "" {
		return [32]byte{}
	}
	h.buf = append(append(h.buf[:0], genesisMark), node...)
	return h.plainSum()
}

// hashRecord returns the hash of the chain after the record, and the record's tag.
func (h *hasher) hashRecord(prev *[32]byte, r *store.AuditRecord) (sum [32]byte, tag [store.TagSize]byte) {
	if r.Node == "" {
		sum = h.record(prev, r)
		return sum, h.tag(&sum)
	}
	leaf := h.leaf(r)
	return h.link(prev, &leaf), h.tag(&leaf)
}

// leaf is SHA-256 over the record and its place. The texts come after their lengths, the payload is the rest, and all
// else has a fixed length.
func (h *hasher) leaf(r *store.AuditRecord) [32]byte {
	b := append(h.buf[:0], leafMark)
	b = binary.AppendUvarint(b, uint64(len(r.Node)))
	b = append(b, r.Node...)
	h.buf = appendFields(b, r)
	return h.plainSum()
}

// link is the hash of the chain after a record: SHA-256 over the hash before and the record's.
func (h *hasher) link(prev, leaf *[32]byte) [32]byte {
	b := append(h.buf[:0], linkMark)
	b = append(b, prev[:]...)
	h.buf = append(b, leaf[:]...)
	return h.plainSum()
}

// record is the hash of the chain of old after a record.
func (h *hasher) record(prev *[32]byte, r *store.AuditRecord) [32]byte {
	b := append(h.buf[:0], recordMark)
	h.buf = appendFields(append(b, prev[:]...), r)
	return h.plainSum()
}

func appendFields(b []byte, r *store.AuditRecord) []byte {
	b = binary.BigEndian.AppendUint64(b, uint64(r.Seq))
	b = binary.BigEndian.AppendUint64(b, uint64(r.At))
	b = binary.AppendUvarint(b, uint64(len(r.Tenant)))
	b = append(b, r.Tenant...)
	b = binary.AppendUvarint(b, uint64(len(r.Type)))
	b = append(b, r.Type...)
	return append(b, r.Payload...)
}

// tag proves a record by itself to who has the key, and tells which record is the first that was changed, also when
// somebody without the key has computed the hashes of all that follow anew. It is one block of AES over half of the
// record's hash, cut to 8 bytes: a signature of each record would cost several times as much, and the segment's
// signature, over the whole hash, is what proves the chain.
func (h *hasher) tag(hash *[32]byte) [store.TagSize]byte {
	copy(h.mark[:], hash[:]) // a block of its own: the caller's hash would have to live on the heap
	h.block.Encrypt(h.mark[:], h.mark[:])
	return [store.TagSize]byte(h.mark[:])
}

// segment signs a segment: which records it holds, from when to when, and the hash of the last one.
func (h *hasher) segment(s *store.AuditSegment) [32]byte {
	b := append(h.buf[:0], segmentMark)
	for _, n := range [...]int64{s.First, s.Last, s.FirstAt, s.LastAt} {
		b = binary.BigEndian.AppendUint64(b, uint64(n))
	}
	b = append(b, s.Hash[:]...)
	h.buf = append(b, s.Node...)
	return h.hmacSum()
}

// head signs the head: that the node's chain ends with this record.
func (h *hasher) head(node string, head *store.AuditHead) [32]byte {
	b := append(h.buf[:0], headMark)
	b = binary.BigEndian.AppendUint64(b, uint64(head.Seq))
	b = binary.BigEndian.AppendUint64(b, uint64(head.At))
	b = append(b, head.Hash[:]...)
	h.buf = append(b, node...)
	return h.hmacSum()
}

// base signs where the node's chain begins, and what was removed before.
func (h *hasher) base(node string, base *store.AuditBase) [32]byte {
	b := append(h.buf[:0], baseMark)
	for _, n := range [...]int64{base.Seq, base.At, base.RemovedAt} {
		b = binary.BigEndian.AppendUint64(b, uint64(n))
	}
	b = append(b, base.Hash[:]...)
	for _, kind := range slices.Sorted(maps.Keys(base.Counts)) {
		b = binary.AppendUvarint(b, uint64(len(kind)))
		b = append(b, kind...)
		b = binary.BigEndian.AppendUint64(b, uint64(base.Counts[kind]))
	}
	b = append(b, 0) // no type is empty
	h.buf = append(b, node...)
	return h.hmacSum()
}

func (h *hasher) hmacSum() [32]byte {
	h.mac.Reset()
	h.mac.Write(h.buf) // a hash never fails
	h.mac.Sum(h.sum[:0])
	return h.sum
}

func (h *hasher) plainSum() [32]byte { return sha256.Sum256(h.buf) }
