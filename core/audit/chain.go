package audit

import (
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
	recordMark = 1
	headMark   = 2
)

// ErrHead means that the stored head of the chain is not what this chain has written.
var ErrHead = errors.New("the head of the audit chain was changed by somebody without the key")

// hasher computes hashes and signatures; it belongs to one goroutine.
type hasher struct {
	mac hash.Hash
	buf []byte
	sum [sha256.Size]byte
}

func newHasher(key []byte) (*hasher, error) {
	if len(key) < KeySize {
		return nil, fmt.Errorf("audit key: %d bytes are too few, %d are needed", len(key), KeySize)
	}
	return &hasher{mac: hmac.New(sha256.New, key)}, nil
}

// record is SHA-256 over the hash before and the fields, each text after its length. seq and at have a fixed length.
func (h *hasher) record(prev *[32]byte, seq, at int64, texts ...string) [32]byte {
	b := append(h.buf[:0], recordMark)
	b = append(b, prev[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(seq))
	b = binary.BigEndian.AppendUint64(b, uint64(at))
	for _, t := range texts {
		b = binary.BigEndian.AppendUint32(b, uint32(len(t)))
		b = append(b, t...)
	}
	h.buf = b
	return sha256.Sum256(b)
}

// sign is HMAC-SHA256 under the key over the record's hash.
func (h *hasher) sign(hash *[32]byte) [32]byte {
	h.buf = append(append(h.buf[:0], recordMark), hash[:]...)
	return h.tag()
}

// head signs the head: that the chain ends with this record.
func (h *hasher) head(head *store.AuditHead) [32]byte {
	b := append(h.buf[:0], headMark)
	b = binary.BigEndian.AppendUint64(b, uint64(head.Seq))
	b = binary.BigEndian.AppendUint64(b, uint64(head.At))
	h.buf = append(b, head.Hash[:]...)
	return h.tag()
}

func (h *hasher) tag() [32]byte {
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
	sig  [32]byte
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

// Seal numbers, dates, hashes and signs the next record. Times never fall, whatever the clock does, so that the order
// of records is the order of times.
func (c *chain) Seal(e store.AuditEvent) (seq, at int64, hash, sig *[32]byte) {
	at = max(e.At, c.head.At)
	seq = c.head.Seq + 1
	sum := c.hash.record(&c.head.Hash, seq, at, e.Tenant, e.Type, e.Payload)
	c.sig = c.hash.sign(&sum)
	c.head = store.AuditHead{Seq: seq, At: at, Hash: sum}
	return seq, at, &c.head.Hash, &c.sig
}

// Head signs where the chain ends now.
func (c *chain) Head() store.AuditHead {
	c.head.Sig = c.hash.head(&c.head)
	return c.head
}

// Committed notes that all that was sealed is durable.
func (c *chain) Committed() { c.kept = c.head }
