package plugins

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"

	"github.com/headgate-dev/headgate/wasm"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// Options are the plugins folder and the rules for what may run.
type Options struct {
	// Dir is the folder. It may be created later.
	Dir string
	// Trust is the rule for what may run. The zero value means TrustPinned, the strictest that needs no key.
	Trust Trust
	// Rules may be changed later with SetRules.
	Rules Rules
	// CacheDir stores compiled code. Optional: without it, each start compiles again.
	CacheDir string
	// Child compiles modules in another process. Without an Exe or a CacheDir, this process compiles.
	Child wasm.Child
	// Log receives the log messages of guests. Optional.
	Log func(file string, level abi.Level, text string, dropped int)
	// Decided is called when a candidate was promoted or held, so that the chain is rebuilt. It must not block.
	// Optional.
	Decided func()
}

// Rules are the operator's rules that may change while plugins serve.
type Rules struct {
	// Keys are the public keys that are accepted if Trust is TrustSigned.
	Keys []Key
	// Candidate says how a new version of a file is tried. With the zero value it replaces the old version immediately,
	// without a trial.
	Candidate Candidate
	// Pins are SHA-256 digests that TrustPinned allows besides plugins.lock, in hex, by file.
	Pins map[string]string
	// Vouched are, by file, the SHA-256 digests in hex that have a signature which the operator requires of this file. A file that is in it
	// must have the digest of Pins, under any trust, and its last version keeps serving only if its digest is listed.
	Vouched map[string][]string
	// MinVersions are the lowest versions that may run, by file: MAJOR.MINOR.PATCH.
	MinVersions map[string]string
	// Withdraw puts a named file that was removed under its link's fault rule. Otherwise the last version keeps serving
	// until the gateway ends.
	Withdraw bool
}

// Dir is a folder of plugins.
type Dir struct {
	o     Options
	cache *wasm.Cache
	first snapshot // as it was when the folder was opened

	mu       sync.Mutex // held while a module is loaded: one at a time
	files    map[string]*record
	versions map[versionKey]*wasm.Version
	state    sync.Mutex // guards the fields below; never held for long
	rules    Rules
	also     map[string]bool // files that are watched besides modules
	problems map[string]Problem
	odd      []string           // files whose names rule out that they are modules
	serving  map[string]serving // for Status: a summary of files
	events   []Event
	live     []*wasm.Version
	retired  map[string]wasm.Stats
}

// record is the state of one file of the folder that a link has requested.
type record struct {
	name string
	live *module // the module that serves; nil until one has loaded
	// trial is the newer version that is tried beside live, or was held. Optional.
	trial *trial
	// highest is the highest version that served, once it was looked up.
	highest string
	// recalled is set once the version that served before the start was looked for.
	recalled bool
}

// versionKey identifies a loaded module with its settings.
type versionKey struct {
	file, digest, manifest, config string
	limits                         wasm.Limits
}

// Open reads the names of a folder. Modules are loaded when Stage requests them.
func Open(o Options) (*Dir, error) {
	if o.Dir == "" {
		return nil, errors.New("open the plugins: no folder is named")
	}
	d := &Dir{
		o: o, files: map[string]*record{}, versions: map[versionKey]*wasm.Version{},
		also: map[string]bool{}, problems: map[string]Problem{}, serving: map[string]serving{}, retired: map[string]wasm.Stats{},
	}
	if err := d.SetRules(o.Rules); err != nil {
		return nil, fmt.Errorf("open the plugins: %w", err)
	}
	if o.CacheDir != "" {
		var err error
		if d.cache, err = wasm.OpenCache(o.CacheDir, o.Child); err != nil {
			return nil, fmt.Errorf("open the plugins: %w", err)
		}
	}
	d.first = d.takeSnapshot()
	return d, nil
}

// SetRules puts rules in force for modules that are loaded later. A serving module is not checked again until its link
// is rebuilt.
func (d *Dir) SetRules(r Rules) error {
	if d.o.Trust == TrustSigned && len(r.Keys) == 0 {
		return errors.New(
			"trust is signed, but no public key is configured; create a pair with headgate plugin keygen and write the public one into plugins.keys",
		)
	}
	if err := r.Candidate.check(); err != nil {
		return err
	}
	d.state.Lock()
	defer d.state.Unlock()
	d.rules = r
	return nil
}

// Rules returns those in force.
func (d *Dir) Rules() Rules {
	d.state.Lock()
	defer d.state.Unlock()
	return d.rules
}

// ensureRecord returns the record of a file, and creates it if necessary. The caller holds d.mu.
func (d *Dir) ensureRecord(name string) *record {
	f := d.files[name]
	if f == nil {
		f = &record{name: name}
		d.files[name] = f
	}
	return f
}

// Close forgets all loaded modules. Stages that are still open keep serving; each releases its module when it is
// closed.
func (d *Dir) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, f := range d.files {
		f.stopTrial()
	}
	clear(d.files)
	clear(d.versions)
	return nil
}

// DigestBytes returns the SHA-256 of a module in hex, as in plugins.lock.
func DigestBytes(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
