package config

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
}

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
