package vault

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"sync"
	"sync/atomic"

	"github.com/headgate-dev/headgate/core/records/store"
)

// binding is the digest of a key lineage or end user that may restore a value.
type binding [store.BindingSize]byte

// maxNames is how many computed bindings a tenant caches.
const maxNames = 4096

// tenant holds the keys of one tenant. Shredding creates a new one and marks the old one as dead.
type tenant struct {
	id      string
	wrapped string // as stored; a change reveals that another process shredded the tenant
	aead    cipher.AEAD
	marker  [sha256.Size / 2]byte // keys the marks of its values
	digests sync.Pool             // pool of *digester

	gate sync.RWMutex // read-locked while keys are in use, write-locked while shredding
	dead bool

	names   sync.RWMutex
	binding map[name]*bound
	// The last key and user, because the values of one request share them.
	lastKey, lastUser atomic.Pointer[bound]
}

// name is the input of a binding.
type name struct {
	kind byte // 'k' for a key lineage, 'u' for an end user
	id   string
}

// bound is a name and its binding.
type bound struct {
	name
	to binding
}

// newTenant splits the tenant's secret into the key of its placeholders and the key that seals its values.
func newTenant(id string, wrapped, secret []byte) (*tenant, error) {
	aead, err := newAEAD(expandKey(secret, "headgate vault seal 1"))
	if err != nil {
		return nil, err
	}
	macKey := expandKey(secret, "headgate vault token 1")
	t := &tenant{id: id, wrapped: string(wrapped), aead: aead, binding: map[name]*bound{}}
	copy(t.marker[:], expandKey(secret, "headgate vault mark 1"))
	t.digests.New = func() any { return &digester{mac: hmac.New(sha256.New, macKey)} }
	return t, nil
}

func newAEAD(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// digester computes one digest at a time and reuses its memory.
type digester struct {
	mac hash.Hash
	buf []byte
	sum [sha256.Size]byte
}

// digestPair returns HMAC-SHA256 over a, the byte 0x1F, and b.
func (t *tenant) digestPair(a, b string) [sha256.Size]byte {
	d, _ := t.digests.Get().(*digester)
	d.buf = append(append(append(d.buf[:0], a...), 0x1f), b...)
	d.mac.Reset()
	d.mac.Write(d.buf) // Write on a hash never fails
	d.mac.Sum(d.sum[:0])
	sum := d.sum
	clear(d.buf)
	if cap(d.buf) > 64<<10 {
		d.buf = nil
	}
	t.digests.Put(d)
	return sum
}

// computeBinding returns the binding of a name. The digest's input starts with a byte that no type starts with.
func (t *tenant) computeBinding(kind byte, id string) binding {
	n, last := name{kind, id}, &t.lastKey
	if kind == 'u' {
		last = &t.lastUser
	}
	if b := last.Load(); b != nil && b.name == n {
		return b.to
	}
	t.names.RLock()
	b := t.binding[n]
	t.names.RUnlock()
	if b == nil {
		sum := t.digestPair("="+string(kind), id)
		b = &bound{name: name{kind, string([]byte(id))}} // copy: id may alias a request's memory
		copy(b.to[:], sum[:])
		t.names.Lock()
		if len(t.binding) >= maxNames {
			clear(t.binding)
		}
		t.binding[b.name] = b
		t.names.Unlock()
	}
	last.Store(b)
	return b.to
}

// seal encrypts a value so that it opens only as this token of this type and tenant.
func (t *tenant) seal(token, typ, value string) ([]byte, error) {
	out := make([]byte, t.aead.NonceSize(), t.aead.NonceSize()+len(value)+t.aead.Overhead())
	if _, err := rand.Read(out); err != nil {
		return nil, fmt.Errorf("seal value: %w", err)
	}
	return t.aead.Seal(out, out, []byte(value), t.formatAdditionalData(token, typ)), nil
}

// errOpen gives no details, because the ciphertext may come from an attacker.
var errOpen = errors.New("a stored value cannot be decrypted")

func (t *tenant) open(token, typ string, sealed []byte) (string, error) {
	n := t.aead.NonceSize()
	if len(sealed) < n {
		return "", errOpen
	}
	plain, err := t.aead.Open(nil, sealed[:n], sealed[n:], t.formatAdditionalData(token, typ))
	if err != nil {
		return "", errOpen
	}
	return string(plain), nil
}

// formatAdditionalData returns the additional data of a sealed value: each string after its length.
func (t *tenant) formatAdditionalData(token, typ string) []byte {
	b := make([]byte, 0, 96)
	for _, s := range [...]string{t.id, token, typ} {
		b = binary.BigEndian.AppendUint32(b, uint32(len(s)))
		b = append(b, s...)
	}
	return b
}
