// Package configs holds the configuration files that come with the gateway, and
// the bytes of the one that serves when no file is given. It imports nothing.
package configs

import _ "embed"

// Gateway is gateway.yaml, byte for byte: what `headgate serve` uses without
// --config.
//
//go:embed gateway.yaml
var Gateway []byte
