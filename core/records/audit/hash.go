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

// KeySize is the minimum length of the signing key in bytes.
const KeySize = 32

// The first byte of everything that is hashed or signed. Distinct marks keep one kind from passing as another.
const (
	recordMark     = 1 // a record written before nodes had names
	headMark       = 2
	segmentMark    = 3
	leafMark       = 4
	linkMark       = 5
	genesisMark    = 6
	baseMark       = 7
	checkpointMark = 8
)

// hasher computes hashes and signatures. It is not safe for concurrent use.
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
	own := h.finishHMAC() // derive a separate key for the tags
	var err error
	if h.block, err = aes.NewCipher(own[:]); err != nil {
		return nil, fmt.Errorf("audit key: %w", err)
	}
	return h, nil
}

// hashGenesis returns the initial hash of a node's chain, which binds the chain to the node's name.
func (h *hasher) hashGenesis(node string) [32]byte {
	if node == "" {
		return [32]byte{}
	}
	h.buf = append(append(h.buf[:0], genesisMark), node...)
	return h.finishPlain()
}

// hashRecord returns the hash of the chain after the record, and the record's tag.
func (h *hasher) hashRecord(prev *[32]byte, r *store.AuditRecord) (sum [32]byte, tag [store.TagSize]byte) {
	if r.Node == "" {
		sum = h.hashUnnamedRecord(prev, r)
		return sum, h.computeTag(&sum)
	}
	leaf := h.hashLeaf(r)
	return h.hashLink(prev, &leaf), h.computeTag(&leaf)
}

// hashLeaf returns SHA-256 over the record and its position. Each string follows its length, the payload comes last, and
// all other fields have a fixed length.
func (h *hasher) hashLeaf(r *store.AuditRecord) [32]byte {
	b := append(h.buf[:0], leafMark)
	b = binary.AppendUvarint(b, uint64(len(r.Node)))
	b = append(b, r.Node...)
	h.buf = appendFields(b, r)
	return h.finishPlain()
}

// hashLink returns the hash of the chain after a record: SHA-256 over the previous hash and the record's hash.
func (h *hasher) hashLink(prev, leaf *[32]byte) [32]byte {
	b := append(h.buf[:0], linkMark)
	b = append(b, prev[:]...)
	h.buf = append(b, leaf[:]...)
	return h.finishPlain()
}

// hashUnnamedRecord returns the hash after a record of a chain written before nodes had names.
func (h *hasher) hashUnnamedRecord(prev *[32]byte, r *store.AuditRecord) [32]byte {
	b := append(h.buf[:0], recordMark)
	h.buf = appendFields(append(b, prev[:]...), r)
	return h.finishPlain()
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

// computeTag authenticates a single record to a holder of the key. It identifies the first changed record even if an
// attacker without the key has recomputed all later hashes. It is one AES block over half of the record's hash, cut to
// 8 bytes. A full signature per record would cost several times as much, and the segment's signature over the whole
// hash already proves the chain.
func (h *hasher) computeTag(hash *[32]byte) [store.TagSize]byte {
	copy(h.mark[:], hash[:]) // copy into the hasher; the caller's hash would escape to the heap
	h.block.Encrypt(h.mark[:], h.mark[:])
	return [store.TagSize]byte(h.mark[:])
}

// signSegment signs a segment: its first and last record, its times, and the hash of its last record.
func (h *hasher) signSegment(s *store.AuditSegment) [32]byte {
	b := append(h.buf[:0], segmentMark)
	for _, n := range [...]int64{s.First, s.Last, s.FirstAt, s.LastAt} {
		b = binary.BigEndian.AppendUint64(b, uint64(n))
	}
	b = append(b, s.Hash[:]...)
	h.buf = append(b, s.Node...)
	return h.finishHMAC()
}

// signHead signs the statement that the node's chain ends with this record.
func (h *hasher) signHead(node string, head *store.AuditHead) [32]byte {
	b := append(h.buf[:0], headMark)
	b = binary.BigEndian.AppendUint64(b, uint64(head.Seq))
	b = binary.BigEndian.AppendUint64(b, uint64(head.At))
	b = append(b, head.Hash[:]...)
	h.buf = append(b, node...)
	return h.finishHMAC()
}

// signBase signs the start of the node's chain and what was removed before it.
func (h *hasher) signBase(node string, base *store.AuditBase) [32]byte {
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
	return h.finishHMAC()
}

func (h *hasher) finishHMAC() [32]byte {
	h.mac.Reset()
	h.mac.Write(h.buf) // Write on a hash never fails
	h.mac.Sum(h.sum[:0])
	return h.sum
}

func (h *hasher) finishPlain() [32]byte { return sha256.Sum256(h.buf) }
