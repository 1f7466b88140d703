package plugins

import (
	"bufio"
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// Trust is the rule for what may run.
type Trust uint8

// Rules. The zero value is treated as TrustPinned.
const (
	_           Trust = iota
	TrustOpen         // whatever lies in the folder; for development
	TrustPinned       // what plugins.lock lists, by digest
	TrustSigned       // what has a good signature beside it
)

// LockFile is the file in the plugins folder that lists the digests which may
// run, in the form of sha256sum: "<hex>  <file>".
const LockFile = "plugins.lock"

const maxLock = 1 << 20

// ParseTrust reads a rule as a configuration spells it.
func ParseTrust(word string) (Trust, error) {
	switch word {
	case "open":
		return TrustOpen, nil
	case "pinned":
		return TrustPinned, nil
	case "signed":
		return TrustSigned, nil
	}
	return 0, fmt.Errorf("trust %q is not known; write open, pinned or signed", word)
}

func (t Trust) String() string {
	switch t {
	case TrustOpen:
		return "open"
	case TrustSigned:
		return "signed"
	}
	return "pinned"
}

// truster decides about the files of one look at the folder.
type truster struct {
	d    *Dir
	pins map[string]string
}

// trust reads the lock file, if the rule asks for one.
func (d *Dir) trust() (truster, error) {
	t := truster{d: d}
	if d.o.Trust == TrustOpen || d.o.Trust == TrustSigned {
		return t, nil
	}
	text, err := readFile(filepath.Join(d.o.Dir, LockFile), maxLock)
	if errors.Is(err, errMissing) {
		return t, fmt.Errorf("trust is pinned, but there is no %s that lists what may run", LockFile)
	}
	if err != nil {
		return t, fmt.Errorf("%s: %w", LockFile, err)
	}
	t.pins, err = parseLock(text)
	return t, err
}

func parseLock(text []byte) (map[string]string, error) {
	pins := map[string]string{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		digest, file, ok := strings.Cut(line, " ")
		file = strings.TrimPrefix(strings.TrimLeft(file, " "), "*")
		if raw, err := hex.DecodeString(digest); !ok || err != nil || len(raw) != 32 || file == "" {
			return nil, fmt.Errorf("%s, line %d: write <sha256 in hex>, two blanks, and the file", LockFile, n)
		}
		if _, twice := pins[file]; twice {
			return nil, fmt.Errorf("%s, line %d: the file is listed twice", LockFile, n)
		}
		pins[file] = strings.ToLower(digest)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", LockFile, err)
	}
	return pins, nil
}

// verify says why a file may not be used, or nil. body is what would be used.
func (t truster) verify(file string, body []byte) error {
	switch t.d.o.Trust {
	case TrustOpen:
		return nil
	case TrustSigned:
		return t.signed(file, body)
	}
	want, ok := t.pins[file]
	switch {
	case !ok:
		return fmt.Errorf("%s does not list it", LockFile)
	case want != Digest(body):
		return fmt.Errorf("its digest is not the one that %s lists", LockFile)
	}
	return nil
}

// signed checks the Ed25519 signature in <file>.sig: 64 bytes, or their base64.
func (t truster) signed(file string, body []byte) error {
	text, err := readFile(filepath.Join(t.d.o.Dir, file+sigSuffix), 1024)
	if errors.Is(err, errMissing) {
		return fmt.Errorf("it is not signed: there is no %s%s", file, sigSuffix)
	}
	if err != nil {
		return fmt.Errorf("its signature: %w", err)
	}
	sig := text
	if len(sig) != ed25519.SignatureSize {
		if sig, err = base64.StdEncoding.DecodeString(string(bytes.TrimSpace(text))); err != nil || len(sig) != ed25519.SignatureSize {
			return errors.New("its signature is not an Ed25519 signature: 64 bytes, or their base64")
		}
	}
	for _, k := range t.d.o.Keys {
		if ed25519.Verify(k, body, sig) {
			return nil
		}
	}
	return errors.New("its signature is by none of the keys that are trusted, or the file was changed")
}
