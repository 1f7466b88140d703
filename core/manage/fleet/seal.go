package fleet

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// The purposes that messages are sealed for. One for another is not opened.
const (
	purposeBundle  = "bundle"
	purposeModule  = "module"
	purposeRecords = "records"
	purposeAnswer  = "answer"
	purposeCopy    = "copy"
)

// Head stands before a sealed message, for all to read; it is bound to what is sealed, so that it cannot be changed.
type Head struct {
	// Version is the configuration's.
	Version int64 `json:"version"`
	// Issued is when the message was made, by its maker's clock. It is told, and nothing is decided by it: the clocks
	// of two machines differ.
	Issued time.Time `json:"issued"`
	// Nonce is the asker's, who so knows that the answer is to this question and no older one.
	Nonce string `json:"nonce,omitempty"`
	// Node is who sends records.
	Node string `json:"node,omitempty"`
}

// Sealer seals messages with AES-256-GCM. Each has a key of its own, which HKDF derives from the secret, a random salt
// and the purpose. Its methods may be called from any goroutine.
type Sealer struct{ secret []byte }

// NewSealer makes the sealer of a secret.
func NewSealer(secret string) *Sealer { return &Sealer{[]byte(secret)} }

// String keeps the secret out of logs and error texts.
func (*Sealer) String() string { return "sealer" }

// GoString does the same for the %#v verb.
func (*Sealer) GoString() string { return "sealer" }

// A sealed message is: mark, salt, length of the head, head as JSON, nonce, ciphertext.
const (
	mark     = "hgf1"
	saltSize = 32
	// mostHead bounds a head in bytes.
	mostHead = 4 << 10
)

// ErrSealed means that a message was not made with this secret for this purpose, or was changed.
var ErrSealed = errors.New("what came cannot be opened: the secret is another one, or it was changed on its way")

func (s *Sealer) cipher(purpose string, salt []byte) (cipher.AEAD, error) {
	key, err := hkdf.Key(sha256.New, s.secret, salt, "headgate fleet 1 "+purpose, 32)
	if err != nil {
		return nil, fmt.Errorf("seal: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("seal: %w", err)
	}
	return cipher.NewGCM(block)
}

func (s *Sealer) seal(purpose string, h Head, plain []byte) ([]byte, error) {
	head, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("seal: %w", err)
	}
	out := make([]byte, len(mark)+saltSize, len(mark)+saltSize+4+len(head)+12+len(plain)+16)
	copy(out, mark)
	_, _ = rand.Read(out[len(mark):]) // it does not fail: it ends the program
	aead, err := s.cipher(purpose, out[len(mark):])
	if err != nil {
		return nil, err
	}
	out = binary.BigEndian.AppendUint32(out, uint32(len(head)))
	out = append(out, head...)
	bound := len(out)
	nonce := make([]byte, aead.NonceSize())
	_, _ = rand.Read(nonce)
	return aead.Seal(append(out, nonce...), nonce, plain, out[:bound]), nil
}

func (s *Sealer) unseal(purpose string, message []byte) (h Head, plain []byte, err error) {
	const fixed = len(mark) + saltSize + 4
	if len(message) < fixed || string(message[:len(mark)]) != mark {
		return h, nil, ErrSealed
	}
	n := binary.BigEndian.Uint32(message[fixed-4:])
	if n > mostHead || len(message) < fixed+int(n)+12 {
		return h, nil, ErrSealed
	}
	bound, rest := message[:fixed+int(n)], message[fixed+int(n):]
	aead, err := s.cipher(purpose, message[len(mark):len(mark)+saltSize])
	if err != nil {
		return h, nil, err
	}
	plain, err = aead.Open(nil, rest[:12], rest[12:], bound)
	if err != nil {
		return h, nil, ErrSealed
	}
	if err := json.Unmarshal(bound[fixed:], &h); err != nil {
		return h, nil, ErrSealed
	}
	return h, plain, nil
}

// SealCopy seals what a node keeps on its disk.
func (s *Sealer) SealCopy(version int64, issued time.Time, plain []byte) ([]byte, error) {
	return s.seal(purposeCopy, Head{Version: version, Issued: issued}, plain)
}

// OpenCopy opens what SealCopy made.
func (s *Sealer) OpenCopy(sealed []byte) (Head, []byte, error) { return s.unseal(purposeCopy, sealed) }
