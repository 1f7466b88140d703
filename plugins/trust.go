package plugins

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
)

// Trust is the rule for what may run.
type Trust uint8

// Rules. The zero value is treated as TrustPinned.
const (
	_           Trust = iota
	TrustOpen         // any file in the folder; for development
	TrustPinned       // files that plugins.lock lists, by digest
	TrustSigned       // files with a valid signature beside them
)

// ParseTrust parses a rule as written in a configuration.
func ParseTrust(word string) (Trust, error) {
	switch word {
	case "open":
		return TrustOpen, nil
	case "pinned":
		return TrustPinned, nil
	case "signed":
		return TrustSigned, nil
	}
	return 0, fmt.Errorf("unknown trust %q; write open, pinned or signed", word)
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
	dir  string
	rule Trust
	keys []Key
	lock *Lock
	pins map[string]string

	vouched map[string][]string
	kept    bool // the files are those of the version that served before the start
}

// buildTrust reads the lock file, if the rule needs it.
func (d *Dir) buildTrust() (truster, error) {
	rules := d.Rules()
	t := truster{dir: d.o.Dir, rule: d.o.Trust, keys: rules.Keys, pins: rules.Pins, vouched: rules.Vouched}
	if t.rule == TrustOpen || t.rule == TrustSigned {
		return t, nil
	}
	text, err := readFile(filepath.Join(d.o.Dir, LockFile), maxLock)
	if errors.Is(err, errMissing) && len(t.pins)+len(t.vouched) > 0 {
		t.lock = new(Lock)
		return t, nil
	}
	if errors.Is(err, errMissing) {
		return t, fmt.Errorf(
			"trust is pinned, but %s, which lists what may run, is missing; look at the module, then run: headgate plugin lock",
			LockFile,
		)
	}
	if err != nil {
		return t, fmt.Errorf("%s: %w", LockFile, err)
	}
	t.lock, err = ParseLock(text)
	return t, err
}

// verify returns why a file must not be used, or nil. body is the content that would be used. verify adds the signature
// that it read to extra.
func (t truster) verify(file string, body []byte, extra map[string][]byte) error {
	if err := t.checkVouched(file, DigestBytes(body)); err != nil {
		return err
	}
	switch t.rule {
	case TrustOpen:
		return nil
	case TrustSigned:
		s, err := t.checkSignature(file, body)
		if err == nil {
			extra[file+sigSuffix] = s.text
		}
		return err
	}
	return t.checkLock(file, DigestBytes(body))
}

// checkLock returns an error if neither the lock file nor an artifact that the configuration names by digest allows a file to run.
func (t truster) checkLock(file, digest string) error {
	if pin, ok := t.pins[file]; ok {
		if pin != digest {
			return fmt.Errorf("the digest %s is not that of the artifact that plugins.artifacts names; reload the configuration to have that installed", digest)
		}
		return nil
	}
	if len(t.lock.ListDigests(file)) == 0 {
		return fmt.Errorf("%s does not list it; inspect the file, then run: headgate plugin lock %s", LockFile, file)
	}
	if !t.lock.Has(file, digest) {
		return fmt.Errorf(
			"the digest %s is not the one that %s lists; if the change is intended, run: headgate plugin lock %s",
			digest,
			LockFile,
			file,
		)
	}
	return nil
}

// errNotVouched says that a file lacks a signature that the operator requires besides the rule of trust.
var errNotVouched = errors.New("plugins.cosign_keys are set, and no artifact with a valid signature is known that has this file with this content")

// checkVouched returns an error if a file needs a signature of its artifact and has none.
func (t truster) checkVouched(file, digest string) error {
	digests, needed := t.vouched[file]
	if needed && (!slices.Contains(digests, digest) || t.pins[file] != digest && !t.kept) {
		return errNotVouched
	}
	return nil
}

// checkLive returns an error if a version that serves lacks a signature that the operator requires by now.
func (d *Dir) checkLive(m *module) error {
	t := truster{vouched: d.Rules().Vouched, kept: true}
	err := t.checkVouched(m.file, m.digest)
	if err == nil && m.beside != "" {
		name, _ := findManifestName(m.file)
		err = t.checkVouched(name, m.beside)
	}
	return err
}

// CheckTrust returns why a file of the folder that is not a module must not run, or nil: the rule of the folder applies to
// programs too. read returns the bytes of the file; it is called if a signature is checked.
func (d *Dir) CheckTrust(file, digest string, read func() ([]byte, error)) error {
	t, err := d.buildTrust()
	switch {
	case err != nil:
		return err
	case t.checkVouched(file, digest) != nil:
		return errNotVouched
	case t.rule == TrustOpen:
		return nil
	case t.rule != TrustSigned:
		return t.checkLock(file, digest)
	}
	body, err := read()
	if err != nil {
		return err
	}
	_, err = t.checkSignature(file, body)
	return err
}

var errUnsigned = errors.New("not signed")

// IsUnsigned reports whether an error of this package says that a file has no signature.
func IsUnsigned(err error) bool { return errors.Is(err, errUnsigned) }

// checkSignature checks the signature beside a file.
func (t truster) checkSignature(file string, body []byte) (*Signature, error) {
	for _, ending := range []string{sigSuffix, minisigSuffix} {
		text, err := readFile(filepath.Join(t.dir, file+ending), maxSignature)
		if errors.Is(err, errMissing) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("signature %s: %w", file+ending, err)
		}
		s, err := ParseSignature(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file+ending, err)
		}
		return s, s.Verify(t.keys, file, body)
	}
	return nil, fmt.Errorf("%w: %s%s not found; run: headgate plugin sign %s", errUnsigned, file, sigSuffix, file)
}
