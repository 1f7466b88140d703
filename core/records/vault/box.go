package vault

import (
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"fmt"
)

// Box seals values of the installation for one purpose with AES-256-GCM, under a key of the master's own for it. Its
// methods may be called from any goroutine.
type Box struct{ aead cipher.AEAD }

// Box makes the box of a purpose.
func (m *Master) Box(purpose string) (*Box, error) {
	aead, err := newAEAD(m.derive("headgate box: " + purpose))
	if err != nil {
		return nil, fmt.Errorf("box for %s: %w", purpose, err)
	}
	return &Box{aead}, nil
}

// Seal seals plain, bound to context: it opens with the same alone.
func (b *Box) Seal(plain []byte, context string) []byte {
	nonce := make([]byte, b.aead.NonceSize(), b.aead.NonceSize()+len(plain)+b.aead.Overhead())
	_, _ = rand.Read(nonce) // crypto/rand does not fail: it ends the program
	return b.aead.Seal(nonce, nonce, plain, []byte(context))
}

// Open opens what Seal made.
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
