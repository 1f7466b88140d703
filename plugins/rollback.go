package plugins

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/headgate-dev/headgate/core"
)

// A signature shows who made a module, but not that it is the newest. Whoever can write to the folder could put an
// older signed version there, with a hole that the newer one closed. So the highest version of each file that served is
// stored, and an older one needs an operator's decision about its digest.

// findHighestFile returns where the highest version of a file is stored, or "" for nowhere.
func (d *Dir) findHighestFile(file string) string {
	dir := d.findKeptDir(file)
	if dir == "" {
		return ""
	}
	return filepath.Join(filepath.Dir(dir), ".highest", file)
}

// readHighest returns the highest version of a file that served, or "" if none is known. The caller holds d.mu.
func (d *Dir) readHighest(f *record) (string, error) {
	if f.highest != "" {
		return f.highest, nil
	}
	path := d.findHighestFile(f.name)
	if path == "" {
		return "", nil
	}
	text, err := readFile(path, 1<<10)
	if errors.Is(err, errMissing) {
		return "", nil
	}
	f.highest = string(text)
	return f.highest, err
}

// checkVersion refuses a module below the lowest version that may run, and a signed module that is older than one that served, unless an
// operator has promoted it. The caller holds d.mu.
func (d *Dir) checkVersion(f *record, digest, version string) error {
	if least := d.Rules().MinVersions[f.name]; least != "" && (!isOrdered(version) || compareVersions(version, least) < 0) {
		return fmt.Errorf("version %q is older than %q, which plugins.min_versions asks for; install a newer one", truncateText(version, 60), least)
	}
	if d.o.Trust != TrustSigned {
		return nil
	}
	was, err := d.readHighest(f)
	if err != nil || !isOrdered(was) || isOrdered(version) && compareVersions(version, was) >= 0 {
		return err
	}
	if dec, err := d.findDecision(f.name, digest); err != nil || dec != nil && dec.Promote {
		return err
	}
	return fmt.Errorf("version %q is older than %q, which served before; if that is intended, run: headgate plugin promote %s",
		truncateText(version, 60), truncateText(was, 60), f.name)
}

// storeVersion stores the version that serves. If an operator has promoted an older one, that is the highest version
// from now on. The caller holds d.mu.
func (d *Dir) storeVersion(f *record, version string) error {
	if d.o.Trust != TrustSigned || version == "" || f.highest == version {
		return nil
	}
	f.highest = version
	path := d.findHighestFile(f.name)
	if path == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("store the version: %w", core.RemovePath(err))
	}
	if err := ReplaceFile(path, []byte(version)); err != nil {
		return fmt.Errorf("store the version: %w", core.RemovePath(err))
	}
	return nil
}

// isOrdered reports whether a version starts with a number, so that versions can be compared.
func isOrdered(version string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	_, err := strconv.ParseUint(first, 10, 64)
	return err == nil
}

// compareVersions orders versions by their parts: numbers by value, other parts as text. A pre-release (1.2.0-rc1)
// comes before its release, and an empty version before all others.
func compareVersions(a, b string) int {
	numbersA, preA, hasA := strings.Cut(strings.TrimPrefix(a, "v"), "-")
	numbersB, preB, hasB := strings.Cut(strings.TrimPrefix(b, "v"), "-")
	if n := compareParts(numbersA, numbersB); n != 0 {
		return n
	}
	switch {
	case hasA && !hasB:
		return -1
	case hasB && !hasA:
		return 1
	}
	return compareParts(preA, preB)
}

func compareParts(a, b string) int {
	for a != "" || b != "" {
		var x, y string
		x, a, _ = strings.Cut(a, ".")
		y, b, _ = strings.Cut(b, ".")
		m, errX := strconv.ParseUint(cmp.Or(x, "0"), 10, 64)
		n, errY := strconv.ParseUint(cmp.Or(y, "0"), 10, 64)
		by := cmp.Compare(m, n)
		if errX != nil || errY != nil {
			by = strings.Compare(x, y)
		}
		if by != 0 {
			return by
		}
	}
	return 0
}
