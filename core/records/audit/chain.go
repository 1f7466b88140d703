package audit

import (
	"crypto/ed25519"
	"crypto/hmac"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/headgate-dev/headgate/core/records/store"
)

// ErrHead means that the stored head of the chain was changed by another writer.
var ErrHead = errors.New("the head of the audit chain was changed without the audit key")

// checkpointRecords is the number of records after which a checkpoint is due, whatever the time. It bounds the run of
// records that a list reads to find one of them.
const checkpointRecords = 4096

// chain seals events for the store's writer. Only the writer's goroutine calls it.
type chain struct {
	node  string
	hash  *hasher
	key   ed25519.PrivateKey
	keyID string
	head  store.AuditHead // head after the last sealed event
	kept  store.AuditHead // head last known to be durable

	last, lastKept int64               // numbers of the last checkpoint and of the last durable one
	since          int64               // records after the last checkpoint
	known          bool                // marks cover all records since the last checkpoint
	halfway        bool                // some sealed events are not yet durable
	pairs          map[uint64]struct{} // hashes of the tenants and types that have marks
	marks          map[uint32]bool
	made           *store.AuditCheckpoint // set if the last sealed event was this checkpoint
	payload        Payload
	record         store.AuditRecord
	open           atomic.Int64 // durable records that no checkpoint covers
}

var _ store.Sealer = (*chain)(nil)

func newChain(node string, key []byte) (*chain, error) {
	h, err := newHasher(key)
	if err != nil {
		return nil, err
	}
	pair, err := deriveSigningKey(key)
	if err != nil {
		return nil, err
	}
	c := &chain{node: node, hash: h, key: pair, keyID: FormatKeyID(pair.Public().(ed25519.PublicKey)), known: true}
	c.head.Hash = h.hashGenesis(node)
	c.forget()
	return c, nil
}

// Node names the chain.
func (c *chain) Node() string { return c.node }

// Resume continues from the head in the database. The head differs from the last one that this chain wrote if another
// process has appended since. It must then be signed and must not precede ours.
func (c *chain) Resume(head store.AuditHead) error {
	if head.Seq == 0 {
		head = store.AuditHead{Hash: c.hash.hashGenesis(c.node)}
	}
	if c.halfway { // the writer retries a batch
		c.known, c.last = false, c.lastKept
	}
	if !isSameHead(&head, &c.kept) && (head.Seq > 0 || c.kept.Seq > 0) {
		if head.Seq < c.kept.Seq {
			return fmt.Errorf("%w: it went back from record %d to %d", ErrHead, c.kept.Seq, head.Seq)
		}
		if sig := c.hash.signHead(c.node, &head); !hmac.Equal(sig[:], head.Sig[:]) {
			return fmt.Errorf("%w: the signature does not match", ErrHead)
		}
		c.kept, c.known = head, false
	}
	c.head, c.halfway = head, true
	return nil
}

func isSameHead(a, b *store.AuditHead) bool {
	return a.Seq == b.Seq && a.At == b.At && a.Hash == b.Hash
}

// Seal numbers, dates, hashes and tags the next record. Times never decrease, even if the clock goes back, so the order
// of records is also their order in time.
func (c *chain) Seal(e *store.AuditEvent) (seq int64, tag [store.TagSize]byte) {
	e.At = max(e.At, c.head.At)
	c.made = nil
	if e.Type == ChainCheckpoint {
		appendCheckpoint(&c.payload, c.node, &c.head, c.key, c.keyID, e.Payload)
		e.Payload = string(c.payload.Bytes())
	}
	r := &c.record
	r.Node, r.Seq, r.At = c.node, c.head.Seq+1, e.At
	r.Tenant, r.Type, r.Payload = e.Tenant, e.Type, e.Payload
	c.head.Hash, tag = c.hash.hashRecord(&c.head.Hash, r)
	c.head.Seq, c.head.At = r.Seq, r.At
	c.since++
	c.markType(e.Tenant, e.Type)
	if e.Type == ChainCheckpoint {
		c.made = &store.AuditCheckpoint{First: c.last + 1, Seq: r.Seq, Known: c.known, Marks: c.marks}
		c.last, c.since, c.known = r.Seq, 0, true
		c.forget()
	}
	return r.Seq, tag
}

// markType marks that the tenant has a record of this type.
func (c *chain) markType(tenant, kind string) {
	const prime = 1099511628211 // 64-bit FNV-1a
	h := uint64(14695981039346656037)
	for i := range len(tenant) {
		h = (h ^ uint64(tenant[i])) * prime
	}
	h *= prime // hash a zero byte as separator
	for i := range len(kind) {
		h = (h ^ uint64(kind[i])) * prime
	}
	if _, there := c.pairs[h]; there {
		return
	}
	c.pairs[h] = struct{}{}
	c.marks[store.ComputeAuditMark(tenant, "")] = true
	c.marks[store.ComputeAuditMark("", kind)] = true
	c.marks[store.ComputeAuditMark(tenant, kind)] = true
}

func (c *chain) forget() {
	c.pairs, c.marks = map[uint64]struct{}{}, map[uint32]bool{}
}

// Due returns a checkpoint event once checkpointRecords records have followed the last one, and nil before that.
func (c *chain) Due() *store.AuditEvent {
	if c.since < checkpointRecords {
		return nil
	}
	return &store.AuditEvent{Type: ChainCheckpoint}
}

// Checkpoint returns the checkpoint if it is the last sealed event, and nil otherwise.
func (c *chain) Checkpoint() *store.AuditCheckpoint { return c.made }

// SealSegment signs the segment that ends with the last sealed record.
func (c *chain) SealSegment(s *store.AuditSegment) {
	s.Hash = c.head.Hash
	s.Sig = c.hash.signSegment(s)
}

// Head signs and returns the current end of the chain.
func (c *chain) Head() store.AuditHead {
	c.head.Sig = c.hash.signHead(c.node, &c.head)
	return c.head
}

// MarkDurable records that all sealed events are durable.
func (c *chain) MarkDurable() {
	c.kept, c.lastKept, c.halfway = c.head, c.last, false
	c.open.Store(c.since)
}
