package audit

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"

	"github.com/headgate-dev/headgate/core/store"
)

// KeySize is the least length of the signing key in bytes.
const KeySize = 32

// The first byte of what is hashed and of what is signed, so that the one can never be taken for the other.
const (
	recordMark  = 1
	headMark    = 2
	segmentMark = 3
)

// ErrHead means that the stored head of the chain is not what this chain has written.
var ErrHead = errors.New("the head of the audit chain was changed by somebody without the key")

// hasher computes hashes and signatures; it belongs to one goroutine.
type hasher struct {
	mac   hash.Hash
	plain hash.Hash
	block cipher.Block
	buf   []byte
	sum   [sha256.Size]byte
	mark  [aes.BlockSize]byte
}

func newHasher(key []byte) (*hasher, error) {
	if len(key) < KeySize {
		return nil, fmt.Errorf("audit key: %d bytes are too few, %d are needed", len(key), KeySize)
	}
	h := &hasher{mac: hmac.New(sha256.New, key), plain: sha256.New()}
	h.buf = append(h.buf, "headgate audit record tag"...)
	own := h.hmacSum() // a key for the tags alone
	var err error
	if h.block, err = aes.NewCipher(own[:]); err != nil {
		return nil, fmt.Errorf("audit key: %w", err)
	}
	return h, nil
}

// record is SHA-256 over the hash before and the fields. The tenant and the type come after their lengths, the payload
// is the rest, and all else has a fixed length.
func (h *hasher) record(prev *[32]byte, seq, at int64, tenant, kind, payload string) [32]byte {
	b := append(h.buf[:0], recordMark)
	b = append(b, prev[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(seq))
	b = binary.BigEndian.AppendUint64(b, uint64(at))
	b = binary.AppendUvarint(b, uint64(len(tenant)))
	b = append(b, tenant...)
	b = binary.AppendUvarint(b, uint64(len(kind)))
	b = append(b, kind...)
	h.buf = append(b, payload...)
	h.plain.Reset()
	h.plain.Write(h.buf) // a hash never fails
	h.plain.Sum(h.sum[:0])
	return h.sum
}

// tag tells which record is the first that was changed, also when somebody without the key has computed the hashes of
// all that follow anew. It is one block of AES over half of the record's hash, cut to 8 bytes: a signature of each
// record would cost several times as much, and the segment's signature, over the whole hash, is what proves the chain.
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
	h.buf = append(b, s.Hash[:]...)
	return h.hmacSum()
}

// head signs the head: that the chain ends with this record.
func (h *hasher) head(head *store.AuditHead) [32]byte {
	b := append(h.buf[:0], headMark)
	b = binary.BigEndian.AppendUint64(b, uint64(head.Seq))
	b = binary.BigEndian.AppendUint64(b, uint64(head.At))
	h.buf = append(b, head.Hash[:]...)
	return h.hmacSum()
}

func (h *hasher) hmacSum() [32]byte {
	h.mac.Reset()
	h.mac.Write(h.buf) // a hash never fails
	h.mac.Sum(h.sum[:0])
	return h.sum
}

// chain seals events for the store's writer, whose goroutine is the only one that calls it.
type chain struct {
	hash *hasher
	head store.AuditHead // after the last event sealed
	kept store.AuditHead // as last seen durable
}

var _ store.Sealer = (*chain)(nil)

// Resume continues from the head in the database. It differs from what this chain wrote last when another process has
// appended since; then it must be signed, and may not lie further back.
func (c *chain) Resume(head store.AuditHead) error {
	if head != c.kept {
		if head.Seq < c.kept.Seq {
			return fmt.Errorf("%w: it went back from record %d to %d", ErrHead, c.kept.Seq, head.Seq)
		}
		if sig := c.hash.head(&head); !hmac.Equal(sig[:], head.Sig[:]) {
			return fmt.Errorf("%w: the signature does not fit", ErrHead)
		}
		c.kept = head
	}
	c.head = head
	return nil
}

// Seal numbers, dates, hashes and tags the next record. Times never fall, whatever the clock does, so that the order
// of records is the order of times.
func (c *chain) Seal(e store.AuditEvent) (seq, at int64, tag [store.TagSize]byte) {
	at = max(e.At, c.head.At)
	seq = c.head.Seq + 1
	sum := c.hash.record(&c.head.Hash, seq, at, e.Tenant, e.Type, e.Payload)
	c.head.Seq, c.head.At, c.head.Hash = seq, at, sum
	return seq, at, c.hash.tag(&sum)
}

// SealSegment signs the segment that ends with the last record sealed.
func (c *chain) SealSegment(s *store.AuditSegment) {
	s.Hash = c.head.Hash
	s.Sig = c.hash.segment(s)
}

// Head signs where the chain ends now.
func (c *chain) Head() store.AuditHead {
	c.head.Sig = c.hash.head(&c.head)
	return c.head
}

// Committed notes that all that was sealed is durable.
func (c *chain) Committed() { c.kept = c.head }
