package plugins

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// StateUnplaced is the state of a file that loads but for which the chain has no room.
const StateUnplaced = "loaded, not in the chain"

// Sweep updates the problems after a chain was built. It withdraws removed files that no link names, and reports files
// whose names no module can have. named reports whether a link names the file.
func (d *Dir) Sweep(named func(file string) bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	there := d.Names()
	for name, f := range d.files {
		if f.live != nil && !named(name) && !slices.Contains(there, name) {
			f.stopTrial()
			d.dropModule(f)
			d.clearProblem(name)
		}
	}
	odd := listOddNames(d.o.Dir)
	d.state.Lock()
	gone := slices.DeleteFunc(slices.Clone(d.odd), func(n string) bool { return slices.Contains(odd, n) })
	d.odd = odd
	d.state.Unlock()
	for _, n := range gone {
		d.clearProblem(n)
	}
	for _, n := range odd {
		d.addProblem(n, "", "", errName)
	}
}

// listOddNames lists files that would be modules if it were not for their names. The names are quoted, so that they can be
// shown.
func listOddNames(dir string) (out []string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		n := e.Name()
		if strings.HasSuffix(strings.TrimSpace(n), suffix) && n[0] != '.' && !isPlainFile(n) && !e.IsDir() {
			out = append(out, strconv.QuoteToASCII(n))
		}
	}
	return out
}

// IsOdd reports whether a name from Problems or Status belongs to a file that can never be a module.
func (d *Dir) IsOdd(name string) bool {
	d.state.Lock()
	defer d.state.Unlock()
	return slices.Contains(d.odd, name)
}

var errNoPlace = errors.New("the chain is full")

// RecordRefusal records that the settings of the link of the whole folder keep a file from serving.
func (d *Dir) RecordRefusal(file string, err error) { d.addProblem(file, "", "", err) }

// RecordUnplaced records that a file loads but the chain has no room for it.
func (d *Dir) RecordUnplaced(file, digest string, most int) {
	d.note(Problem{
		File: file, Digest: digest, Serving: digest, unplaced: true,
		Reason: fmt.Sprintf("%s: %s; a chain has at most %d links, and each module takes one: "+
			"remove other modules, or name this module in its own link",
			StateUnplaced, errNoPlace, most),
	})
}
