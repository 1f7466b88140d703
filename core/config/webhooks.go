package config

import "time"

// Webhooks says how subscribers of events and guardrail plugins, which are records, are called.
type Webhooks struct {
	// AllowPrivate lets their URLs lead to this machine and to private networks, and lets them be plain http.
	AllowPrivate bool `yaml:"allow_private" default:"false"`
	// CAFile is a PEM file of authorities that are trusted besides the system's.
	CAFile string `yaml:"ca_file" eg:"ca.pem"`
	// Timeout bounds one call to a subscriber, 100ms to 60s.
	Timeout time.Duration `yaml:"timeout" min:"100ms" max:"60s" default:"10s"`
	// MaxAttempts is how often an event is sent to a subscriber that does not take it.
	MaxAttempts int `yaml:"max_attempts" min:"1" max:"100" default:"20"`
	// GiveUpAfter is the age at which an event is not sent any more.
	GiveUpAfter time.Duration `yaml:"give_up_after" min:"1m" max:"720h" default:"24h"`
	// KeepDelivered is how long the log keeps deliveries that were taken.
	KeepDelivered time.Duration `yaml:"keep_delivered" min:"1h" max:"8760h" default:"168h"`
	// KeepDead is how long the log keeps deliveries that were given up.
	KeepDead time.Duration `yaml:"keep_dead" min:"1h" max:"8760h" default:"720h"`
}
