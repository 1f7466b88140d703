package plugins

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"

	"github.com/headgate-dev/headgate/wasm"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// Options says where plugins lie and which of them may run.
type Options struct {
	// Dir is the folder. It need not exist yet.
	Dir string
	// Trust is the rule for what may run; the zero value is TrustPinned, the
	// strictest that needs no key.
	Trust Trust
	// Keys are the public keys that count when Trust is TrustSigned.
	Keys []ed25519.PublicKey
	// CacheDir keeps compiled code; empty: nothing is kept, and each start
	// compiles anew.
	CacheDir string
	// Child compiles; without an Exe, or without a CacheDir, this process does.
	Child wasm.Child
	// Log gets what guests log, and may be nil.
	Log func(file string, level abi.Level, text string, dropped int)
}

// Dir is a folder of plugins.
type Dir struct {
	o     Options
	cache *wasm.Cache
	first snapshot // what was there when the folder was opened

	mu       sync.Mutex // held while a module is loaded: one at a time
	good     map[string]module
	versions map[versionKey]*wasm.Version
	state    sync.Mutex // guards what follows, never held for long
	problems map[string]Problem
	live     []*wasm.Version
	retired  map[string]wasm.Stats
}

// versionKey is all that makes two loaded modules differ.
type versionKey struct {
	file, digest, manifest, config string
	limits                         wasm.Limits
}

// Open looks at a folder. Modules are loaded when Stage asks for them.
func Open(o Options) (*Dir, error) {
	if o.Dir == "" {
		return nil, errors.New("open the plugins: no folder is named")
	}
	if o.Trust == TrustSigned && len(o.Keys) == 0 {
		return nil, errors.New("open the plugins: trust is signed, but there is no public key")
	}
	for _, k := range o.Keys {
		if len(k) != ed25519.PublicKeySize {
			return nil, fmt.Errorf("open the plugins: a public key has %d bytes, Ed25519 has %d", len(k), ed25519.PublicKeySize)
		}
	}
	d := &Dir{
		o: o, good: map[string]module{}, versions: map[versionKey]*wasm.Version{},
		problems: map[string]Problem{}, retired: map[string]wasm.Stats{},
	}
	if o.CacheDir != "" {
		var err error
		if d.cache, err = wasm.OpenCache(o.CacheDir, o.Child); err != nil {
			return nil, fmt.Errorf("open the plugins: %w", err)
		}
	}
	d.first = take(o.Dir)
	return d, nil
}

// Close forgets what was loaded. Stages that are still open serve on; each lets
// go of its module when it is closed.
func (d *Dir) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	clear(d.good)
	clear(d.versions)
	return nil
}

// Digest gives the SHA-256 of a module in hex, as plugins.lock holds it.
func Digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
