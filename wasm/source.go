package wasm

import "embed"

// ABISource is the source of the package wasm/abi, in abi/: a plugin project in Go gets a copy of it.
//
//go:embed abi/*.go
var ABISource embed.FS
