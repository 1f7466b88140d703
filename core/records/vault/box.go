package vault

import (
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"fmt"
)

// Box seals the installation's values for one purpose with AES-256-GCM, under a key derived from the master key for
// that purpose. It is safe for concurrent use.
type Box struct{ aead cipher.AEAD }

// NewBox returns the box for a purpose.
func (m *Master) NewBox(purpose string) (*Box, error) {
	aead, err := newAEAD(m.derive("headgate box: " + purpose))
	if err != nil {
		return nil, fmt.Errorf("box for %s: %w", purpose, err)
	}
	return &Box{aead}, nil
}

// Seal encrypts plain and binds it to context. Open needs the same context.
func (b *Box) Seal(plain []byte, context string) []byte {
	nonce := make([]byte, b.aead.NonceSize(), b.aead.NonceSize()+len(plain)+b.aead.Overhead())
	_, _ = rand.Read(nonce) // rand.Read never returns an error
	return b.aead.Seal(nonce, nonce, plain, []byte(context))
}

// Open decrypts what Seal returned.
func (b *Box) Open(sealed []byte, context string) ([]byte, error) {
	n := b.aead.NonceSize()
	if len(sealed) < n {
		return nil, errors.New("the sealed value is too short")
	}
	plain, err := b.aead.Open(nil, sealed[:n], sealed[n:], []byte(context))
	if err != nil {
		return nil, errors.New("the sealed value cannot be opened: it was altered, or sealed with another master password")
	}
	return plain, nil
}
