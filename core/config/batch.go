package config

import "time"

// Batch configures files of requests and their batches. Changes of limits take effect at the next start.
// server.max_body limits one line.
type Batch struct {
	// Guards says which links see the requests and results of batches: `redact` only those that redact personal data,
	// `enforce` all that judge content. Rate limits, budgets, output schemas and the cache apply to live calls only.
	Guards BatchGuards `yaml:"guards" default:"redact" eg:"enforce"`
	// MaxFile limits an uploaded file.
	MaxFile ByteSize `yaml:"max_file" default:"200MB" min:"1KiB" max:"10GiB"`
	// MaxLines is how many requests a file may hold.
	MaxLines int `yaml:"max_lines" default:"50000" min:"1" max:"10000000"`
	// AskEvery is the shortest time between two status requests to the provider for a client that polls a batch.
	AskEvery time.Duration `yaml:"ask_every" default:"5s" min:"100ms" max:"1h"`
	// WatchEvery is how often the gateway polls batches that no client polls, so that their usage is booked.
	WatchEvery time.Duration `yaml:"watch_every" default:"1m" min:"100ms" max:"24h"`
	// TempDir is the folder for files during their upload. Empty: the system's temporary folder.
	TempDir string `yaml:"temp_dir" eg:"/var/tmp"`
}

// BatchGuards says which links see the lines of batches; "" is not set.
type BatchGuards string

// The values of BatchGuards.
const (
	BatchRedact  BatchGuards = "redact"
	BatchEnforce BatchGuards = "enforce"
)

var _ choices = BatchGuards("")

// Values lists the accepted words.
func (BatchGuards) Values() []string { return []string{"redact", "enforce"} }

// HostedRule says what becomes of tools that run at the provider; "" is not set.
type HostedRule string

// The values of HostedRule.
const (
	HostedRefuse HostedRule = "refuse"
	HostedStrip  HostedRule = "strip"
	HostedPass   HostedRule = "pass"
)

var _ choices = HostedRule("")

// Values lists the accepted words.
func (HostedRule) Values() []string { return []string{"refuse", "strip", "pass"} }

// FilesRule says what becomes of files that no link can judge; "" is not set.
type FilesRule string

// The values of FilesRule.
const (
	FilesRefuse FilesRule = "refuse"
	FilesPass   FilesRule = "pass"
)

var _ choices = FilesRule("")

// Values lists the accepted words.
func (FilesRule) Values() []string { return []string{"refuse", "pass"} }
