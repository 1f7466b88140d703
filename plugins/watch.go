package plugins

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/headgate-dev/headgate/wasm"
)

// Times of the watch. A folder on a network or a container's volume gives no
// events, so it is looked at now and then; a file that is still growing waits
// until it has been quiet; a module without a manifest waits for the one that
// may be on its way.
const (
	pollTime    = 2 * time.Second
	quietTime   = 300 * time.Millisecond
	besideTime  = 2 * time.Second
	eventsAhead = 64
)

// snapshot is what a folder looks like from outside.
type snapshot map[string]os.FileInfo

func take(dir string) snapshot {
	s := snapshot{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return s
	}
	for _, e := range entries {
		n := e.Name()
		if n != LockFile && n != DecisionsFile && (n[0] == '.' || !watched(n)) {
			continue
		}
		if info, err := os.Stat(filepath.Join(dir, n)); err == nil && info.Mode().IsRegular() {
			s[n] = info
		}
	}
	return s
}

// watched reports whether the name is one of a module or of what belongs to one.
func watched(name string) bool {
	for _, ending := range []string{suffix, besideSuffix, sigSuffix, minisigSuffix} {
		if strings.HasSuffix(name, ending) {
			return true
		}
	}
	return false
}

func (s snapshot) equal(t snapshot) bool {
	if len(s) != len(t) {
		return false
	}
	for n, a := range s {
		b, ok := t[n]
		if !ok || a.Size() != b.Size() || !a.ModTime().Equal(b.ModTime()) || !os.SameFile(a, b) {
			return false
		}
	}
	return true
}

// Watch calls onChange after the folder has changed and come to rest, until ctx
// ends. What changed between Open and Watch counts. onChange runs on the
// caller's goroutine, so that two changes never overlap.
func (d *Dir) Watch(ctx context.Context, onChange func()) {
	var events chan fsnotify.Event
	if w, err := fsnotify.NewBufferedWatcher(eventsAhead); err == nil {
		defer func() { _ = w.Close() }() // nothing hangs on it
		_ = w.Add(d.o.Dir)               // a folder that is not there yet is found by looking
		events = w.Events
		go ignore(w.Errors) // a lost event is made up for by looking
		d.watch(ctx, events, func() { _ = w.Add(d.o.Dir) }, onChange)
		return
	}
	d.watch(ctx, events, func() {}, onChange)
}

// ignore reads errors until the watcher is closed.
func ignore(errs <-chan error) {
	for open := true; open; {
		_, open = <-errs
	}
}

func (d *Dir) watch(ctx context.Context, events <-chan fsnotify.Event, renew func(), onChange func()) {
	poll := time.NewTicker(pollTime)
	defer poll.Stop()
	quiet := time.NewTimer(time.Hour)
	quiet.Stop()
	told, seen := d.first, d.first
	var since time.Time // when what is seen was first seen
	look := func() {
		if s := take(d.o.Dir); !s.equal(seen) {
			seen, since = s, time.Now()
			quiet.Reset(quietTime)
		}
	}
	look()
	for {
		select {
		case <-ctx.Done():
			return
		case _, ok := <-events:
			if !ok {
				events = nil
			}
			look()
		case <-poll.C:
			renew()
			look()
		case <-quiet.C:
			switch s := take(d.o.Dir); {
			case !s.equal(seen):
				seen, since = s, time.Now()
				quiet.Reset(quietTime)
			case time.Since(since) < besideTime && d.waits(seen, told):
				quiet.Reset(quietTime)
			case !seen.equal(told):
				told = seen
				onChange()
			}
		}
	}
}

// waits reports whether a new module has no manifest yet.
func (d *Dir) waits(seen, told snapshot) bool {
	for n, info := range seen {
		if !strings.HasSuffix(n, suffix) || seen[strings.TrimSuffix(n, suffix)+besideSuffix] != nil {
			continue
		}
		if old := told[n]; old != nil && os.SameFile(old, info) && old.ModTime().Equal(info.ModTime()) {
			continue
		}
		if b, err := readFile(filepath.Join(d.o.Dir, n), maxModule); err == nil && !wasm.HasManifest(b) {
			return true
		}
	}
	return false
}
