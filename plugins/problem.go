package plugins

import "time"

// Problem is a file of the folder that does not serve in its current form.
type Problem struct {
	File   string
	Digest string // of the file in the folder; "" without a file
	Reason string
	Since  time.Time
	// Serving is the digest of the version that serves in its place, or "".
	Serving string

	unplaced bool // it loads, but the chain has no room for it
}

// Problems lists the problems by file.
func (d *Dir) Problems() []Problem {
	d.state.Lock()
	defer d.state.Unlock()
	out := make([]Problem, 0, len(d.problems))
	for _, p := range d.problems {
		out = append(out, p)
	}
	sortBy(out, func(p Problem) string { return p.File })
	return out
}

func (d *Dir) addProblem(file, digest, serving string, err error) {
	p := Problem{File: file, Digest: digest, Reason: err.Error(), Serving: serving}
	if d.note(p) {
		d.state.Lock()
		defer d.state.Unlock()
		d.recordEvent(Event{Type: EventRefused, File: file, Digest: digest, Before: serving, Reason: p.Reason})
	}
}

// note records a problem and reports whether it is new. A known one keeps its time.
func (d *Dir) note(p Problem) bool {
	d.state.Lock()
	defer d.state.Unlock()
	p.Since = time.Now()
	old, ok := d.problems[p.File]
	if known := ok && old.Digest == p.Digest && old.Reason == p.Reason; known {
		p.Since = old.Since
		d.problems[p.File] = p
		return false
	}
	d.problems[p.File] = p
	return true
}

func (d *Dir) clearProblem(file string) {
	d.state.Lock()
	defer d.state.Unlock()
	delete(d.problems, file)
}
