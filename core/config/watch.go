package config

import (
	"context"
	"crypto/sha256"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Timing of Watch: pollEvery finds changes that the file system does not report, and settle lets an editor finish
// writing before the file is read.
const (
	pollEvery  = 2 * time.Second
	settle     = 300 * time.Millisecond
	settleMost = 2 * time.Second // a file that is written constantly is read after this time
)

// Watch calls onChange whenever the bytes of the file at path have changed, and runs until ctx ends; the returned
// channel is then closed. The content at the time when Watch returns does not count as a change, so call it before
// Load: a change between the two then causes one more reload, and no change is missed.
//
// It watches the directory, not the file, so a file that is replaced by a rename or by a symbolic link (as Kubernetes
// does) is seen as well. A missing or unreadable file does not count as a change. onChange runs on Watch's goroutine:
// while it runs, further changes wait and become one call.
func Watch(ctx context.Context, path string, onChange func()) <-chan struct{} {
	done := make(chan struct{})
	w := &watch{path: path, onChange: onChange}
	w.hasChanged(true)
	// Without notifications (too many watches, unusual file systems) polling is enough.
	watcher, err := fsnotify.NewWatcher()
	if err == nil {
		if err = watcher.Add(filepath.Dir(path)); err != nil {
			_ = watcher.Close()
		}
	}
	if err != nil {
		watcher = nil
	}
	go func() {
		defer close(done)
		if watcher == nil {
			w.run(ctx, nil, nil)
			return
		}
		defer func() { _ = watcher.Close() }() // nothing is written through it
		w.run(ctx, watcher.Events, watcher.Errors)
	}()
	return done
}

type watch struct {
	path     string
	onChange func()
	info     os.FileInfo
	sum      [sha256.Size]byte
}

// run checks until ctx ends. Without events it only polls.
func (w *watch) run(ctx context.Context, events <-chan fsnotify.Event, faults <-chan error) {
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()
	wait := time.NewTimer(settle)
	wait.Stop()
	defer wait.Stop()
	// armed is when the wait began, or zero; own is set if the file itself changed, not only other files in its
	// directory.
	var armed time.Time
	own := false
	arm := func(touched bool) {
		switch now := time.Now(); {
		case armed.IsZero():
			armed = now
			wait.Reset(settle)
		case touched && now.Sub(armed) < settleMost:
			wait.Reset(settle)
		}
		own = own || touched
	}
	for {
		select {
		case <-ctx.Done():
			return
		case event, ok := <-events:
			if !ok {
				events = nil
				continue
			}
			// Other files count, because the file may be a link whose target was exchanged; but a database beside it,
			// written constantly, must not delay reading forever.
			arm(filepath.Base(event.Name) == filepath.Base(w.path))
		case _, ok := <-faults:
			if !ok {
				faults = nil
			}
		case <-poll.C:
			arm(false)
		case <-wait.C:
			changed := (own || w.isTouched()) && w.hasChanged(false)
			armed, own = time.Time{}, false
			if changed && ctx.Err() == nil {
				w.onChange()
			}
		}
	}
}

// isTouched reports whether the file differs from the one read, by identity, size and time.
func (w *watch) isTouched() bool {
	info, err := os.Stat(w.path)
	return err == nil && !isSameFile(info, w.info)
}

func isSameFile(a, b os.FileInfo) bool {
	return b != nil && a.ModTime().Equal(b.ModTime()) && a.Size() == b.Size() && os.SameFile(a, b)
}

// hasChanged reads the file and reports whether its bytes are new.
func (w *watch) hasChanged(first bool) bool {
	f, err := os.Open(w.path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // only read from
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	h := sha256.New()
	if _, err := io.Copy(h, io.LimitReader(f, maxFile+1)); err != nil {
		return false
	}
	w.info = info
	sum := [sha256.Size]byte(h.Sum(nil))
	if sum == w.sum && !first {
		return false
	}
	w.sum = sum
	return true
}
