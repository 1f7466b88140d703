package config

import (
	"path"
	"slices"
	"strings"
	"time"
)

// Link is one place in the chain. Write exactly one of `stage`, `wasm`, `plugins`, `webhook`, `guard`,
// `process` and `guardrail_plugins`; the other keys say how the link runs.
type Link struct {
	// Stage is the name of a compiled-in stage.
	Stage string `yaml:"stage" eg:"pii"`
	// Wasm is a module's file in the plugins folder.
	Wasm string `yaml:"wasm" eg:"employee-id.wasm"`
	// Plugins is "*": every module in the plugins folder that no other link names, sorted by name.
	Plugins string `yaml:"plugins" eg:"\"*\""`
	// Webhook is the URL of a guard that is called over HTTP. It may hold a credential, so it is never shown.
	Webhook string `yaml:"webhook" eg:"https://guard.example.com/check" secret:"true"`
	// Guard is the vendor of a guard that is called in its own wire form. Its address and settings are in `config`, its API
	// key in `secret`.
	Guard string `yaml:"guard" eg:"presidio"`
	// Process is the executable file, in the plugins folder, of a plugin that runs as a separate process.
	Process string `yaml:"process" eg:"word-guard"`
	// GuardrailPlugins is "*": every guardrail plugin stored as a record. Without such a link they are called after the
	// last guard.
	GuardrailPlugins string `yaml:"guardrail_plugins" eg:"\"*\""`
	// Args are the process's arguments.
	Args []string `yaml:"args" eg:"[--strict]"`
	// Env is the process's environment. It inherits nothing from the gateway.
	Env map[string]Secret `yaml:"env" secret:"true"`
	// SHA256 is the digest of the process's file, as sha256sum prints it. Without it, plugins.trust must allow the
	// file.
	SHA256 string `yaml:"sha256" eg:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	// StartTimeout limits the start of a process, until it reports ready: 100ms to 5m. Default: 10s.
	StartTimeout time.Duration `yaml:"start_timeout" min:"100ms" max:"5m" eg:"10s"`
	// Plaintext turns TLS off for a process that cannot create certificates. Its socket must then have mode 0600.
	Plaintext bool `yaml:"plaintext" default:"false"`
	// Secret signs the calls to a webhook and verifies its replies: at least 16 characters. Of a guard it is the API key.
	Secret Secret `yaml:"secret" eg:"${GUARD_SECRET}"`
	// SecretSealed is the secret as `headgate webhook seal` prints it, instead of secret.
	SecretSealed Secret `yaml:"secret_sealed" eg:"hgs1.…"`
	// Previous is the old secret, during a rotation.
	Previous PreviousSecret `yaml:"previous"`
	// FailMode is on_fault of a webhook, with the names of the product's specification: CLOSED blocks, OPEN passes.
	FailMode FailMode `yaml:"fail_mode" eg:"CLOSED"`
	// AllowPrivate allows a webhook or guard on this machine or in a private network, and plain http.
	AllowPrivate bool `yaml:"allow_private" default:"false"`
	// AllowRaw allows a webhook, a guard, a process or the guardrail plugins to see texts before personal data is redacted.
	AllowRaw bool `yaml:"allow_raw" default:"false"`
	// Name identifies the link. Default: the stage's or guard's name, the file's name without its extension, `plugins` or
	// `webhook`.
	Name string `yaml:"name" eg:"employees"`
	// Role is the compiled-in stage that a module, process, webhook or guard stands in for. The order rules of the stage then
	// apply to it, and findings of a link in the role pii count as personal data. Default: the role in the module's manifest.
	Role LinkRole `yaml:"role" eg:"pii"`
	// Phases are the phases in which the link runs. Default: all that its stage supports.
	Phases []Phase `yaml:"phases" eg:"[request, response]"`
	// Mode `shadow` records what the link would have done and changes nothing.
	Mode Mode `yaml:"mode" default:"enforce"`
	// OnFault says what happens when the link crashes, times out or returns an invalid verdict: block the exchange or
	// pass over the link.
	OnFault OnFault `yaml:"on_fault" default:"block"`
	// Reject is what clients read when a module, process, webhook or guard refuses, in place of its own message: one line, up to
	// 500 bytes. The error's code stays that of the plugin.
	Reject string `yaml:"reject" eg:"Our rules do not allow this. Ask it@example.com."`
	// Timeout limits one call of a module or process, or all calls of a webhook or guard for one check: 1ms to 60s. Of a module,
	// time in which it did not run does not count. Default: the host's, 5s for a webhook or guard, 1s for a process. Compiled-in
	// stages have no timeout.
	Timeout time.Duration `yaml:"timeout" min:"1ms" max:"60s" eg:"50ms"`
	// Limits limit the resources of a module, the CPU time of a compiled-in stage, and the concurrent calls of a webhook or
	// process.
	Limits Limits `yaml:"limits"`
	// Isolate limits what a module's instance may remember: `tenant` separates tenants, `call` separates checks, `none`
	// separates nothing.
	Isolate Isolate `yaml:"isolate" default:"tenant"`
	// Grant limits which of its requests a module or process is granted. Default: all of them.
	Grant Grant `yaml:"grant"`
	// For limits the link to some exchanges. Default: all.
	For For `yaml:"for"`
	// Config is passed to the stage, module or process unchanged.
	Config Block `yaml:"config"`
}

// PreviousSecret is the old secret during a rotation.
type PreviousSecret struct {
	// Secret is the secret itself.
	Secret Secret `yaml:"secret" eg:"${OLD_GUARD_SECRET}"`
	// SecretSealed is the secret as `headgate webhook seal` prints it, instead of secret.
	SecretSealed Secret `yaml:"secret_sealed" eg:"hgs1.…"`
	// Until is when the old secret expires.
	Until time.Time `yaml:"until" eg:"2027-01-31T00:00:00Z"`
}

// IsZero reports whether no secret is being rotated.
func (p PreviousSecret) IsZero() bool { return p == PreviousSecret{} }

// Kind returns which of stage, wasm, plugins, webhook, guard, process and guardrail_plugins is written, or "".
func (l Link) Kind() string {
	switch {
	case l.Stage != "":
		return "stage"
	case l.Wasm != "":
		return "wasm"
	case l.Plugins != "":
		return "plugins"
	case l.Webhook != "":
		return "webhook"
	case l.Guard != "":
		return "guard"
	case l.Process != "":
		return "process"
	case l.GuardrailPlugins != "":
		return "guardrail_plugins"
	}
	return ""
}

// GuardrailPluginsName is the default name of the link of guardrail plugins.
const GuardrailPluginsName = "guardrail-plugins"

// chooseLinkName returns a link's name: as written, or derived from what it runs.
func chooseLinkName(name, stage, wasm, plugins, webhook, guard, process, guards string) string {
	switch {
	case name != "":
		return name
	case stage != "":
		return stage
	case wasm != "":
		return strings.TrimSuffix(path.Base(wasm), ".wasm")
	case plugins != "":
		return "plugins"
	case webhook != "":
		return "webhook"
	case guard != "":
		return guard
	case process != "":
		return strings.TrimSuffix(path.Base(process), path.Ext(process))
	case guards != "":
		return GuardrailPluginsName
	}
	return ""
}

// Limits limit the resources of one link. 0: the host's default.
type Limits struct {
	// Fuel limits the code that a module may run for one check, in metered instructions. A processor runs 2.5 to 10
	// thousand million of them in a second. Default: by the length of the text.
	Fuel int64 `yaml:"fuel" min:"100000" max:"1000000000000" eg:"200000000"`
	// Memory limits the memory of one instance.
	Memory ByteSize `yaml:"memory" min:"64KiB" max:"256MiB" eg:"16MiB"`
	// Instances limits the concurrent instances of a module, or calls of a webhook or process.
	Instances int `yaml:"instances" min:"1" max:"1024" eg:"4"`
	// CPU limits the CPU time of one call of a compiled-in stage: this value, plus the same for every MiB of the request,
	// the answer or the window of a stream. Time in which the stage did not run does not count. Default: 1s.
	CPU time.Duration `yaml:"cpu" min:"1ms" max:"60s" eg:"1s"`
	// Streams limits the concurrent streamed answers that hold an instance of a stateful module.
	Streams int `yaml:"streams" min:"1" max:"4096" eg:"32"`
}

// For limits a link to some exchanges. An exchange must match every list that is written, by at least one of its
// entries.
type For struct {
	// Tenants are tenant ids.
	Tenants []string `yaml:"tenants" eg:"[default]"`
	// Keys are key names.
	Keys []string `yaml:"keys" eg:"[dev]"`
	// Models are globs over model names.
	Models []string `yaml:"models" eg:"[\"gpt-*\"]"`
	// Dialects are client API dialects.
	Dialects []string `yaml:"dialects" eg:"[openai.chat]"`
}

// IsZero reports whether the link runs for every exchange.
func (f For) IsZero() bool {
	return len(f.Tenants)+len(f.Keys)+len(f.Models)+len(f.Dialects) == 0
}

// Phase is a point of an exchange where links run; "" is not set.
type Phase string

// The phases.
const (
	PhaseRequest  Phase = "request"
	PhaseTarget   Phase = "target"
	PhaseResponse Phase = "response"
)

var _ choices = Phase("")

// Values lists the accepted words.
func (Phase) Values() []string { return []string{"request", "target", "response"} }

// Mode says whether a link's verdict takes effect; "" is not set.
type Mode string

// The modes.
const (
	Enforce Mode = "enforce"
	Shadow  Mode = "shadow"
)

var _ choices = Mode("")

// Values lists the accepted words.
func (Mode) Values() []string { return []string{"enforce", "shadow"} }

// Isolate says what a module may remember; "" is not set.
type Isolate string

// The isolations.
const (
	IsolateNone   Isolate = "none"
	IsolateTenant Isolate = "tenant"
	IsolateCall   Isolate = "call"
)

var _ choices = Isolate("")

// Values lists the accepted words.
func (Isolate) Values() []string { return []string{"none", "tenant", "call"} }

// OnFault says what a link's own failure does; "" is not set.
type OnFault string

// The fault rules.
const (
	FaultBlock OnFault = "block"
	FaultPass  OnFault = "pass"
)

var _ choices = OnFault("")

// Values lists the accepted words.
func (OnFault) Values() []string { return []string{"block", "pass"} }

// FailMode says what a webhook's failure does; "" is not set.
type FailMode string

// The fail modes.
const (
	FailClosed FailMode = "CLOSED"
	FailOpen   FailMode = "OPEN"
)

var _ choices = FailMode("")

// Values lists the accepted words.
func (FailMode) Values() []string { return []string{"CLOSED", "OPEN"} }

// Links returns the chain, followed by the cache link that `cache.enabled` adds.
func (c *Config) Links() []Link {
	const cache = "cache"
	if !c.Cache.Enabled || slices.ContainsFunc(c.Chain, func(l Link) bool { return l.Stage == cache }) {
		return c.Chain
	}
	return append(slices.Clip(c.Chain), Link{Stage: cache, Name: cache})
}
