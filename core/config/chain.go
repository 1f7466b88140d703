package config

import (
	"path"
	"slices"
	"strings"
	"time"
)

// Link is one place in the chain. Exactly one of Stage, Wasm, Plugins, Webhook, Process
// and GuardrailPlugins is written; the rest is how the link runs.
type Link struct {
	// Stage is the name of a compiled-in stage.
	Stage string `yaml:"stage" eg:"pii"`
	// Wasm is a module's file in the plugins folder.
	Wasm string `yaml:"wasm" eg:"employee-id.wasm"`
	// Plugins is "*": every module in the plugins folder that no link names, in the order of their names.
	Plugins string `yaml:"plugins" eg:"\"*\""`
	// Webhook is the URL of a guard that is asked over HTTP. It is not shown, as it may hold a credential.
	Webhook string `yaml:"webhook" eg:"https://guard.example.com/check" secret:"true"`
	// Process is the executable file, in the plugins folder, of a plugin that runs as a process of its own.
	Process string `yaml:"process" eg:"word-guard"`
	// GuardrailPlugins is "*": every guardrail plugin that is kept as a record. Without such a link they are asked behind the last guard.
	GuardrailPlugins string `yaml:"guardrail_plugins" eg:"\"*\""`
	// Args are the process's arguments.
	Args []string `yaml:"args" eg:"[--strict]"`
	// Env is the process's environment: it inherits nothing of the gateway's.
	Env map[string]Secret `yaml:"env" secret:"true"`
	// SHA256 is the digest of the process's file, as sha256sum prints it. Without it the file must be one that plugins.trust lets run.
	SHA256 string `yaml:"sha256" eg:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	// StartTimeout bounds the start of a process, until it says that it is ready, 100ms to 5m. 10s unless written.
	StartTimeout time.Duration `yaml:"start_timeout" min:"100ms" max:"5m" eg:"10s"`
	// Plaintext takes TLS off the stream to a process that cannot make certificates. Its socket must then have mode 0600.
	Plaintext bool `yaml:"plaintext" default:"false"`
	// Secret signs the calls of a webhook, and checks its replies: 16 characters or more.
	Secret Secret `yaml:"secret" eg:"${GUARD_SECRET}"`
	// SecretSealed is the secret as headgate webhook seal prints it, in place of secret.
	SecretSealed Secret `yaml:"secret_sealed" eg:"hgs1.…"`
	// Previous is the secret before, while receivers may still use it.
	Previous PreviousSecret `yaml:"previous"`
	// FailMode is on_fault of a webhook, by the name in the product's specification: CLOSED blocks, OPEN passes.
	FailMode FailMode `yaml:"fail_mode" eg:"CLOSED"`
	// AllowPrivate lets a webhook lead to this machine and to private networks, and lets it be plain http.
	AllowPrivate bool `yaml:"allow_private" default:"false"`
	// AllowRaw says that a webhook, a process or the guardrail plugins are meant to see texts before personal data is taken out.
	AllowRaw bool `yaml:"allow_raw" default:"false"`
	// Name tells the link from the others. The stage's name, the file's without its ending, plugins or webhook, unless written.
	Name string `yaml:"name" eg:"employees"`
	// Phases are the phases the link runs in. All that its stage knows, unless written.
	Phases []Phase `yaml:"phases" eg:"[request, response]"`
	// Mode shadow records what the link would have done, and changes nothing.
	Mode Mode `yaml:"mode" default:"enforce"`
	// OnFault says what a crash, timeout or garbled verdict of the link does: block the exchange or pass over the link.
	OnFault OnFault `yaml:"on_fault" default:"block"`
	// Timeout bounds one call of a module or a process, or all calls of a webhook for one check, 1ms to 60s. The host's
	// default unless written, 5s for a webhook, 1s for a process; compiled-in stages have none.
	Timeout time.Duration `yaml:"timeout" min:"1ms" max:"60s" eg:"50ms"`
	// Limits bound what a module may use, and the calls of a webhook or a process at once.
	Limits Limits `yaml:"limits"`
	// Isolate says what a module's instance may remember: with tenant nothing of another tenant, with call nothing of an
	// earlier check.
	Isolate Isolate `yaml:"isolate" eg:"tenant"`
	// Grant is what a module or a process may see and use of what it asks for. All of it unless written.
	Grant Grant `yaml:"grant"`
	// For narrows the link to some exchanges. All unless written.
	For For `yaml:"for"`
	// Config is handed to the stage, module or process as it is.
	Config Block `yaml:"config"`
}

// PreviousSecret is a secret that is being replaced.
type PreviousSecret struct {
	// Secret is the secret itself.
	Secret Secret `yaml:"secret" eg:"${OLD_GUARD_SECRET}"`
	// SecretSealed is the secret as headgate webhook seal prints it, in place of secret.
	SecretSealed Secret `yaml:"secret_sealed" eg:"hgs1.…"`
	// Until is when it stops being used.
	Until time.Time `yaml:"until" eg:"2027-01-31T00:00:00Z"`
}

// IsZero reports that no secret is being replaced.
func (p PreviousSecret) IsZero() bool { return p == PreviousSecret{} }

// Kind says which of stage, wasm, plugins, webhook, process and guardrail_plugins is written; "" if none is.
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
	case l.Process != "":
		return "process"
	case l.GuardrailPlugins != "":
		return "guardrail_plugins"
	}
	return ""
}

// GuardrailPluginsName is the name of the link of guardrail plugins, unless it has one.
const GuardrailPluginsName = "guardrail-plugins"

// linkName is a link's name: as written, or made from what it runs.
func linkName(name, stage, wasm, plugins, webhook, process, guards string) string {
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
	case process != "":
		return strings.TrimSuffix(path.Base(process), path.Ext(process))
	case guards != "":
		return GuardrailPluginsName
	}
	return ""
}

// Limits bound what one module, webhook or process may use; 0 is the host's default.
type Limits struct {
	// Memory is the most that one instance may hold.
	Memory ByteSize `yaml:"memory" min:"64KiB" max:"256MiB" eg:"16MiB"`
	// Instances is the most that run at the same time: instances of a module, calls of a webhook or a process.
	Instances int `yaml:"instances" min:"1" max:"1024" eg:"4"`
	// Streams is the most streamed answers that hold an instance of a module with state at the same time.
	Streams int `yaml:"streams" min:"1" max:"4096" eg:"32"`
}

// For narrows a link. An exchange must fit each list that is written; within a
// list one entry is enough.
type For struct {
	// Tenants are tenant ids.
	Tenants []string `yaml:"tenants" eg:"[default]"`
	// Keys are key names.
	Keys []string `yaml:"keys" eg:"[dev]"`
	// Models are globs over model names.
	Models []string `yaml:"models" eg:"[\"gpt-*\"]"`
	// Dialects are client API shapes.
	Dialects []string `yaml:"dialects" eg:"[openai.chat]"`
}

// IsZero reports that the link runs for every exchange.
func (f For) IsZero() bool {
	return len(f.Tenants)+len(f.Keys)+len(f.Models)+len(f.Dialects) == 0
}

// Phase is a point in an exchange where links run; "" is not set.
type Phase string

// The phases.
const (
	PhaseRequest  Phase = "request"
	PhaseTarget   Phase = "target"
	PhaseResponse Phase = "response"
)

var _ choices = Phase("")

// Values lists the words that may be written.
func (Phase) Values() []string { return []string{"request", "target", "response"} }

// Mode says whether a link's verdict counts; "" is not set.
type Mode string

// The modes.
const (
	Enforce Mode = "enforce"
	Shadow  Mode = "shadow"
)

var _ choices = Mode("")

// Values lists the words that may be written.
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

// Values lists the words that may be written.
func (Isolate) Values() []string { return []string{"none", "tenant", "call"} }

// OnFault says what a link's own failure does; "" is not set.
type OnFault string

// The fault rules.
const (
	FaultBlock OnFault = "block"
	FaultPass  OnFault = "pass"
)

var _ choices = OnFault("")

// Values lists the words that may be written.
func (OnFault) Values() []string { return []string{"block", "pass"} }

// FailMode says what a webhook's failure does; "" is not set.
type FailMode string

// The fail modes.
const (
	FailClosed FailMode = "CLOSED"
	FailOpen   FailMode = "OPEN"
)

var _ choices = FailMode("")

// Values lists the words that may be written.
func (FailMode) Values() []string { return []string{"CLOSED", "OPEN"} }

// Links are the chain, and behind it the cache that the switch asks for.
func (c *Config) Links() []Link {
	const cache = "cache"
	if !c.Cache.Enabled || slices.ContainsFunc(c.Chain, func(l Link) bool { return l.Stage == cache }) {
		return c.Chain
	}
	return append(slices.Clip(c.Chain), Link{Stage: cache, Name: cache})
}
