package plugintool

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/cmd/headgate/node"
	"github.com/headgate-dev/headgate/plugins"
)

// folderFlag names the plugins folder, instead of the configuration.
type folderFlag struct{ dir string }

func (d *folderFlag) add(c *cobra.Command) {
	c.Flags().StringVar(&d.dir, "dir", "", "the plugins `folder` (default: plugins.dir of the configuration)")
}

func (d *folderFlag) findFolder(f *node.Options) (string, error) {
	if d.dir != "" {
		return d.dir, nil
	}
	cfg, _, err := f.Load()
	if err != nil {
		return "", err
	}
	return cfg.Plugins.Dir, nil
}

func newLockCommand(f *node.Options) *cobra.Command {
	var where folderFlag
	var check, keep bool
	c := &cobra.Command{
		Use:   "lock [FILE...]",
		Short: "Write plugins.lock, which lists the modules that may run if plugins.trust is pinned",
		Long: "Write the digests of the modules in the plugins folder, and of the manifests beside them, into plugins.lock; with\n" +
			"files, of those alone. With --check nothing is written, and the exit status tells whether the lock is right.",
		RunE: func(c *cobra.Command, args []string) error {
			dir, err := where.findFolder(f)
			if err != nil {
				return err
			}
			old, err := plugins.ReadLock(dir)
			if plugins.IsMissing(err) && !check {
				old, err = new(plugins.Lock), nil
			}
			if err != nil {
				return err
			}
			lock, changes, err := correctLock(dir, old, args, keep)
			if err != nil {
				return err
			}
			out := c.OutOrStdout()
			for _, line := range changes {
				if _, err := fmt.Fprintln(out, line); err != nil {
					return err
				}
			}
			switch {
			case check && len(changes) > 0:
				return fmt.Errorf("%s does not match the plugins; if the changes are intended, run: headgate plugin lock", plugins.LockFile)
			case check:
				_, err = fmt.Fprintf(out, "%s matches: %d files\n", plugins.LockFile, len(lock.Files()))
				return err
			}
			if err := plugins.ReplaceFile(filepath.Join(dir, plugins.LockFile), lock.Format()); err != nil {
				return err
			}
			_, err = fmt.Fprintf(out, "%s lists %d files\n", plugins.LockFile, len(lock.Files()))
			return err
		},
	}
	where.add(c)
	c.Flags().BoolVar(&check, "check", false, "only report whether the lock matches the plugins")
	c.Flags().BoolVar(&keep, "keep", false, "keep the listed digests of the same files, so that earlier versions may run too")
	return c
}

// correctLock returns the corrected lock, and the changes.
func correctLock(dir string, old *plugins.Lock, args []string, keep bool) (*plugins.Lock, []string, error) {
	lock, err := plugins.ParseLock(old.Format())
	if err != nil {
		return nil, nil, err
	}
	files, err := listLockable(dir, args)
	if err == nil && len(args) == 0 {
		files = append(files, listPrograms(dir, old)...)
	}
	if err != nil {
		return nil, nil, err
	}
	var changes []string
	for _, file := range files {
		digest, note, err := lockFile(dir, file)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w; no digest was written: remove the file, or name the modules to list", file, err)
		}
		was := old.ListDigests(file)
		switch {
		case len(was) == 0:
			changes = append(changes, "added    "+file+"  "+digest)
		case !slices.Contains(was, digest):
			changes = append(changes, "changed  "+file+"  "+digest)
		case len(was) > 1 && !keep:
			changes = append(changes, "narrowed "+file+"  "+digest)
		}
		lock.Pin(file, digest, note, keep)
	}
	if len(args) == 0 {
		for _, file := range old.Files() {
			if !slices.Contains(files, file) {
				changes = append(changes, "removed  "+file)
				lock.Unpin(file)
			}
		}
	}
	return lock, changes, nil
}

// listPrograms returns the files of a lock that are neither modules nor manifests and exist in the folder: only the lock
// identifies them as plugins.
func listPrograms(dir string, old *plugins.Lock) (out []string) {
	for _, file := range old.Files() {
		if _, err := os.Stat(
			filepath.Join(dir, file),
		); err == nil && !strings.HasSuffix(file, ".wasm") &&
			!strings.HasSuffix(file, ".wasm.yaml") {
			out = append(out, file)
		}
	}
	return out
}

// listLockable lists the named files, or all, with the manifests beside them.
func listLockable(dir string, args []string) (out []string, err error) {
	if len(args) == 0 {
		d, err := plugins.Open(plugins.Options{Dir: dir, Trust: plugins.TrustOpen})
		if err != nil {
			return nil, err
		}
		args = d.Names()
	}
	for _, arg := range args {
		file := filepath.Base(arg)
		if arg != file && filepath.Clean(filepath.Dir(arg)) != filepath.Clean(dir) {
			return nil, fmt.Errorf("%s is not in the plugins folder %s", arg, dir)
		}
		out = append(out, file)
		beside := file + ".yaml"
		if _, err := os.Stat(filepath.Join(dir, beside)); err == nil && strings.HasSuffix(file, ".wasm") {
			out = append(out, beside)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// lockFile checks a file to pin, and returns the comment above its entry. A file that could not be loaded is not
// pinned.
func lockFile(dir, file string) (digest, note string, err error) {
	if !strings.HasSuffix(file, ".wasm") {
		body, err := os.ReadFile(filepath.Join(dir, file))
		return plugins.DigestBytes(body), "", err
	}
	s, err := plugins.InspectModule(dir, file, nil)
	if err != nil {
		return "", "", err
	}
	m := &s.Inspection.Manifest
	return s.Digest, strings.TrimSpace(m.Name + " " + m.Version), s.Err
}
