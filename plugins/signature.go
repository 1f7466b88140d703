package plugins

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"aead.dev/minisign"
)

// Extensions of signature files: ours, and minisign's default.
const (
	sigSuffix     = ".sig"
	minisigSuffix = ".minisig"
)

const maxSignature = 4 << 10

// Signature is a detached signature in minisign's format: Ed25519, over the file's bytes or their BLAKE2b-512 hash,
// with a comment that is signed too.
type Signature struct {
	text []byte
	sig  minisign.Signature
}

// ParseSignature parses the four lines of a signature file.
func ParseSignature(text []byte) (*Signature, error) {
	s := &Signature{text: text}
	switch err := s.sig.UnmarshalText(text); {
	case err == nil:
		return s, nil
	case len(text) == 0:
		return nil, errors.New("the signature is empty")
	case len(text) == 64:
		return nil, errors.New("the signature is 64 bare bytes; a signature in minisign's format is needed: headgate plugin sign, or minisign -S")
	case isKey(text):
		return nil, errors.New("a public key, not a signature")
	case strings.Count(strings.TrimRight(string(text), "\n"), "\n") != 3:
		return nil, errors.New(
			"the signature has not the four lines of minisign's format; sign the file again: headgate plugin sign, or minisign -S",
		)
	default:
		return nil, fmt.Errorf(
			"the signature is damaged: %s; sign the file again",
			strings.TrimPrefix(strings.TrimPrefix(err.Error(), "minisign: "), "invalid signature: "),
		)
	}
}

// KeyID returns the id of the key that the signature claims to be by, as minisign prints it.
func (s *Signature) KeyID() string { return formatKeyID(s.sig.KeyID) }

// Comment returns the comment that was signed with the file. Trust it only after Verify has returned nil.
func (s *Signature) Comment() string { return s.sig.TrustedComment }

// Verify returns an error unless the signature is by one of the keys, for a file with this name and these bytes. If the
// signed comment names a file, it must be this one: otherwise the signature of one plugin could be used for another.
func (s *Signature) Verify(keys []Key, file string, body []byte) error {
	i := slices.IndexFunc(keys, func(k Key) bool { return k.key.ID() == s.sig.KeyID })
	if i < 0 {
		return fmt.Errorf("signed with the key %s, which is not listed in plugins.keys", s.KeyID())
	}
	if !slices.ContainsFunc(keys, func(k Key) bool { return minisign.Verify(k.key, body, s.text) }) {
		return fmt.Errorf(
			"the signature with the key %s does not match: the file, or the signature, was changed after it was signed; sign it again if the change is intended",
			s.KeyID(),
		)
	}
	if name := s.parseSignedName(); name != "" && name != file {
		return fmt.Errorf("the signature was made for %q; sign the file under the name that it has here", truncateText(name, 60))
	}
	return nil
}

// parseSignedName returns the file that the signed comment names. minisign and "headgate plugin sign" write fields
// separated by tabs, one of which is "file:x".
func (s *Signature) parseSignedName() string {
	for field := range strings.SplitSeq(s.sig.TrustedComment, "\t") {
		if name, ok := strings.CutPrefix(field, "file:"); ok {
			return name
		}
	}
	return ""
}
