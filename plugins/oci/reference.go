package oci

import (
	"errors"
	"fmt"
	"strings"

	"oras.land/oras-go/v2/registry"
)

// Scheme begins a reference.
const Scheme = "oci://"

// Reference names an artifact: oci://registry/repository@sha256:… or, to push to, oci://registry/repository:tag.
type Reference struct{ ref registry.Reference }

// ParseReference parses a reference.
func ParseReference(text string) (Reference, error) {
	rest, ok := strings.CutPrefix(text, Scheme)
	if !ok {
		return Reference{}, fmt.Errorf("a reference starts with %s, as in %sregistry.example.com/plugins/name@sha256:…", Scheme, Scheme)
	}
	if strings.Contains(rest, "://") || strings.ContainsAny(rest, "?#") || strings.Contains(rest, "@") && !strings.Contains(rest, "@sha256:") {
		return Reference{}, errors.New("a reference holds a registry, a repository, and a tag or a sha256 digest, and nothing else")
	}
	ref, err := registry.ParseReference(rest)
	if err != nil {
		return Reference{}, fmt.Errorf("the reference cannot be read: %w", err)
	}
	return Reference{ref}, nil
}

// CheckPinned returns an error unless the reference names a digest. A tag can name another artifact tomorrow.
func (r Reference) CheckPinned() error {
	if r.ref.Reference == "" || r.ref.ValidateReferenceAsDigest() != nil {
		return errors.New("the reference names no digest, so that its content may change; push prints the one to write: oci://…@sha256:…")
	}
	return nil
}

// Host returns the registry as the reference has it: host, or host:port.
func (r Reference) Host() string { return r.ref.Registry }

// String returns the reference as it is written.
func (r Reference) String() string { return Scheme + r.ref.String() }
