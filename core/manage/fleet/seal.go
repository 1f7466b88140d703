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

// The purposes of sealed messages. A message sealed for one purpose cannot be opened for another.
const (
	purposeBundle  = "bundle"
	purposeModule  = "module"
	purposeRecords = "records"
	purposeAnswer  = "answer"
	purposeCopy    = "copy"
)

// Head is the readable header of a sealed message. It is authenticated with the message, so that it cannot be changed.
type Head struct {
	// Version is the version of the configuration.
	Version int64 `json:"version"`
	// Issued is the creation time by the sender's clock. It is informative: the clocks of two machines differ.
	Issued time.Time `json:"issued"`
	// Nonce is chosen by the requester, so that an older answer cannot be replayed.
	Nonce string `json:"nonce,omitempty"`
	// Node is the sender of records.
	Node string `json:"node,omitempty"`
}

// Sealer seals messages with AES-256-GCM. HKDF derives a key for each message from the secret, a random salt and the
// purpose. It is safe for concurrent use.
type Sealer struct{ secret []byte }

// NewSealer returns the sealer of a secret.
func NewSealer(secret string) *Sealer { return &Sealer{[]byte(secret)} }

// String keeps the secret out of logs and error texts.
func (*Sealer) String() string { return "sealer" }

// GoString does the same for the verb %#v.
func (*Sealer) GoString() string { return "sealer" }

// A sealed message contains: mark, salt, length of the head, head as JSON, nonce, ciphertext.
const (
	mark     = "hgf1"
	saltSize = 32
	// maxHead is the maximum size of a head in bytes.
	maxHead = 4 << 10
)

// ErrSealed is returned for a message that was modified, or sealed with another secret or for another purpose.
var ErrSealed = errors.New("the message cannot be opened: the secret differs, or the message was changed in transit")

func (s *Sealer) newCipher(purpose string, salt []byte) (cipher.AEAD, error) {
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
	_, _ = rand.Read(out[len(mark):]) // never fails: it ends the program instead
	aead, err := s.newCipher(purpose, out[len(mark):])
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
	if n > maxHead || len(message) < fixed+int(n)+12 {
		return h, nil, ErrSealed
	}
	bound, rest := message[:fixed+int(n)], message[fixed+int(n):]
	aead, err := s.newCipher(purpose, message[len(mark):len(mark)+saltSize])
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

// SealCopy seals the copy of a configuration that a node stores on its disk.
func (s *Sealer) SealCopy(version int64, issued time.Time, plain []byte) ([]byte, error) {
	return s.seal(purposeCopy, Head{Version: version, Issued: issued}, plain)
}

// OpenCopy unseals a message of SealCopy.
func (s *Sealer) OpenCopy(sealed []byte) (Head, []byte, error) { return s.unseal(purposeCopy, sealed) }
