package plugins

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"

	"github.com/headgate-dev/headgate/core"
)

// If new versions are tried first, the serving version is stored beside the compiled code. Otherwise a restart would
// let a candidate serve without a trial, because the folder no longer contains the previous version. A stored version
// is verified again when it is read.

// findKeptDir returns where a file's last version is stored, or "" for nowhere.
func (d *Dir) findKeptDir(file string) string {
	if d.o.CacheDir == "" {
		return ""
	}
	dir, err := filepath.Abs(d.o.Dir)
	if err != nil {
		dir = d.o.Dir
	}
	return filepath.Join(d.o.CacheDir, "serving-"+DigestBytes([]byte(dir))[:16], file)
}

// storeServing stores the serving version with all files that belong to it. A failure is reported as a problem: the trial
// would not survive a restart.
func (d *Dir) storeServing(m *module) {
	dir := d.findKeptDir(m.file)
	if dir == "" || !d.Rules().Candidate.IsOn() {
		return
	}
	files := maps.Clone(m.extra)
	files[m.file] = m.source
	if lies(dir, files) {
		return
	}
	fresh := dir + ".new"
	err := errors.Join(os.RemoveAll(fresh), os.MkdirAll(fresh, 0o700))
	for name, body := range files {
		if err == nil {
			err = os.WriteFile(filepath.Join(fresh, name), body, 0o600)
		}
	}
	if err == nil {
		err = os.RemoveAll(dir)
	}
	if err == nil {
		err = os.Rename(fresh, dir)
	}
	if err != nil {
		d.addProblem(
			m.file,
			m.digest,
			m.digest,
			fmt.Errorf("serves, but could not be stored, so after a restart no candidate would be tried beside it: %w", core.RemovePath(err)),
		)
	}
}

// lies reports whether a folder contains these files and no others.
func lies(dir string, files map[string][]byte) bool {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != len(files) {
		return false
	}
	for name, body := range files {
		b, err := readFile(filepath.Join(dir, name), maxModule)
		if err != nil || !bytes.Equal(b, body) {
			return false
		}
	}
	return true
}

// restoreServing restores the version that served before the gateway was started, if the folder now contains another
// one. The caller holds d.mu.
func (d *Dir) restoreServing(f *record, now *module) {
	dir := d.findKeptDir(f.name)
	if f.live != nil || f.recalled || dir == "" || now.digest == "" || !d.Rules().Candidate.IsOn() {
		return
	}
	f.recalled = true
	m, err := d.readFrom(dir, f.name)
	if err == nil && !m.equals(now) {
		f.live = &m
		return
	}
	if err != nil && !errors.Is(err, errMissing) {
		d.state.Lock()
		defer d.state.Unlock()
		d.recordEvent(
			Event{Type: EventRefused, File: f.name, Digest: m.digest, Reason: fmt.Sprintf("the version that served before the start: %v", err)},
		)
	}
}
