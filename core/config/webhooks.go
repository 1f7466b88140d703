package config

import "time"

// Webhooks configures calls to event subscribers and guardrail plugins, which are records.
type Webhooks struct {
	// AllowPrivate allows URLs on this machine and in private networks, and plain http.
	AllowPrivate bool `yaml:"allow_private" default:"false"`
	// CAFile is a PEM file of certificate authorities, besides the system's.
	CAFile string `yaml:"ca_file" eg:"ca.pem"`
	// Timeout limits one call to a subscriber: 100ms to 60s.
	Timeout time.Duration `yaml:"timeout" min:"100ms" max:"60s" default:"10s"`
	// MaxAttempts is how often an event is sent to a subscriber that does not accept it.
	MaxAttempts int `yaml:"max_attempts" min:"1" max:"100" default:"20"`
	// GiveUpAfter is the age at which an event is no longer sent.
	GiveUpAfter time.Duration `yaml:"give_up_after" min:"1m" max:"720h" default:"24h"`
	// KeepDelivered is how long the log keeps accepted deliveries.
	KeepDelivered time.Duration `yaml:"keep_delivered" min:"1h" max:"8760h" default:"168h"`
	// KeepDead is how long the log keeps abandoned deliveries.
	KeepDead time.Duration `yaml:"keep_dead" min:"1h" max:"8760h" default:"720h"`
}
