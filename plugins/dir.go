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

// Options says where plugins lie and which of them may run.
type Options struct {
	// Dir is the folder. It need not exist yet.
	Dir string
	// Trust is the rule for what may run; the zero value is TrustPinned, the
	// strictest that needs no key.
	Trust Trust
	// Rules are those that SetRules may change later.
	Rules Rules
	// CacheDir keeps compiled code; empty: nothing is kept, and each start
	// compiles anew.
	CacheDir string
	// Child compiles; without an Exe, or without a CacheDir, this process does.
	Child wasm.Child
	// Log gets what guests log, and may be nil.
	Log func(file string, level abi.Level, text string, dropped int)
	// Decided is called when a candidate was promoted or held, so that the chain
	// is built anew. It must not block, and may be nil.
	Decided func()
}

// Rules are the operator's decisions that may change while plugins serve.
type Rules struct {
	// Keys are the public keys that count when Trust is TrustSigned.
	Keys []Key
	// Candidate says how a new version of a file is tried; the zero value: not at
	// all, it takes the place of the old one at once.
	Candidate Candidate
	// Withdraw lets a named file that was taken away come under its link's fault
	// rule. Else it goes on serving as it last was, until the gateway ends.
	Withdraw bool
}

// Dir is a folder of plugins.
type Dir struct {
	o     Options
	cache *wasm.Cache
	first snapshot // what was there when the folder was opened

	mu       sync.Mutex // held while a module is loaded: one at a time
	files    map[string]*record
	versions map[versionKey]*wasm.Version
	state    sync.Mutex // guards what follows, never held for long
	rules    Rules
	also     map[string]bool // files that are watched besides modules
	problems map[string]Problem
	odd      []string           // files whose names keep them from being modules
	serving  map[string]serving // for Status: what files holds, in brief
	events   []Event
	live     []*wasm.Version
	retired  map[string]wasm.Stats
}

// record is one file of the folder, as far as it was ever asked for.
type record struct {
	name string
	live *module // what serves; nil: nothing has loaded yet
	// trial is the newer version that is tried beside live, or was held; nil:
	// there is none.
	trial *trial
	// highest is the highest version that served, as far as it was looked up.
	highest string
	// recalled is set once what served before the start was looked for.
	recalled bool
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
	d.first = d.look()
	return d, nil
}

// SetRules puts rules in force for what is loaded from now on. What serves is
// not looked at again before its link is made anew.
func (d *Dir) SetRules(r Rules) error {
	if d.o.Trust == TrustSigned && len(r.Keys) == 0 {
		return errors.New(
			"trust is signed, but there is no public key; make a pair with: headgate plugin keygen, and write the public one into plugins.keys",
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

// Rules are those in force.
func (d *Dir) Rules() Rules {
	d.state.Lock()
	defer d.state.Unlock()
	return d.rules
}

// record gives the record of a file. d.mu is held.
func (d *Dir) record(name string) *record {
	f := d.files[name]
	if f == nil {
		f = &record{name: name}
		d.files[name] = f
	}
	return f
}

// Close forgets what was loaded. Stages that are still open serve on; each lets
// go of its module when it is closed.
func (d *Dir) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, f := range d.files {
		f.drop()
	}
	clear(d.files)
	clear(d.versions)
	return nil
}

// Digest gives the SHA-256 of a module in hex, as plugins.lock holds it.
func Digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
