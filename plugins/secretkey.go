package plugins

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"aead.dev/minisign"
)

// SecretKey signs plugins.
type SecretKey struct{ key minisign.PrivateKey }

// GenerateKey creates a pair of keys.
func GenerateKey() (SecretKey, error) {
	_, key, err := minisign.GenerateKey(rand.Reader)
	if err != nil {
		return SecretKey{}, fmt.Errorf("create a pair of keys: %w", err)
	}
	return SecretKey{key}, nil
}

// Public returns the public key.
func (k SecretKey) Public() Key { return Key{k.key.Public().(minisign.PublicKey)} }

// PublicText returns the public key as a file in minisign's format.
func (k SecretKey) PublicText() []byte {
	text, _ := k.Public().key.MarshalText() // never fails
	return append(text, '\n')
}

// Seal returns the secret key as a file in minisign's format, encrypted with a password. As with minisign, scrypt takes
// a gigabyte of memory and some seconds for it.
func (k SecretKey) Seal(password string) ([]byte, error) {
	if password == "" {
		return nil, errors.New("the password is empty")
	}
	text, err := minisign.EncryptKey(password, k.key)
	if err != nil {
		return nil, fmt.Errorf("seal the secret key: %w", err)
	}
	return append(text, '\n'), nil
}

// Plain returns the secret key as a file without a password.
func (k SecretKey) Plain() []byte {
	text, _ := k.key.MarshalText() // never fails
	return append(text, '\n')
}

// ErrPassword is returned if the password does not decrypt the secret key.
var ErrPassword = errors.New("the password does not decrypt this secret key, or the file is damaged")

// IsSealed reports whether the file of a secret key needs a password.
func IsSealed(text []byte) bool { return minisign.IsEncrypted(bytes.TrimSpace(text)) }

// OpenSecretKey parses the file of a secret key. ask returns the password; it is called only if the file needs one.
func OpenSecretKey(text []byte, ask func() (string, error)) (SecretKey, error) {
	text = bytes.TrimSpace(text)
	if isKey(text) {
		return SecretKey{}, errors.New("a public key where the secret key is needed")
	}
	if !minisign.IsEncrypted(text) {
		var k SecretKey
		if err := k.key.UnmarshalText(text); err != nil {
			return k, errors.New("not a secret key in minisign's format; headgate plugin keygen creates one")
		}
		return k, nil
	}
	password, err := ask()
	if err != nil {
		return SecretKey{}, err
	}
	key, err := minisign.DecryptKey(password, text)
	if err != nil {
		return SecretKey{}, ErrPassword
	}
	return SecretKey{key}, nil
}

// Sign returns the signature file of a file with these bytes, as minisign does: over their hash, with a signed comment
// that contains the time, the file's name, and comment, which may be empty.
func (k SecretKey) Sign(file string, body []byte, comment string, at time.Time) ([]byte, error) {
	if !isPlainFile(file) || strings.ContainsAny(file+comment, "\t\r\n") {
		return nil, errors.New("a file's name and the comment must be one line, without tabs")
	}
	trusted := "timestamp:" + strconv.FormatInt(at.Unix(), 10) + "\tfile:" + file + "\thashed"
	if comment != "" {
		trusted += "\t" + comment
	}
	r := minisign.NewReader(bytes.NewReader(body))
	if _, err := io.Copy(io.Discard, r); err != nil {
		return nil, fmt.Errorf("sign: %w", err)
	}
	return r.SignWithComments(k.key, trusted, "signature from headgate plugin sign, key "+k.Public().ID()), nil
}
