package oci

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/headgate-dev/headgate/core"
)

// inUse is how long a stored artifact is taken to be in use after a process named it.
const inUse = 24 * time.Hour

// Prune removes stored artifacts that keep does not name and whose modules are not locked. It leaves the most recently stored ones, as
// many as spare says, so that going back to an earlier reference needs no registry, and what was stored or named within a day, because
// other processes may share the store. locked gets names of files and their SHA-256 in hex. Other files of the store stay.
func Prune(store string, keep []Reference, spare int, locked func(file, digest string) bool) error {
	named := map[string]bool{}
	for _, r := range keep {
		named[filepath.Base(findFolder(store, r))] = true
	}
	entries, err := os.ReadDir(store)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("list the stored artifacts: %w", core.RemovePath(err))
	}
	var unused []os.FileInfo
	for _, e := range entries {
		info, err := e.Info()
		if named[e.Name()] { // another process on this folder may name something else
			now := time.Now()
			_ = os.Chtimes(filepath.Join(store, e.Name()), now, now) // it stays without, as long as this process runs
		}
		if err == nil && time.Since(info.ModTime()) < inUse {
			continue
		}
		if err == nil && e.IsDir() && isDigest(e.Name()) && !named[e.Name()] && !isLocked(filepath.Join(store, e.Name()), locked) {
			unused = append(unused, info)
		}
	}
	sortByAge(unused)
	for _, info := range unused[min(spare, len(unused)):] {
		if err := os.RemoveAll(filepath.Join(store, info.Name())); err != nil {
			return fmt.Errorf("remove a stored artifact: %w", core.RemovePath(err))
		}
	}
	return nil
}

// isLocked reports whether the module of a stored artifact is locked. What cannot be read is not: it would be pulled again.
func isLocked(folder string, locked func(file, digest string) bool) bool {
	text, err := readBounded(filepath.Join(folder, manifestFile), maxManifest)
	if err != nil || hashBytes(text) != "sha256:"+filepath.Base(folder) {
		return false
	}
	layers, err := readLayers(text)
	return err == nil && locked(layers[0].Annotations[ocispec.AnnotationTitle], layers[0].Digest.Encoded())
}
