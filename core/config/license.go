package config

// License is the installation's licence.
type License struct {
	// File is the licence file, relative to the working directory.
	File string `yaml:"file" eg:"headgate.licence"`
	// Text is the licence itself, for those who have it in a variable. File goes before it.
	Text string `yaml:"text"`
	// Keys are public keys, 44 characters of Base64 each, that licences may be signed with besides those of the release: those of development licences.
	Keys []string `yaml:"keys"`
}
