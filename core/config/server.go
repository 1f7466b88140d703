package config

import "time"

// Server is the listener of the data plane and what belongs to it.
type Server struct {
	// Listen is the address of the gateway, host:port. Without a host it listens on all interfaces; port 0 takes a free one.
	Listen string `yaml:"listen" default:"127.0.0.1:8080" eg:"127.0.0.1:8080"`
	// MetricsListen is the address of /metrics. Empty text turns it off.
	MetricsListen string `yaml:"metrics_listen" default:"127.0.0.1:9090" eg:"127.0.0.1:9090"`
	// PprofListen is the address of Go's profiles. Off unless written; keep it on a loopback address.
	PprofListen string `yaml:"pprof_listen" eg:"127.0.0.1:6060"`
	// MaxBody is the largest request body; a larger one is refused with 413.
	MaxBody ByteSize `yaml:"max_body" default:"32MiB" min:"1KiB" max:"1GiB"`
	// BodyTimeout is how long a client may take for each 16 KiB of a request body, or the rest of it; a slower one is refused with 408.
	BodyTimeout time.Duration `yaml:"body_timeout" default:"30s" min:"100ms" max:"10m"`
	// Loop reads and answers requests: `fast` is the gateway's own HTTP/1.1 loop for plain requests, `net/http` is Go's for all requests.
	Loop Loop `yaml:"loop" default:"fast"`
	// TLS makes the listener speak HTTPS.
	TLS TLS `yaml:"tls"`
	// ShutdownTimeout is how long running exchanges may go on after a signal to stop.
	ShutdownTimeout time.Duration `yaml:"shutdown_timeout" default:"30s" min:"0s" max:"1h"`
	// ReadHeaderTimeout is how long a client may take to send its headers.
	ReadHeaderTimeout time.Duration `yaml:"read_header_timeout" default:"10s" min:"100ms" max:"10m"`
	// IdleTimeout is how long a kept connection may be silent between requests.
	IdleTimeout time.Duration `yaml:"idle_timeout" default:"2m" min:"1s" max:"1h"`
}

// Loop is the implementation that reads requests from a connection; "" is not set.
type Loop string

// The server loops.
const (
	LoopFast    Loop = "fast"
	LoopNetHTTP Loop = "net/http"
)

var _ choices = Loop("")

// Values lists the accepted words.
func (Loop) Values() []string { return []string{"fast", "net/http"} }

// TLS is a certificate and its key, both PEM files, relative to the working directory.
type TLS struct {
	// CertFile is the certificate with its chain.
	CertFile string `yaml:"cert_file" eg:"server.crt"`
	// KeyFile is the private key of the certificate.
	KeyFile string `yaml:"key_file" eg:"server.key"`
}

// Enabled reports whether a certificate is configured.
func (t TLS) Enabled() bool { return t.CertFile != "" }

// Log is the process's own log. Prompt text is never in it.
type Log struct {
	// Level is the least that is logged.
	Level Level `yaml:"level" default:"info"`
	// Format is json for machines, console for people.
	Format LogFormat `yaml:"format" default:"json"`
	// Access writes one line per request.
	Access bool `yaml:"access" default:"true"`
}

// Level is a log level; "" is not set.
type Level string

// The log levels.
const (
	LevelTrace Level = "trace"
	LevelDebug Level = "debug"
	LevelInfo  Level = "info"
	LevelWarn  Level = "warn"
	LevelError Level = "error"
)

var _ choices = Level("")

// Values lists the words that may be written.
func (Level) Values() []string { return []string{"trace", "debug", "info", "warn", "error"} }

// LogFormat is the form of a log line; "" is not set.
type LogFormat string

// The log formats.
const (
	LogJSON    LogFormat = "json"
	LogConsole LogFormat = "console"
)

var _ choices = LogFormat("")

// Values lists the words that may be written.
func (LogFormat) Values() []string { return []string{"json", "console"} }
