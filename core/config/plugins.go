package config

import "time"

// Plugins configures the folder of modules.
type Plugins struct {
	// Dir is the folder, relative to the working directory.
	Dir string `yaml:"dir" default:"plugins"`
	// Watch loads new and changed modules while the gateway runs.
	Watch bool `yaml:"watch" default:"true"`
	// Trust is which modules are loaded: `open` for any, `pinned` for the digests in plugins.lock, `signed` for those
	// with a valid signature.
	Trust Trust `yaml:"trust" default:"pinned"`
	// CacheDir stores compiled modules. Default: a folder in the user's cache directory.
	CacheDir string `yaml:"cache_dir" eg:".cache/wasm"`
	// Keys are the public keys whose signatures count when trust is `signed`, as minisign and `headgate plugin keygen`
	// print them.
	Keys []string `yaml:"keys" eg:"[RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3]"`
	// Removed is what happens to a link whose file was removed: `keep` runs its last version until the gateway ends,
	// `fault` applies the link's on_fault.
	Removed Removed `yaml:"removed" default:"keep"`
	// Candidate configures the shadow period of a new version of a file in use.
	Candidate Candidate `yaml:"candidate"`
	// Artifacts are plugins in registries, by the file that each becomes in the folder: a reference with a digest, as
	// `headgate plugin push` prints it. The gateway pulls those that it does not have.
	Artifacts map[string]string `yaml:"artifacts" eg:"{guard.wasm: \"oci://registry.example.com/guards/guard@sha256:…\"}"`
	// CosignKeys are public keys in PEM (ECDSA P-256), as `cosign generate-key-pair` writes them to cosign.pub. If there are
	// any, each artifact must have a signature of `cosign sign --key` by one of them.
	CosignKeys []string `yaml:"cosign_keys" eg:"[\"-----BEGIN PUBLIC KEY-----\\n…\"]"`
	// Registries are the credentials of registries, by host.
	Registries map[string]PluginRegistry `yaml:"registries"`
	// MinVersions are the lowest versions that may run, by file.
	MinVersions map[string]string `yaml:"min_versions" eg:"{guard.wasm: 1.2.0}"`
	// Upstreams are the services that plugins with the capability call may call, by name: grant.upstreams of a link names
	// those that its plugin may call. A plugin gives a path and a body, never an address.
	Upstreams map[string]PluginUpstream `yaml:"upstreams"`
}

// PluginRegistry is a registry of the OCI distribution specification.
type PluginRegistry struct {
	// User is the name that is sent when the registry asks for one.
	User string `yaml:"user" eg:"bot"`
	// Password is the password or token of the user.
	Password Secret `yaml:"password" eg:"${REGISTRY_PASSWORD}"`
	// PlainHTTP reaches the registry without TLS, such as one on this machine.
	PlainHTTP bool `yaml:"plain_http" default:"false"`
}

// PluginUpstream is a service that plugins may call. Write one of `url` and `models`.
type PluginUpstream struct {
	// URL is the address under which the paths of calls lie: https, or http with `allow_private`.
	URL string `yaml:"url" eg:"https://guard.example.com/v1"`
	// Token is sent with each call, as a bearer token.
	Token Secret `yaml:"token" eg:"${GUARD_TOKEN}"`
	// Models are globs over models of this gateway, which are then called instead of a URL. The budgets of the key that
	// caused the call pay for it, and it passes no guards.
	Models []string `yaml:"models" eg:"[text-embedding-3-small]"`
	// Timeout limits one call.
	Timeout time.Duration `yaml:"timeout" default:"2s" min:"10ms" max:"60s"`
	// Calls limits the concurrent calls; further calls wait until their timeout.
	Calls int `yaml:"calls" default:"32" min:"1" max:"1024"`
	// AllowPrivate allows a service on this machine or in a private network, and plain http.
	AllowPrivate bool `yaml:"allow_private" default:"false"`
	// CAFile adds certificate authorities, as PEM.
	CAFile string `yaml:"ca_file" eg:"guard-ca.pem"`
}

// Candidate is the shadow period of a new version: it runs beside the current one, and their verdicts are compared.
type Candidate struct {
	// For is its shortest duration. With 0, and min_calls 0, a new version takes over at once.
	For time.Duration `yaml:"for" default:"0s" min:"0s" max:"720h" eg:"10m"`
	// MinCalls is how many bodies, and parts of streamed answers, must be compared at least.
	MinCalls int64 `yaml:"min_calls" default:"0" min:"0" eg:"1000"`
	// MaxDivergence is the share of comparisons, from 0 to 1, that may differ. Beyond it the version is held until an
	// operator decides.
	MaxDivergence float64 `yaml:"max_divergence" default:"0" eg:"0.001"`
	// MaxFaults is how many calls may fail. Beyond it the version is held.
	MaxFaults int64 `yaml:"max_faults" default:"0" min:"0" eg:"0"`
}

// Removed is what happens to a link whose file was removed; "" is not set.
type Removed string

// The values of Removed.
const (
	RemovedKeep  Removed = "keep"
	RemovedFault Removed = "fault"
)

var _ choices = Removed("")

// Values lists the accepted words.
func (Removed) Values() []string { return []string{"keep", "fault"} }

// Trust is which modules are loaded; "" is not set.
type Trust string

// The values of Trust.
const (
	TrustOpen   Trust = "open"
	TrustPinned Trust = "pinned"
	TrustSigned Trust = "signed"
)

var _ choices = Trust("")

// Values lists the accepted words.
func (Trust) Values() []string { return []string{"open", "pinned", "signed"} }
