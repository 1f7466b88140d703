package node

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/plugins"
)

// pluginFolder gives administrative operations access to the plugins folder.
type pluginFolder struct{ g *gateway }

var _ admin.PluginFolder = pluginFolder{}

// Plugins returns the plugins that links use, and the others in the folder.
func (f pluginFolder) Plugins() []admin.Plugin {
	f.g.mu.Lock()
	defer f.g.mu.Unlock()
	out := f.g.listPlugins()
	for _, file := range f.g.dir.Names() {
		if !slices.ContainsFunc(out, func(p admin.Plugin) bool { return p.File == file }) {
			out = append(out, admin.Plugin{File: file, State: "unused", Trust: string(f.g.cfg.Plugins.Trust)})
		}
	}
	for _, p := range f.g.dir.processes.Stats() {
		out = append(out, convertProcessStatus(p))
	}
	return out
}

func (f pluginFolder) config() *config.Config {
	f.g.mu.Lock()
	defer f.g.mu.Unlock()
	return f.g.cfg
}

// Install loads a module from a temporary folder by the gateway's rules and then moves it into the plugins folder.
func (f pluginFolder) Install(ctx context.Context, u admin.PluginUpload) (admin.PluginInstalled, error) {
	v, err := f.put(ctx, u, func(string) error { return nil })
	if err == nil {
		f.g.note("a plugin was installed")
	}
	return v, err
}

// put moves a loadable module into the folder. It calls before with the module's digest just before that.
func (f pluginFolder) put(ctx context.Context, u admin.PluginUpload, before func(digest string) error) (admin.PluginInstalled, error) {
	cfg := f.config()
	files := map[string][]byte{u.File: u.Module}
	if u.Manifest != nil {
		files[plugins.FormatManifestName(u.File)] = u.Manifest
	}
	if u.Signature != nil {
		files[plugins.FormatSignatureName(u.File)] = u.Signature
	}
	v, err := tryUpload(ctx, cfg, u.File, files)
	if err != nil {
		return v, err
	}
	f.g.folding.Lock()
	defer f.g.folding.Unlock()
	if err := os.MkdirAll(cfg.Plugins.Dir, 0o755); err != nil {
		return v, err
	}
	if err := f.saveCurrent(cfg.Plugins.Dir, u.File, v.Digest); err != nil {
		return v, err
	}
	if err := before(v.Digest); err != nil {
		return v, err
	}
	for _, name := range listCompanionFiles(u.File) {
		path := filepath.Join(cfg.Plugins.Dir, name)
		b, ok := files[name]
		if ok {
			err = plugins.ReplaceFile(path, b)
		} else if err = os.Remove(path); errors.Is(err, fs.ErrNotExist) { // from the previous version
			err = nil
		}
		if err != nil {
			return v, err
		}
	}
	return v, nil
}

// listCompanionFiles returns the files of a module, the module itself last.
func listCompanionFiles(file string) []string {
	return []string{plugins.FormatManifestName(file), plugins.FormatSignatureName(file), file}
}

// tryUpload loads an upload as the gateway would.
func tryUpload(ctx context.Context, cfg *config.Config, file string, files map[string][]byte) (admin.PluginInstalled, error) {
	dir, err := os.MkdirTemp("", "headgate-plugin-")
	if err != nil {
		return admin.PluginInstalled{}, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // other programs clean the temporary folder too
	if lock, err := os.ReadFile(filepath.Join(cfg.Plugins.Dir, plugins.LockFile)); err == nil {
		files[plugins.LockFile] = lock
	}
	for name, b := range files {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			return admin.PluginInstalled{}, err
		}
	}
	delete(files, plugins.LockFile)
	c := *cfg
	c.Plugins.Dir = dir
	d, err := OpenPlugins(&c, func(string) {}, nil)
	if err != nil {
		return admin.PluginInstalled{}, err
	}
	version, err := d.Try(ctx, file, nil, plugins.Deps{})
	if err = errors.Join(err, d.Close()); err != nil {
		return admin.PluginInstalled{}, &admin.RefusedPlugin{Reason: err}
	}
	m := &version.Manifest
	return admin.PluginInstalled{File: file, Name: m.Name, Version: m.Version, Digest: version.Digest, Samples: len(m.Samples)}, nil
}

// Remove deletes a module and its accompanying files.
func (f pluginFolder) Remove(_ context.Context, file string) (bool, error) {
	dir := f.config().Plugins.Dir
	f.g.folding.Lock()
	defer f.g.folding.Unlock()
	err := os.Remove(filepath.Join(dir, file))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	for _, name := range []string{plugins.FormatManifestName(file), plugins.FormatSignatureName(file)} {
		if more := os.Remove(filepath.Join(dir, name)); !errors.Is(more, fs.ErrNotExist) {
			err = errors.Join(err, more)
		}
	}
	err = errors.Join(err, os.RemoveAll(buildRollbackPath(dir, file)))
	f.g.note("a plugin was removed")
	return err == nil, err
}

// Decide records a decision about the current version in the folder.
func (f pluginFolder) Decide(_ context.Context, file, digest string, promote bool) (bool, error) {
	dir := f.config().Plugins.Dir
	f.g.folding.Lock()
	defer f.g.folding.Unlock()
	s, err := plugins.InspectModule(dir, file, nil)
	if err != nil {
		if plugins.IsMissing(err) {
			return false, nil
		}
		return false, err
	}
	if !strings.EqualFold(s.Digest, digest) {
		return false, nil
	}
	if err := RecordDecision(dir, file, s.Digest, promote); err != nil {
		return false, err
	}
	f.g.note("a candidate was promoted or rejected")
	return true, nil
}

// RecordDecision stores a decision and replaces an earlier one about the same version.
func RecordDecision(dir, file, digest string, promote bool) error {
	list, err := plugins.ReadDecisions(dir)
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(d plugins.Decision) bool { return d.File == file && d.Digest == digest })
	list = append(list, plugins.Decision{Promote: promote, File: file, Digest: digest})
	return plugins.ReplaceFile(filepath.Join(dir, plugins.DecisionsFile), plugins.FormatDecisions(list))
}
