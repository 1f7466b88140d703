package plugins

import (
	"path/filepath"

	"github.com/headgate-dev/headgate/wasm"
)

// FindRole returns the role that the manifest of a module in the folder names, or "" if it names none or cannot be read. What is
// wrong with a module is reported when it is loaded.
func FindRole(dir, file string) string {
	if !isPlainFile(file) {
		return ""
	}
	body, err := readFile(filepath.Join(dir, file), maxModule)
	if err != nil {
		return ""
	}
	if m, err := wasm.ReadPackedManifest(body); err == nil {
		return m.Role
	}
	name, _ := findManifestName(file)
	text, err := readFile(filepath.Join(dir, name), maxBeside)
	if err != nil {
		return ""
	}
	if m, err := ReadManifest(text); err == nil {
		return m.Role
	}
	return ""
}
