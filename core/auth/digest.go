package auth

import (
	"crypto/sha256"
	"hash"
	"sync"
)

// digest hashes a key as Hash does, without allocating: every request has one.
type digest struct {
	hash hash.Hash
	key  []byte
	sum  [sha256.Size]byte
}

var digests = sync.Pool{New: func() any { return &digest{hash: sha256.New()} }}

// of gives the hash of a key, and forgets the key.
func (d *digest) of(key string) [sha256.Size]byte {
	d.key = append(d.key[:0], key...)
	d.hash.Reset()
	d.hash.Write(d.key) // a hash never fails
	d.hash.Sum(d.sum[:0])
	d.hash.Reset()
	clear(d.key)
	return d.sum
}
