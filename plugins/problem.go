package plugins

import "time"

// Problem is a file that does not serve as it lies in the folder.
type Problem struct {
	File   string
	Digest string // of what lies there; empty: nothing does
	Reason string
	Since  time.Time
	// Serving is the digest that serves in its place; empty: none does.
	Serving string
}

// Problems lists what is wrong, by file.
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

func (d *Dir) problem(file, digest, serving string, err error) {
	d.state.Lock()
	defer d.state.Unlock()
	p := Problem{File: file, Digest: digest, Reason: err.Error(), Since: time.Now(), Serving: serving}
	if old, ok := d.problems[file]; ok && old.Digest == p.Digest && old.Reason == p.Reason {
		p.Since = old.Since
	}
	d.problems[file] = p
}

func (d *Dir) solved(file string) {
	d.state.Lock()
	defer d.state.Unlock()
	delete(d.problems, file)
}
