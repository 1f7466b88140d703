// Package configs holds the configuration files that come with the gateway, and
// the bytes of those that the binary needs. It imports nothing.
package configs

import _ "embed"

// Gateway is gateway.yaml, byte for byte: what `headgate serve` uses without
// --config.
//
//go:embed gateway.yaml
var Gateway []byte

// Models is models.yaml: what single models of the providers take and cost.
//
//go:embed models.yaml
var Models []byte
