package config

// DefaultConsole is where the console listens when the configuration does not say.
const DefaultConsole = "127.0.0.1:8090"

// ConsoleOff turns the console off.
const ConsoleOff = "off"

// Console is the web application over the administrative operations.
type Console struct {
	// Listen is the address of the console, host:port; off turns it off. Left away it is 127.0.0.1:8090, when nothing else listens there.
	Listen string `yaml:"listen" eg:"127.0.0.1:8090"`
	// URL is how browsers reach the console when that is not its own address: scheme and host of the proxy in front, say.
	URL string `yaml:"url" eg:"https://headgate.example.com"`
	// TLS makes the listener speak HTTPS.
	TLS TLS `yaml:"tls"`
}
