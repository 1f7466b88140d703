// Package sdk holds what a plugin project needs: the files that plugins in C,
// Rust, Zig, AssemblyScript and Go build on, and the templates of new ones. They
// are embedded, so that whoever has the gateway has them.
package sdk

import "embed"

// Files are, by path: c/headgate.h, rust/headgate.rs, zig/headgate.zig,
// assemblyscript/headgate.ts, the Go packages guest and guest/stream, and templates/<kind>, with
// templates/common for both kinds; the receivers and SDKs below webhook, and those of process/light, process/node and process/python.
//
//go:embed c/headgate.h rust/headgate.rs zig/headgate.zig assemblyscript/headgate.ts guest/*.go guest/stream/*.go templates
//go:embed webhook/*.go webhook/sample/main.go webhook/node/*.js webhook/node/package.json webhook/python/*.py process/node/*.js
//go:embed process/node/package.json process/node/package-lock.json process/node/process.proto
//go:embed process/light/*.go process/light/sample/main.go process/python/*.py process/python/requirements.txt
var Files embed.FS
