package plugins

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/wasm"
)

// Sight is what can be said of a module's file from outside, as the folder's
// rules have it.
type Sight struct {
	File       string
	Size       int64
	Digest     string
	Inspection wasm.Inspection
	// Beside is the digest of the manifest beside it; empty: there is none.
	Beside string
	// Signature lies beside it; nil: none does, or it cannot be read, which
	// SignatureErr says then. SignatureErr also says why it does not count.
	Signature    *Signature
	SignatureErr error
	// Pinned says whether plugins.lock lists the digest. LockErr says why nobody
	// knows.
	Pinned  bool
	LockErr error
	// Err says why the module is none that may be loaded, whoever trusts it.
	Err error
}

// Look looks at a module without running it. The error says that it could not be
// read at all.
func Look(dir, file string, keys []Key) (*Sight, error) {
	if !plainFile(file) {
		return nil, errName
	}
	body, err := readFile(filepath.Join(dir, file), maxModule)
	if err != nil {
		return nil, err
	}
	s := &Sight{File: file, Size: int64(len(body)), Digest: Digest(body)}
	var manifest *wasm.Manifest
	if name, ok := besideName(file); ok {
		text, err := readFile(filepath.Join(dir, name), maxBeside)
		switch {
		case err == nil:
			s.Beside = Digest(text)
			if manifest, err = ReadManifest(text); err != nil {
				s.Err = fmt.Errorf("%s: %w", name, err)
			}
		case !errors.Is(err, errMissing):
			s.Err = fmt.Errorf("%s: %w", name, err)
		}
	}
	var bad error
	if s.Inspection, bad = wasm.Inspect(body, manifest); s.Err == nil {
		s.Err = bad
	}
	s.Signature, s.SignatureErr = truster{dir: dir, keys: keys}.checkSignature(file, body)
	lock, err := ReadLock(dir)
	if s.LockErr = err; err == nil {
		s.Pinned = lock.Has(file, s.Digest)
	}
	return s, nil
}

var errName = errors.New(
	"its name begins with a dot, or has blanks at its ends, slashes or control characters, or is not UTF-8; give it another",
)

// besideName is the name of the manifest beside a module.
func besideName(file string) (string, bool) {
	stem, ok := strings.CutSuffix(file, suffix)
	return stem + besideSuffix, ok
}

// ReadLock reads the plugins.lock of a folder. A missing one is an error, which
// IsMissing tells.
func ReadLock(dir string) (*Lock, error) {
	text, err := readFile(filepath.Join(dir, LockFile), maxLock)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", LockFile, err)
	}
	return ParseLock(text)
}

// IsMissing reports whether an error of this package says that a file is not there.
func IsMissing(err error) bool { return errors.Is(err, errMissing) }

// Try loads a module as a link with these settings would, and lets go of it: what
// it is, and whether it would serve. s is the link's config block; nil: there is none.
func (d *Dir) Try(ctx context.Context, file string, s core.Settings, deps Deps) (*wasm.Version, error) {
	settings, err := wasm.ReadSettings(s)
	if err != nil {
		return nil, err // it names the file and the line already
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	m, err := d.read(file)
	if err != nil {
		return nil, err
	}
	st, err := d.try(ctx, &m, asking{settings: settings, deps: deps})
	if err != nil {
		return nil, err
	}
	return st.Version(), st.Close(ctx) // it says nothing of its own
}
