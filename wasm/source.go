package wasm

import "embed"

// ABISource is the source of the package wasm/abi, below abi/: a plugin in Go
// takes a copy with it.
//
//go:embed abi/*.go
var ABISource embed.FS
