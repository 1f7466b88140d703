package oci

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/plugins"
)

// signedFile holds the cosign signatures of a stored artifact, so that they can be checked again without the registry.
const signedFile = "cosign.json"

// maxSigned is the size limit of signedFile in bytes.
const maxSigned = 1 << 20

// VerifyStored reports whether the store has a signature of an artifact by one of the keys. Without keys it returns true.
func VerifyStored(from Reference, o Options) bool {
	if len(o.CosignKeys) == 0 {
		return true
	}
	if o.Store == "" {
		return false
	}
	text, err := readBounded(filepath.Join(findFolder(o.Store, from), signedFile), maxSigned)
	var all []signed
	return err == nil && json.Unmarshal(text, &all) == nil && verifySigned(all, o.CosignKeys, from.ref.Reference)
}

// ListSigned returns the SHA-256 of the files of all stored artifacts that have a signature by one of the keys, in hex, by name.
func ListSigned(store string, keys []CosignKey) map[string][]string {
	out := map[string][]string{}
	entries, err := os.ReadDir(store)
	if err != nil || len(keys) == 0 {
		return out
	}
	for _, e := range entries {
		if !isDigest(e.Name()) {
			continue
		}
		var r Reference
		r.ref.Reference = "sha256:" + e.Name()
		if !VerifyStored(r, Options{Store: store, CosignKeys: keys}) {
			continue
		}
		stored, _ := ReadPins(store, r)
		for name, digest := range stored {
			out[name] = append(out[name], digest)
		}
	}
	return out
}

// writeSigned keeps the signatures of an artifact.
func writeSigned(store string, from Reference, all []signed) error {
	if store == "" {
		return nil
	}
	folder := findFolder(store, from)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("keep the signatures: %w", core.RemovePath(err))
	}
	text, err := json.Marshal(all)
	if err != nil {
		return fmt.Errorf("keep the signatures: %w", err)
	}
	if err := plugins.ReplaceFile(filepath.Join(folder, signedFile), text); err != nil {
		return fmt.Errorf("keep the signatures: %w", err)
	}
	return nil
}
