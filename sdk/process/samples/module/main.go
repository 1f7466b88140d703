// Module runs a WebAssembly plugin in a process of its own: whatever happens to the module, its memory and its time included, the gateway
// only loses a process, which it starts again. It is also the proof that the protocol of processes carries all that modules can do.
//
//	chain:
//	  - process: module
//	    sha256: …
//	    args: [/srv/headgate/plugins/budget.wasm]
//	    config: {settings: {…}} # as in a link of the module
//
// A link with -cache DIR before the file keeps compiled code in a folder.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/headgate-dev/headgate/sdk/process"
	"github.com/headgate-dev/headgate/wasm"
)

func main() {
	cache := flag.String("cache", "", "a folder for compiled code; optional")
	flag.Parse()
	m, err := open(flag.Arg(0), *cache)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	process.Serve(m)
}

// open reads a module, without running it.
func open(file, cache string) (*module, error) {
	source, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("args: name the file of a module: %w", err)
	}
	about, err := wasm.Inspect(source, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return &module{source: source, manifest: about.Manifest, cache: cache, kept: map[uint64]any{}}, nil
}
