package oci

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/plugins"
)

// manifestFile is the manifest of an artifact in the store, beside its files.
const manifestFile = "manifest.json"

var errNotStored = errors.New("the artifact is not stored")

// findFolder returns the folder of an artifact in a store.
func findFolder(store string, r Reference) string {
	return filepath.Join(store, strings.TrimPrefix(r.ref.Reference, "sha256:"))
}

func hashBytes(b []byte) string {
	sum := sha256.Sum256(b)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// readBounded reads a file of at most so many bytes.
func readBounded(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > most {
		return nil, errNotStored
	}
	return os.ReadFile(path) // below the store
}

// readStoredLayers returns what a stored manifest names. The manifest has the digest of the reference.
func readStoredLayers(store string, r Reference) ([]ocispec.Descriptor, error) {
	if store == "" || r.CheckPinned() != nil {
		return nil, errNotStored
	}
	text, err := readBounded(filepath.Join(findFolder(store, r), manifestFile), maxManifest)
	if err != nil || hashBytes(text) != r.ref.Reference {
		return nil, errNotStored
	}
	return readLayers(text)
}

// readStored returns the files of a stored artifact, whose digests are those of its manifest.
func readStored(store string, r Reference) ([]File, error) {
	layers, err := readStoredLayers(store, r)
	if err != nil {
		return nil, err
	}
	files := make([]File, len(layers))
	for k := range layers {
		name := layers[k].Annotations[ocispec.AnnotationTitle]
		body, err := readBounded(filepath.Join(findFolder(store, r), name), layers[k].Size)
		if err != nil || hashBytes(body) != layers[k].Digest.String() {
			return nil, errNotStored
		}
		files[k] = File{name, body}
	}
	return files, nil
}

// writeStored keeps an artifact. The manifest comes last: without it the rest is nothing.
func writeStored(store string, r Reference, manifest []byte, files []File) error {
	if store == "" {
		return nil
	}
	folder := findFolder(store, r)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("keep the artifact: %w", core.RemovePath(err))
	}
	for _, f := range append(files[:len(files):len(files)], File{manifestFile, manifest}) {
		if err := plugins.ReplaceFile(filepath.Join(folder, f.Name), f.Body); err != nil {
			return fmt.Errorf("keep the artifact: %w", err)
		}
	}
	return nil
}

// isDigest reports whether a name is that of a stored artifact.
func isDigest(name string) bool {
	b, err := hex.DecodeString(name)
	return err == nil && len(b) == sha256.Size
}

// sortByAge sorts folders by the time of their last change, the newest first.
func sortByAge(list []os.FileInfo) {
	slices.SortStableFunc(list, func(a, b os.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
}

// ReadPins returns the SHA-256 of the files of a stored artifact, in hex, by name. It returns false if the store does not have its
// manifest.
func ReadPins(store string, r Reference) (map[string]string, bool) {
	layers, err := readStoredLayers(store, r)
	if err != nil {
		return nil, false
	}
	out := make(map[string]string, len(layers))
	for k := range layers {
		out[layers[k].Annotations[ocispec.AnnotationTitle]] = layers[k].Digest.Encoded()
	}
	return out, true
}
