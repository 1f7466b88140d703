package plugins

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/headgate-dev/headgate/wasm"
)

// Timing of the watch. A folder on a network or a container's volume sends no events, so the watch polls it. A growing
// file is read once it has been unchanged for a while. A module without a manifest waits for a manifest that may be on
// its way.
const (
	pollTime    = 2 * time.Second
	quietTime   = 300 * time.Millisecond
	besideTime  = 2 * time.Second
	eventsAhead = 64
)

// snapshot is the state of a folder by the attributes of its files.
type snapshot map[string]os.FileInfo

// takeSnapshot takes a snapshot.
func (d *Dir) takeSnapshot() snapshot {
	s := snapshot{}
	add := func(n string) {
		if info, err := os.Stat(filepath.Join(d.o.Dir, n)); err == nil && info.Mode().IsRegular() {
			s[n] = info
		}
	}
	entries, err := os.ReadDir(d.o.Dir)
	if err != nil {
		return s
	}
	for _, e := range entries {
		if n := e.Name(); n == LockFile || n == DecisionsFile || n[0] != '.' && isWatched(n) {
			add(n)
		}
	}
	d.state.Lock()
	defer d.state.Unlock()
	for n := range d.also {
		add(n)
	}
	return s
}

// WatchFile makes Watch observe a file of the folder that is not a module: a program that a link runs. The file as it is
// now is not a change.
func (d *Dir) WatchFile(file string) {
	if !filepath.IsLocal(file) {
		return // nothing runs it
	}
	d.state.Lock()
	defer d.state.Unlock()
	if d.also[file] {
		return
	}
	d.also[file] = true
	if info, err := os.Stat(filepath.Join(d.o.Dir, file)); err == nil {
		d.first[file] = info
	}
}

// isWatched reports whether the name is that of a module or of a file that belongs to one.
func isWatched(name string) bool {
	for _, ending := range []string{suffix, besideSuffix, sigSuffix, minisigSuffix} {
		if strings.HasSuffix(name, ending) {
			return true
		}
	}
	return false
}

func (s snapshot) equals(t snapshot) bool {
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

// Watch calls onChange after the folder has changed and stopped changing, until ctx ends. Changes between Open and
// Watch count. onChange runs on the caller's goroutine, so that two calls never overlap.
func (d *Dir) Watch(ctx context.Context, onChange func()) {
	var events chan fsnotify.Event
	if w, err := fsnotify.NewBufferedWatcher(eventsAhead); err == nil {
		defer func() { _ = w.Close() }() // the error does not matter
		_ = w.Add(d.o.Dir)               // if the folder does not exist yet, polling finds it
		events = w.Events
		go drainErrors(w.Errors) // polling makes up for a lost event
		d.watch(ctx, events, func() { _ = w.Add(d.o.Dir) }, onChange)
		return
	}
	d.watch(ctx, events, func() {}, onChange)
}

// drainErrors reads errors until the watcher is closed.
func drainErrors(errs <-chan error) {
	for open := true; open; {
		_, open = <-errs
	}
}

func (d *Dir) watch(ctx context.Context, events <-chan fsnotify.Event, renew func(), onChange func()) {
	poll := time.NewTicker(pollTime)
	defer poll.Stop()
	quiet := time.NewTimer(time.Hour)
	quiet.Stop()
	d.state.Lock()
	seen := maps.Clone(d.first)
	d.state.Unlock()
	told := seen
	var since time.Time // when the current snapshot was first seen
	look := func() {
		if s := d.takeSnapshot(); !s.equals(seen) {
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
			switch s := d.takeSnapshot(); {
			case !s.equals(seen):
				seen, since = s, time.Now()
				quiet.Reset(quietTime)
			case time.Since(since) < besideTime && d.waits(seen, told):
				quiet.Reset(quietTime)
			case !seen.equals(told):
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
