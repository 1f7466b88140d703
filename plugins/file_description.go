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

// FileDescription describes a module's file, without running it, under the rules of the folder.
type FileDescription struct {
	File       string
	Size       int64
	Digest     string
	Inspection wasm.Inspection
	// Beside is the digest of the manifest beside the file, or "" without a manifest.
	Beside string
	// Signature is the signature beside the file, or nil if it is absent or unreadable. SignatureErr says why
	// the signature cannot be read or is not accepted.
	Signature    *Signature
	SignatureErr error
	// Pinned reports whether plugins.lock lists the digest. LockErr says why that is unknown.
	Pinned  bool
	LockErr error
	// Err says why the module cannot be loaded, whatever the trust rule is.
	Err error
}

// InspectModule inspects a module without running it. It returns an error if the file cannot be read.
func InspectModule(dir, file string, keys []Key) (*FileDescription, error) {
	if !isPlainFile(file) {
		return nil, errName
	}
	body, err := readFile(filepath.Join(dir, file), maxModule)
	if err != nil {
		return nil, err
	}
	s := &FileDescription{File: file, Size: int64(len(body)), Digest: DigestBytes(body)}
	var manifest *wasm.Manifest
	if name, ok := findManifestName(file); ok {
		text, err := readFile(filepath.Join(dir, name), maxBeside)
		switch {
		case err == nil:
			s.Beside = DigestBytes(text)
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
	"the name starts with a dot, starts or ends with a blank, contains slashes or control characters, or is not UTF-8; rename it",
)

// findManifestName returns the name of the manifest beside a module.
func findManifestName(file string) (string, bool) {
	stem, ok := strings.CutSuffix(file, suffix)
	return stem + besideSuffix, ok
}

// ReadLock reads the plugins.lock of a folder. IsMissing reports whether the error means that the file does not exist.
func ReadLock(dir string) (*Lock, error) {
	text, err := readFile(filepath.Join(dir, LockFile), maxLock)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", LockFile, err)
	}
	return ParseLock(text)
}

// IsMissing reports whether an error of this package says that a file is not there.
func IsMissing(err error) bool { return errors.Is(err, errMissing) }

// Try loads a module as a link with the settings s would, and closes it again. s may be nil. The error says why the
// module would not serve.
func (d *Dir) Try(ctx context.Context, file string, s core.Settings, deps Deps) (*wasm.Version, error) {
	settings, err := wasm.ReadSettings(s)
	if err != nil {
		return nil, err // names the file and the line
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	m, err := d.read(file)
	if err != nil {
		return nil, err
	}
	st, err := d.buildStage(ctx, &m, moduleRequest{settings: settings, deps: deps})
	if err != nil {
		return nil, err
	}
	return st.Version(), st.Close(ctx) // needs no context
}
