// Package sdk holds what a plugin project needs: the files that plugins in C,
// Rust, Zig, AssemblyScript and Go build on, and the templates of new ones. They
// are embedded, so that whoever has the gateway has them.
package sdk

import "embed"

// Files are, by path: c/headgate.h, rust/headgate.rs, zig/headgate.zig,
// assemblyscript/headgate.ts, the Go packages guest and guest/stream, and templates/<kind>, with
// templates/common for both kinds.
//
//go:embed c/headgate.h rust/headgate.rs zig/headgate.zig assemblyscript/headgate.ts guest/*.go guest/stream/*.go templates
var Files embed.FS
