package license

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// The licence types.
const (
	Trial      = "TRIAL"
	Production = "PRODUCTION"
)

// The features that a licence can unlock.
const (
	Latency    = "latency"
	Priority   = "priority"
	Chargeback = "chargeback"
	Reports    = "reports"
	Detokenize = "detokenize"
	Schemas    = "schemas"
)

// ListFeatures returns all features.
func ListFeatures() []string {
	return []string{Latency, Priority, Chargeback, Reports, Detokenize, Schemas}
}

// License is the content of a licence file.
type License struct {
	ID        string    `json:"id"`
	Licensee  string    `json:"licensee"`
	Type      string    `json:"type"`
	IssuedAt  time.Time `json:"issued_at"`
	ExpiresAt time.Time `json:"expires_at"`
	// Features are the unlocked features; empty unlocks all of them.
	Features []string `json:"features,omitempty"`

	// Digest is the SHA-256 of the file. Key is the name of the key that signed it.
	Digest string `json:"-"`
	Key    string `json:"-"`
}

// The parts of a file: the first line, the terms as JSON, and the line before the signature.
const (
	first     = "headgate licence 1\n"
	signature = "signature "
	// MaxBytes is the maximum length of a licence file.
	MaxBytes = 16 << 10
)

// ErrFile means that the text is not a licence file signed by a known key.
var ErrFile = errors.New("licence")

// FormatKeyID returns the name of a public key: the first digits of its SHA-256.
func FormatKeyID(public ed25519.PublicKey) string {
	sum := sha256.Sum256(public)
	return hex.EncodeToString(sum[:8])
}

// Sign returns the signed licence file of l.
func Sign(l License, key ed25519.PrivateKey) ([]byte, error) {
	if err := l.check(); err != nil {
		return nil, err
	}
	terms, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFile, err)
	}
	body := append(append([]byte(first), terms...), '\n')
	sig := ed25519.Sign(key, body)
	return fmt.Appendf(body, "%s%s %s\n", signature, FormatKeyID(key.Public().(ed25519.PublicKey)), base64.StdEncoding.EncodeToString(sig)), nil
}

// Parse parses a licence file and checks that one of the keys signed it. It does not check expiry.
func Parse(file []byte, keys []ed25519.PublicKey) (*License, error) {
	if len(file) > MaxBytes {
		return nil, fmt.Errorf("%w: it is longer than %d bytes; is it a licence file?", ErrFile, MaxBytes)
	}
	if !bytes.HasPrefix(file, []byte(first)) {
		return nil, fmt.Errorf("%w: its first line is not %q", ErrFile, strings.TrimSpace(first))
	}
	at := bytes.LastIndex(file, []byte("\n"+signature))
	if at < 0 {
		return nil, fmt.Errorf("%w: its last line, the signature, is missing", ErrFile)
	}
	body, line := file[:at+1], string(file[at+1:])
	words := strings.Fields(line)
	if len(words) != 3 || strings.Count(line, "\n") > 1 || !strings.HasPrefix(line, signature) {
		return nil, fmt.Errorf("%w: its last line must be: signature <key> <Base64>", ErrFile)
	}
	sig, err := base64.StdEncoding.Strict().DecodeString(words[2])
	if err != nil || len(sig) != ed25519.SignatureSize {
		return nil, fmt.Errorf("%w: its signature is not %d bytes of Base64", ErrFile, ed25519.SignatureSize)
	}
	which := slices.IndexFunc(keys, func(k ed25519.PublicKey) bool { return FormatKeyID(k) == words[1] })
	switch {
	case which < 0:
		return nil, fmt.Errorf(
			"%w: it was signed with a key that this installation does not know; a development licence needs its public key in license.keys",
			ErrFile,
		)
	case !ed25519.Verify(keys[which], body, sig):
		return nil, fmt.Errorf("%w: its signature does not match: it was changed after it was signed", ErrFile)
	}
	var l License
	d := json.NewDecoder(bytes.NewReader(body[len(first):]))
	d.DisallowUnknownFields()
	if err := d.Decode(&l); err != nil {
		return nil, fmt.Errorf("%w: its terms cannot be read: %w", ErrFile, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: unexpected text follows its terms", ErrFile)
	}
	if err := l.check(); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(file)
	l.Digest, l.Key = hex.EncodeToString(sum[:]), words[1]
	return &l, nil
}

func (l *License) check() error {
	switch {
	case strings.TrimSpace(l.Licensee) == "" || len(l.Licensee) > 200:
		return fmt.Errorf("%w: licensee: write a name of at most 200 bytes", ErrFile)
	case l.Type != Trial && l.Type != Production:
		return fmt.Errorf("%w: type: write %s or %s", ErrFile, Trial, Production)
	case l.ExpiresAt.IsZero() || l.IssuedAt.IsZero() || !l.ExpiresAt.After(l.IssuedAt):
		return fmt.Errorf("%w: expires_at must come after issued_at", ErrFile)
	}
	for _, f := range l.Features {
		if !slices.Contains(ListFeatures(), f) {
			return fmt.Errorf("%w: unknown feature %.40q; write %s", ErrFile, f, strings.Join(ListFeatures(), ", "))
		}
	}
	return nil
}

// ReadKey parses a public key as configurations write it: 32 bytes in Base64.
func ReadKey(text string) (ed25519.PublicKey, error) {
	raw, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
	if err != nil || len(raw) != ed25519.PublicKeySize {
		return nil, errors.New("a public key is 44 characters of Base64, as headgate license create-dev prints it")
	}
	return raw, nil
}
