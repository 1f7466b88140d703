package audit

import (
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/headgate-dev/headgate/core/records/store"
)

// checkpoint is the payload of a CHAIN_CHECKPOINT record. It states the hash of the node's chain at the record before
// it, and covers all earlier checkpoints.
type checkpoint struct {
	Node      string  `json:"node"`
	Seq       int64   `json:"seq"` // number of the last record that it covers
	At        int64   `json:"at"`  // time of that record, microseconds since 1970 UTC
	Hash      string  `json:"hash"`
	Key       string  `json:"key"` // first digits of the public key's hash
	Signature string  `json:"signature"`
	Seen      []place `json:"seen,omitempty"` // last known ends of the other nodes' chains
}

// place is a record of a chain and the chain's hash there.
type place struct {
	Node string `json:"node"`
	Seq  int64  `json:"seq"`
	Hash string `json:"hash"`
}

// deriveSigningKey derives the key pair that signs checkpoints from the key of the chains. All nodes of an installation
// share it.
func deriveSigningKey(key []byte) (ed25519.PrivateKey, error) {
	seed, err := hkdf.Expand(sha256.New, key, "headgate audit checkpoint 1", ed25519.SeedSize)
	if err != nil {
		return nil, fmt.Errorf("audit key: %w", err)
	}
	return ed25519.NewKeyFromSeed(seed), nil
}

// DerivePublicKey returns the public half of the signing key. It verifies the checkpoints of an export but cannot sign them,
// so it may be handed to auditors.
func DerivePublicKey(key []byte) (ed25519.PublicKey, error) {
	if len(key) < KeySize {
		return nil, fmt.Errorf("audit key: %d bytes are too few, %d are needed", len(key), KeySize)
	}
	pair, err := deriveSigningKey(key)
	if err != nil {
		return nil, err
	}
	return pair.Public().(ed25519.PublicKey), nil
}

// FormatKeyID returns a short name for a public key.
func FormatKeyID(public ed25519.PublicKey) string {
	sum := sha256.Sum256(public)
	return hex.EncodeToString(sum[:8])
}

// formatCheckpoint returns the bytes that a checkpoint's signature covers.
func formatCheckpoint(node string, head *store.AuditHead) []byte {
	b := append([]byte("headgate audit"), checkpointMark)
	b = binary.BigEndian.AppendUint64(b, uint64(head.Seq))
	b = binary.BigEndian.AppendUint64(b, uint64(head.At))
	b = append(b, head.Hash[:]...)
	return append(b, node...)
}

// readCheckpoint parses the payload of a checkpoint and checks its signature. reason is empty if both succeed.
func readCheckpoint(payload string, public ed25519.PublicKey) (c checkpoint, head store.AuditHead, reason string) {
	if json.Unmarshal([]byte(payload), &c) != nil {
		return c, head, "the record is a checkpoint that cannot be read"
	}
	head.Seq, head.At = c.Seq, c.At
	hash, err := hex.DecodeString(c.Hash)
	if err != nil || len(hash) != len(head.Hash) {
		return c, head, "the record is a checkpoint whose hash cannot be read"
	}
	copy(head.Hash[:], hash)
	sig, err := base64.StdEncoding.DecodeString(c.Signature)
	switch {
	case c.Key != FormatKeyID(public):
		return c, head, fmt.Sprintf("the record is a checkpoint that was signed with another key, %.16q", c.Key)
	case err != nil || !ed25519.Verify(public, formatCheckpoint(c.Node, &head), sig):
		return c, head, "the record is a checkpoint whose signature does not match"
	}
	return c, head, ""
}

// appendCheckpoint appends the checkpoint of the head to p. seen is a JSON list or empty.
func appendCheckpoint(p *Payload, node string, head *store.AuditHead, key ed25519.PrivateKey, id, seen string) {
	p.Reset()
	p.AddStr("node", node)
	p.AddInt("seq", head.Seq)
	p.AddInt("at", head.At)
	p.AddStr("hash", hex.EncodeToString(head.Hash[:]))
	p.AddStr("key", id)
	p.AddStr("signature", base64.StdEncoding.EncodeToString(ed25519.Sign(key, formatCheckpoint(node, head))))
	if seen != "" {
		p.AddRaw("seen", []byte(seen))
	}
}
