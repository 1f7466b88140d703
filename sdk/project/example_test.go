package project_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/headgate-dev/headgate/sdk/project"
)

// New makes the folder of a plugin that works as it stands.
func ExampleNew() {
	dir, err := os.MkdirTemp("", "plugin")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	files, err := project.New(dir, "card-check", "c", "detector")
	if err != nil {
		fmt.Println(err)
		return
	}
	hasCases := slices.ContainsFunc(files, func(name string) bool { return filepath.Base(name) == "card-check.cases.yaml" })
	fmt.Println(hasCases)
	// Output: true
}

// Languages lists what New has templates for.
func ExampleLanguages() {
	fmt.Println(slices.Contains(project.Languages(), "rust"))
	// Output: true
}
