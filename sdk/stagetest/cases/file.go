package cases

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/config"
)

// Suffix is the end of the names of case files.
const Suffix = ".cases.yaml"

// maxFile is the maximum size of a case file in bytes.
const maxFile = 1 << 20

// File is one case file, read and checked without the stage.
type File struct {
	Path  string // as given
	Cases []*Case
}

// Case is one case of a file.
type Case struct {
	File *File
	Name string
	// Link configures the stage under test, including the case's keys. File names in it are relative
	// to the case file.
	Link    config.Link
	refused string // part of the error with which creating the stage must fail; empty if it must succeed
	steps   []*step
	block   config.Block
}

// Line is the line of the case in its file, from 1.
func (c *Case) Line() int { return c.block.NewProblem("", "").Line }

// step is one exchange, or one phase of it, and the expected result.
type step struct {
	given         givenKeys
	expect        expectKeys
	spans         []spanKeys
	edits         []editKeys
	retry         []messageKeys
	givenAt       config.Block
	expectAt      config.Block
	input         input
	streamed      bool
	labelsWritten bool
	spansWritten  bool
	editsWritten  bool
	golden        string         // path; "" without one
	key, tenant   map[string]any // metadata
}

// Find lists the case files that the names refer to, sorted. A file is itself. A module X.wasm means X.cases.yaml beside
// it. A folder means all case files below it, except in node_modules and in folders whose names start with a dot.
func Find(names []string) ([]string, error) {
	var files []string
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, core.RemovePath(err))
		}
		if !info.IsDir() {
			if module, ok := strings.CutSuffix(name, ".wasm"); ok {
				name = module + Suffix
				if _, err = os.Stat(name); err != nil {
					return nil, fmt.Errorf("%s.wasm has no cases: write them into %s", module, name)
				}
			}
			files = append(files, name)
			continue
		}
		before := len(files)
		err = filepath.WalkDir(name, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && path != name && (d.Name()[0] == '.' || d.Name() == "node_modules"):
				return filepath.SkipDir
			case !d.IsDir() && strings.HasSuffix(d.Name(), Suffix):
				files = append(files, path)
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("find cases: %w", err)
		}
		if len(files) == before {
			return nil, fmt.Errorf("%s: there is no case file in this folder or below; write one whose name ends in %s", name, Suffix)
		}
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// Read reads a case file. The error is a *config.Problems. module, if not empty, replaces the module that the file names;
// it is relative to the working directory, unlike the names in the file.
func Read(path, module string) (*File, error) {
	info, err := os.Stat(path)
	if err == nil && info.Size() > maxFile {
		return nil, fmt.Errorf("%s: the file is larger than %d bytes; put its cases into several files", path, maxFile)
	}
	text, err := os.ReadFile(path) // the file that the caller names
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, core.RemovePath(err))
	}
	return parseFile(path, text, module)
}

// formatSlug converts the name of a case to a file name.
func formatSlug(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		switch {
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return strings.TrimRight(b.String(), "-")
}
