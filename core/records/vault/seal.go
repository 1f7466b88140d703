package vault

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"golang.org/x/crypto/argon2"
)

// sealedMark starts a sealed text and identifies the format.
const sealedMark = "hgs1."

const sealedSalt = 16 // bytes

// The errors of Open.
var (
	ErrNotSealed = errors.New("not a sealed text; create one with headgate webhook seal")
	ErrUnsealed  = errors.New("cannot be opened: sealed with another password or for another purpose, or damaged")
	ErrPassword  = errors.New("HEADGATE_ENCRYPTION_MASTER_PASSWORD is not set")
)

// Seal encrypts a text for one purpose with AES-256-GCM, under a key that argon2id derives from the master password and
// a fresh salt. Opening needs only the password, so a sealed text can be part of a configuration file that several
// installations share.
func Seal(password, purpose, plain string) (string, error) {
	if password == "" {
		return "", ErrPassword
	}
	b := make([]byte, sealedSalt, 128)
	if _, err := rand.Read(b); err != nil {
		return "", fmt.Errorf("seal: %w", err)
	}
	aead, err := newSealer(password, b)
	if err != nil {
		return "", err
	}
	b = aead.Seal(b, nil, []byte(plain), []byte(purpose))
	return sealedMark + base64.RawURLEncoding.EncodeToString(b), nil
}

// Open decrypts what Seal returned. Its errors contain neither text.
func Open(password, purpose, sealed string) (string, error) {
	if password == "" {
		return "", ErrPassword
	}
	text, ok := strings.CutPrefix(strings.TrimSpace(sealed), sealedMark)
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if !ok || err != nil || len(b) < sealedSalt {
		return "", ErrNotSealed
	}
	aead, err := newSealer(password, b[:sealedSalt])
	if err != nil {
		return "", err
	}
	plain, err := aead.Open(nil, nil, b[sealedSalt:], []byte(purpose))
	if err != nil {
		return "", ErrUnsealed
	}
	return string(plain), nil
}

// newSealer returns the cipher of a password and a salt. It generates its own nonces.
func newSealer(password string, salt []byte) (cipher.AEAD, error) {
	key := argon2.IDKey([]byte(password), salt, argonTime, argonMemory, argonLanes, 32)
	debug.FreeOSMemory() // see LoadMaster
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("seal: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("seal: %w", err)
	}
	return aead, nil
}
