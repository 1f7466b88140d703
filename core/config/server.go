package config

import "time"

// Server configures the gateway's listeners.
type Server struct {
	// Listen is the address of the gateway, host:port. Without a host it listens on all interfaces; port 0 selects a
	// free one.
	Listen string `yaml:"listen" default:"127.0.0.1:8080" eg:"127.0.0.1:8080"`
	// MetricsListen is the address of /metrics. Empty turns it off.
	MetricsListen string `yaml:"metrics_listen" default:"127.0.0.1:9090" eg:"127.0.0.1:9090"`
	// PprofListen is the address of Go's profiles. Off by default; use a loopback address.
	PprofListen string `yaml:"pprof_listen" eg:"127.0.0.1:6060"`
	// PublicURL is the address at which clients reach the gateway. Agent cards name it. By default that of the request is
	// used: http, or https if the request came over TLS or X-Forwarded-Proto says so.
	PublicURL string `yaml:"public_url" eg:"https://gateway.example.com"`
	// MaxBody limits a request body; a larger one is refused with 413.
	MaxBody ByteSize `yaml:"max_body" default:"32MiB" min:"1KiB" max:"1GiB"`
	// AnswerMemory limits the bytes of large answers, above 256 KiB, that wait in memory at the same time until their clients have taken
	// them; an answer beyond it is refused with 503. The process needs about twice as much.
	AnswerMemory ByteSize `yaml:"answer_memory" default:"256MiB" min:"64MiB" max:"1024GiB"`
	// AnswerMemoryPerTenant is the part of answer_memory that one tenant can use; an answer beyond it is refused with 503.
	AnswerMemoryPerTenant ByteSize `yaml:"answer_memory_per_tenant" default:"128MiB" min:"64MiB" max:"1024GiB"`
	// BodyTimeout limits the time for each 16 KiB of a request body, or the rest of it; a slower one is refused with
	// 408.
	BodyTimeout time.Duration `yaml:"body_timeout" default:"30s" min:"100ms" max:"10m"`
	// SendTimeout limits the time in which a client must take each 16 KiB of an answer, or the rest of it; a slower
	// connection is closed. Only time in which bytes wait for the client counts, so a slow model does not matter.
	SendTimeout time.Duration `yaml:"send_timeout" default:"30s" min:"100ms" max:"10m"`
	// Loop selects what reads requests: `fast` is the gateway's own HTTP/1.1 loop for plain requests, `net/http` is
	// Go's for all requests.
	Loop Loop `yaml:"loop" default:"fast"`
	// HTTP2 offers HTTP/2 to clients over TLS. Go's server serves them, whatever loop says. Its limits are in docs/deploy.md.
	HTTP2 bool `yaml:"http2" default:"true"`
	// SocketsPerKey limits the WebSockets that one key may have open at the same time (see docs/websocket.md). 0 turns the
	// WebSocket mode off: an upgrade is answered with 426, and clients stream over HTTP.
	SocketsPerKey int `yaml:"sockets_per_key" default:"64" min:"0" max:"100000"`
	// TrustedProxies are the addresses and networks of proxies in front of the gateway. Behind them, the address of a
	// client is the last one in X-Forwarded-For that is not theirs. It limits failed sign-ins and is in the audit log.
	TrustedProxies []string `yaml:"trusted_proxies" eg:"10.0.0.0/8"`
	// TLS turns HTTPS on.
	TLS TLS `yaml:"tls"`
	// DrainDelay is how long the gateway still accepts requests after a signal to stop, while /readyz answers 503 and
	// every answer closes its connection: at least what a load balancer takes to notice. A second signal ends it.
	DrainDelay time.Duration `yaml:"drain_delay" default:"0s" min:"0s" max:"1h"`
	// ShutdownTimeout is how long running exchanges may continue after a signal to stop.
	ShutdownTimeout time.Duration `yaml:"shutdown_timeout" default:"30s" min:"0s" max:"1h"`
	// ReadHeaderTimeout limits the time for the header of a request.
	ReadHeaderTimeout time.Duration `yaml:"read_header_timeout" default:"10s" min:"100ms" max:"10m"`
	// IdleTimeout is how long an idle connection is kept between requests.
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
	// KeyFile is the certificate's private key.
	KeyFile string `yaml:"key_file" eg:"server.key"`
}

// IsEnabled reports whether a certificate is configured.
func (t TLS) IsEnabled() bool { return t.CertFile != "" }

// Log configures the process log. It never contains prompts.
type Log struct {
	// Level is the lowest level that is logged.
	Level Level `yaml:"level" default:"info"`
	// Format is `json` for machines, `console` for people.
	Format LogFormat `yaml:"format" default:"json"`
	// Access logs one line per request.
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

// Values lists the accepted words.
func (Level) Values() []string { return []string{"trace", "debug", "info", "warn", "error"} }

// LogFormat is the format of a log line; "" is not set.
type LogFormat string

// The log formats.
const (
	LogJSON    LogFormat = "json"
	LogConsole LogFormat = "console"
)

var _ choices = LogFormat("")

// Values lists the accepted words.
func (LogFormat) Values() []string { return []string{"json", "console"} }
