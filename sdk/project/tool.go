package project

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// MissingError means that a program of a toolchain is not installed.
type MissingError struct {
	Tool string
	Hint string // what to do about it
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("%s was not found: %s", e.Tool, e.Hint)
}

// findTool locates a program: the program that the variable names, or one installed by npm in the folder or above it, or the
// first in the path.
func findTool(dir, variable, name, hint string) (string, error) {
	if named := os.Getenv(variable); variable != "" && named != "" {
		path, err := exec.LookPath(named)
		if err != nil {
			return "", &MissingError{Tool: named + ", which " + variable + " names,", Hint: hint}
		}
		return path, nil
	}
	for at := dir; ; at = filepath.Dir(at) {
		path := filepath.Join(at, "node_modules", ".bin", name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path, nil
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", &MissingError{Tool: name, Hint: hint}
	}
	return path, nil
}
