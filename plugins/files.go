package plugins

import (
	"cmp"
	"os"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/wasm"
)

// Info describes a file without running it.
type Info struct {
	File     string
	Size     int64
	Digest   string
	Manifest wasm.Manifest
	// Phases are those that the plugin supports.
	Phases core.Phases
	// Err says why the file cannot be used, or is nil.
	Err error
}

// Files lists the modules in the folder, in name order. It reads them.
func (d *Dir) Files() []Info {
	var out []Info
	for _, file := range listNames(d.o.Dir) {
		i := Info{File: file}
		m, err := d.read(file)
		i.Size, i.Digest, i.Err = int64(len(m.source)), m.digest, err
		if err == nil {
			var seen wasm.Inspection
			seen, i.Err = wasm.Inspect(m.source, m.manifest)
			i.Manifest, i.Phases = seen.Manifest, seen.Manifest.PhaseSet()
		}
		out = append(out, i)
	}
	return out
}

// Names lists the modules in the folder, in name order, without reading them. It omits files whose names cannot be
// written in plugins.lock.
func (d *Dir) Names() []string { return listNames(d.o.Dir) }

func listNames(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries { // sorted by name
		if n := e.Name(); strings.HasSuffix(n, suffix) && isPlainFile(n) && !e.IsDir() {
			out = append(out, n)
		}
	}
	return out
}

func sortBy[T any](list []T, key func(T) string) {
	slices.SortFunc(list, func(a, b T) int { return cmp.Compare(key(a), key(b)) })
}
