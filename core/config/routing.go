package config

import "time"

// Routing configures circuit breakers, retries and priorities for all routes.
type Routing struct {
	// PrefixFallback lets a model without a route fall back from the provider with the longest matching prefix to the
	// others that match.
	PrefixFallback bool `yaml:"prefix_fallback" default:"false"`
	// Breaker stops calls to a provider that does not answer, or to a model of it that fails too often.
	Breaker Breaker `yaml:"breaker"`
	// Retry configures repeated calls. Nothing is repeated once a provider has begun to answer.
	Retry Retry `yaml:"retry"`
	// Latency configures how latencies are averaged.
	Latency Latency `yaml:"latency"`
	// Priority limits concurrent requests, by tier.
	Priority Priority `yaml:"priority"`
}

// Breaker configures the circuit breakers: one of each provider, for calls that get no answer at all, and one of each of its
// models, for calls that fail. The latter opens only if calls of several callers fail (of one, if the gateway has a single key).
type Breaker struct {
	// Failures within the window open a circuit. 0 turns the breakers off.
	Failures int `yaml:"failures" default:"5" min:"0" max:"100000"`
	// FailurePercent is the minimum share of failed calls in the window, in percent, for the circuit to open.
	FailurePercent int `yaml:"failure_percent" default:"50" min:"1" max:"100"`
	// Throttles are the answers 429 within the window that open the circuit of a model. 0: they never do.
	Throttles int `yaml:"throttles" default:"0" min:"0" max:"100000"`
	// Window is the time over which calls are counted.
	Window time.Duration `yaml:"window" default:"30s" min:"1s" max:"1h"`
	// OpenFor is how long the circuit stays open at first. It doubles with each trial that fails.
	OpenFor time.Duration `yaml:"open_for" default:"5s" min:"10ms" max:"1h"`
	// MaxOpen limits the time between two trials.
	MaxOpen time.Duration `yaml:"max_open" default:"2m" min:"10ms" max:"24h"`
	// Trials are the calls in a row, one at a time, that must succeed to close the circuit.
	Trials int `yaml:"trials" default:"1" min:"1" max:"100"`
}

// Retry configures repeated calls.
type Retry struct {
	// Attempts limits the calls to one target. 1 moves to the next target at once.
	Attempts int `yaml:"attempts" default:"2" min:"1" max:"10"`
	// Base is the back-off before the second call. It doubles each time, and half of it is random.
	Base time.Duration `yaml:"base" default:"200ms" min:"1ms" max:"1m"`
	// Max limits the back-off.
	Max time.Duration `yaml:"max" default:"2s" min:"1ms" max:"5m"`
	// Budget limits the total wait of one request between calls, over all targets.
	Budget time.Duration `yaml:"budget" default:"5s" min:"0s" max:"10m"`
	// MaxRetryAfter is the longest Retry-After that the gateway waits for.
	MaxRetryAfter time.Duration `yaml:"max_retry_after" default:"3s" min:"0s" max:"10m"`
	// Lost also repeats calls that broke off before the first byte of the answer, or that timed out, although the
	// provider may charge for both.
	Lost bool `yaml:"lost" default:"true"`
}

// Latency configures how latencies are averaged.
type Latency struct {
	// Smoothing is the weight of a new sample in the moving average, in percent.
	Smoothing int `yaml:"smoothing" default:"20" min:"1" max:"100"`
	// Stale is how long an average is used without a new sample.
	Stale time.Duration `yaml:"stale" default:"5m" min:"1s" max:"24h"`
}

// Priority limits concurrent requests.
type Priority struct {
	// MaxConcurrent is the limit on all tiers together. 0 turns it off.
	MaxConcurrent int `yaml:"max_concurrent" default:"0" min:"0" max:"1000000"`
	// ThresholdPercent is the utilization, in percent of the limit, up to which a request of a tier is admitted.
	ThresholdPercent Thresholds `yaml:"threshold_percent"`
	// Wait is how long a request waits for its turn. 0 refuses it at once.
	Wait time.Duration `yaml:"wait" default:"0s" min:"0s" max:"1m"`
}

// Thresholds are percentages of the limit, by tier.
type Thresholds struct {
	// Premium is the threshold of premium requests.
	Premium int `yaml:"premium" default:"100" min:"1" max:"100"`
	// Standard is the threshold of standard requests.
	Standard int `yaml:"standard" default:"80" min:"1" max:"100"`
	// Bulk is the threshold of bulk requests.
	Bulk int `yaml:"bulk" default:"50" min:"1" max:"100"`
}
