package config

// License is the installation's licence.
type License struct {
	// File is the licence file, relative to the working directory.
	File string `yaml:"file" eg:"headgate.licence"`
	// Text is the licence itself, for a licence in a variable. File takes precedence.
	Text string `yaml:"text"`
	// Keys are additional public keys, 44 characters of Base64 each, that may sign licences: those of development
	// licences.
	Keys []string `yaml:"keys"`
}
