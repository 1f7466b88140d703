package config

import "time"

// Admin is the administrative API.
type Admin struct {
	// KeyGrace is how long a gateway key that was rotated still authenticates.
	KeyGrace time.Duration `yaml:"key_grace" default:"24h" min:"0s" max:"8760h"`
	// Auth says how those who administer show who they are.
	Auth AdminAuth `yaml:"auth"`
}
