package config

import "time"

// Admin configures the administrative API.
type Admin struct {
	// KeyGrace is how long a rotated gateway key still authenticates.
	KeyGrace time.Duration `yaml:"key_grace" default:"24h" min:"0s" max:"8760h"`
	// Auth configures how administrators authenticate.
	Auth AdminAuth `yaml:"auth"`
}
