package config

import "time"

// Admin configures the administrative API.
type Admin struct {
	// Listen is a separate address for the administrative API, host:port, with the TLS of the server. If it is empty,
	// server.listen serves the API too.
	Listen string `yaml:"listen" eg:"127.0.0.1:8081"`
	// KeyGrace is how long a rotated gateway key still authenticates.
	KeyGrace time.Duration `yaml:"key_grace" default:"24h" min:"0s" max:"8760h"`
	// AllowPrivateProviders allows providers that are added in the console or the administrative API to have addresses on
	// this machine and in private networks, and plain http. The addresses in this file may always be private.
	AllowPrivateProviders bool `yaml:"allow_private_providers" default:"false"`
	// Auth configures how administrators authenticate.
	Auth AdminAuth `yaml:"auth"`
}
