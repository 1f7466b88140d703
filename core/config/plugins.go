package config

import "time"

// Plugins is the folder that modules are dropped into.
type Plugins struct {
	// Dir is the folder, relative to the working directory.
	Dir string `yaml:"dir" default:"plugins"`
	// Watch takes up new and changed modules while the gateway runs.
	Watch bool `yaml:"watch" default:"true"`
	// Trust says which modules are loaded: open for any, pinned for the digests in plugins.lock, signed for those with a valid signature.
	Trust Trust `yaml:"trust" default:"pinned"`
	// CacheDir keeps compiled modules. A folder under the user's cache directory unless written.
	CacheDir string `yaml:"cache_dir" eg:".cache/wasm"`
	// Keys are the public keys, as minisign and headgate plugin keygen print them, whose signatures count when trust is signed.
	Keys []string `yaml:"keys" eg:"[RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3]"`
	// Removed says what becomes of a link that names a file which was taken away: keep lets it serve as it last was until the gateway ends, fault applies the link's on_fault.
	Removed Removed `yaml:"removed" default:"keep"`
	// Candidate says how a new version of a file that serves is tried before it takes the place of the old one.
	Candidate Candidate `yaml:"candidate"`
}

// Candidate is the shadow period of a new version: it is asked beside the one that serves, and their verdicts are compared.
type Candidate struct {
	// For is how long it is tried at least. With 0, and min_calls 0, a new version serves at once.
	For time.Duration `yaml:"for" default:"0s" min:"0s" max:"720h" eg:"10m"`
	// MinCalls is how many bodies, and parts of streamed answers, must have been compared at least.
	MinCalls int64 `yaml:"min_calls" default:"0" min:"0" eg:"1000"`
	// MaxDivergence is the share of comparisons, from 0 to 1, that may come out differently. With more it is held until an operator decides.
	MaxDivergence float64 `yaml:"max_divergence" default:"0" eg:"0.001"`
	// MaxFaults is how many of its calls may fail. With more it is held.
	MaxFaults int64 `yaml:"max_faults" default:"0" min:"0" eg:"0"`
}

// Removed says what becomes of a link whose file was taken away; "" is not set.
type Removed string

// What becomes of it.
const (
	RemovedKeep  Removed = "keep"
	RemovedFault Removed = "fault"
)

var _ choices = Removed("")

// Values lists the words that may be written.
func (Removed) Values() []string { return []string{"keep", "fault"} }

// Trust says which modules are loaded; "" is not set.
type Trust string

// The kinds of trust.
const (
	TrustOpen   Trust = "open"
	TrustPinned Trust = "pinned"
	TrustSigned Trust = "signed"
)

var _ choices = Trust("")

// Values lists the words that may be written.
func (Trust) Values() []string { return []string{"open", "pinned", "signed"} }
