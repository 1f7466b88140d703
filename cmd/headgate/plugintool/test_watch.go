package plugintool

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/cmd/headgate/cli"
	"github.com/headgate-dev/headgate/cmd/headgate/node"
	"github.com/headgate-dev/headgate/sdk/project"
	"github.com/headgate-dev/headgate/sdk/stagetest/cases"
)

// watchEvery is the time between two looks at the files.
const watchEvery = 300 * time.Millisecond

// stamps are the files below the folders of cases, with their sizes and times of change.
type stamps map[string]string

// readStamps reads the folders of case files. It ignores the compiler's build output.
func readStamps(files []string) (stamps, error) {
	out := stamps{}
	for _, file := range files {
		err := filepath.WalkDir(filepath.Dir(file), func(path string, d fs.DirEntry, err error) error {
			switch {
			case errors.Is(err, fs.ErrNotExist): // it went while we looked
				return nil
			case err != nil:
				return err
			case d.IsDir() && path != filepath.Dir(file) && (d.Name()[0] == '.' || d.Name() == "node_modules" || d.Name() == "target"):
				return filepath.SkipDir
			case d.IsDir():
				return nil
			}
			info, err := d.Info()
			if err != nil {
				return nil // as above
			}
			out[path] = fmt.Sprint(info.Size(), info.ModTime().UnixNano())
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// findChanges returns the files that differ, sorted.
func (s stamps) findChanges(now stamps) (out []string) {
	for path, stamp := range now {
		if s[path] != stamp {
			out = append(out, path)
		}
	}
	for path := range s {
		if _, ok := now[path]; !ok {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out
}

// takeOutput returns the stamps from before a run with those of the files that the run itself has written. A case or a source
// that changed meanwhile differs from its stamp, so that it is run again.
func (s stamps) takeOutput(after stamps) stamps {
	out := stamps{}
	for path, stamp := range after {
		if !isInput(path) {
			out[path] = stamp
		}
	}
	for path, stamp := range s {
		if isInput(path) {
			out[path] = stamp
		}
	}
	return out
}

// isInput reports whether a run only reads the file.
func isInput(path string) bool {
	return strings.HasSuffix(path, cases.Suffix) || strings.HasPrefix(filepath.Base(path), "manifest.") || project.IsSource(path)
}

// watchCases runs the cases, and again whenever a file changes, until the program is ended.
func (o *tryFlags) watchCases(c *cobra.Command, f *node.Options, args []string) error {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	var before stamps
	for {
		files, err := cases.Find(args)
		var now stamps
		if err == nil {
			now, err = readStamps(files)
		}
		if err != nil {
			return err
		}
		if before == nil || len(before.findChanges(now)) > 0 {
			if before != nil {
				err = o.rebuild(c, before.findChanges(now))
			}
			if err == nil {
				err = o.runTests(c, f, args)
			}
			if c.Context().Err() != nil {
				return nil
			}
			if err != nil && !errors.Is(err, cli.ErrReported) {
				if _, err := fmt.Fprintln(c.ErrOrStderr(), err); err != nil {
					return err
				}
			}
			after, err := readStamps(files)
			if err != nil {
				return err
			}
			before = now.takeOutput(after)
			if _, err := fmt.Fprintf(c.ErrOrStderr(), "%s: waiting for changes\n", time.Now().Format(time.TimeOnly)); err != nil {
				return err
			}
		}
		select {
		case <-c.Context().Done():
			return nil
		case <-tick.C:
		}
	}
}

// rebuild builds the plugins whose sources are among the changed files.
func (o *tryFlags) rebuild(c *cobra.Command, changed []string) error {
	var built []string
	for _, path := range changed {
		dir := filepath.Dir(path)
		if strings.HasSuffix(path, ".wasm") || strings.HasSuffix(path, cases.Suffix) || slices.Contains(built, dir) || !project.Buildable(dir) {
			continue
		}
		built = append(built, dir)
		if _, err := project.Build(c.Context(), dir, "", nil); err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
	}
	return nil
}
