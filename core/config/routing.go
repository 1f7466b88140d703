package config

import "time"

// Routing says how calls are spread and repeated, whatever route they take.
type Routing struct {
	// PrefixFallback lets a model without a route fall back from the provider that knows its name best to the others that know it.
	PrefixFallback bool `yaml:"prefix_fallback" default:"false"`
	// Breaker leaves a provider alone that fails too often.
	Breaker Breaker `yaml:"breaker"`
	// Retry says when a call is made again. Nothing is repeated once a provider has begun to answer.
	Retry Retry `yaml:"retry"`
	// Latency says how the providers' latencies are remembered.
	Latency Latency `yaml:"latency"`
	// Priority bounds how many requests run at the same time, by tier.
	Priority Priority `yaml:"priority"`
}

// Breaker is the circuit breaker of each provider.
type Breaker struct {
	// Failures within the window open the circuit. 0 turns the breaker off.
	Failures int `yaml:"failures" default:"5" min:"0" max:"100000"`
	// FailurePercent is the least share of failures among the calls of the window for the circuit to open.
	FailurePercent int `yaml:"failure_percent" default:"50" min:"1" max:"100"`
	// Throttles are the answers 429 within the window that open the circuit. 0: they never do.
	Throttles int `yaml:"throttles" default:"0" min:"0" max:"100000"`
	// Window is the time over which calls are counted.
	Window time.Duration `yaml:"window" default:"30s" min:"1s" max:"1h"`
	// OpenFor is how long no call is made after the circuit has opened. It doubles with each trial that fails.
	OpenFor time.Duration `yaml:"open_for" default:"5s" min:"10ms" max:"1h"`
	// MaxOpen is the longest that a circuit stays open before the next trial.
	MaxOpen time.Duration `yaml:"max_open" default:"2m" min:"10ms" max:"24h"`
	// Trials are the calls in a row that must succeed, one at a time, for the circuit to close.
	Trials int `yaml:"trials" default:"1" min:"1" max:"100"`
}

// Retry says when a call is made again.
type Retry struct {
	// Attempts are the calls to one target at most. 1 goes on to the next target at once.
	Attempts int `yaml:"attempts" default:"2" min:"1" max:"10"`
	// Base is the back-off before the second call. It doubles, and half of it is left to chance.
	Base time.Duration `yaml:"base" default:"200ms" min:"1ms" max:"1m"`
	// Max is the longest back-off.
	Max time.Duration `yaml:"max" default:"2s" min:"1ms" max:"5m"`
	// Budget is the longest that one request waits between calls, all targets together.
	Budget time.Duration `yaml:"budget" default:"5s" min:"0s" max:"10m"`
	// MaxRetryAfter is the longest Retry-After of a provider that is waited for.
	MaxRetryAfter time.Duration `yaml:"max_retry_after" default:"3s" min:"0s" max:"10m"`
	// Lost goes on after calls too that broke before the first byte of the answer, or whose answer took too long, though the provider may charge for both.
	Lost bool `yaml:"lost" default:"true"`
}

// Latency says how latencies are remembered.
type Latency struct {
	// Smoothing is the weight of a new sample in the moving average, in percent.
	Smoothing int `yaml:"smoothing" default:"20" min:"1" max:"100"`
	// Stale is how long a record is believed without a new sample.
	Stale time.Duration `yaml:"stale" default:"5m" min:"1s" max:"24h"`
}

// Priority bounds the requests that run at the same time.
type Priority struct {
	// MaxConcurrent is the limit on all tiers together. 0 turns it off.
	MaxConcurrent int `yaml:"max_concurrent" default:"0" min:"0" max:"1000000"`
	// ThresholdPercent is how full the gateway may be for one more request of a tier.
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
