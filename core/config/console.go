package config

// DefaultConsole is the console's default address.
const DefaultConsole = "127.0.0.1:8090"

// ConsoleOff turns the console off.
const ConsoleOff = "off"

// Console configures the web console.
type Console struct {
	// Listen is the address of the console, host:port; `off` turns it off. By default it listens on 127.0.0.1:8090 if
	// that port is free.
	Listen string `yaml:"listen" eg:"127.0.0.1:8090"`
	// URL is the address of the console in browsers, if it is not its own: scheme and host of a proxy, for example.
	URL string `yaml:"url" eg:"https://headgate.example.com"`
	// TLS turns HTTPS on.
	TLS TLS `yaml:"tls"`
}
