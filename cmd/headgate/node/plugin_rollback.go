package node

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/plugins"
)

// buildRollbackPath returns the folder of the module version that served before the last installation. Its name starts
// with a dot so that it is not taken for a module.
func buildRollbackPath(dir, file string) string { return filepath.Join(dir, ".earlier", file) }

// saveCurrent saves the current version before it is replaced, if it is the serving one. A version that was only on
// trial is not saved, because the version that served then is saved already.
func (f pluginFolder) saveCurrent(dir, file, next string) error {
	body, err := os.ReadFile(filepath.Join(dir, file))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	digest := plugins.DigestBytes(body)
	f.g.mu.Lock()
	list := f.g.dir.Status()
	f.g.mu.Unlock()
	at := slices.IndexFunc(list, func(s plugins.Status) bool { return s.File == file })
	if digest == next || at >= 0 && list[at].Digest != digest {
		return nil
	}
	to := buildRollbackPath(dir, file)
	if err := errors.Join(os.RemoveAll(to), os.MkdirAll(to, 0o700)); err != nil {
		return err
	}
	for _, name := range listCompanionFiles(file) {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = plugins.ReplaceFile(filepath.Join(to, name), b)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Rollback restores the saved version. It serves without a trial because an operator asked for it.
func (f pluginFolder) Rollback(ctx context.Context, file string) (admin.PluginInstalled, bool, error) {
	dir := f.config().Plugins.Dir
	from, u := buildRollbackPath(dir, file), admin.PluginUpload{File: file}
	parts := []*[]byte{&u.Manifest, &u.Signature, &u.Module}
	for i, name := range listCompanionFiles(file) {
		b, err := os.ReadFile(filepath.Join(from, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return admin.PluginInstalled{}, false, err
		}
		*parts[i] = b
	}
	if u.Module == nil {
		return admin.PluginInstalled{}, false, nil
	}
	v, err := f.put(ctx, u, func(digest string) error { return RecordDecision(dir, file, digest, true) })
	if err != nil {
		return v, true, err
	}
	if b, err := os.ReadFile(filepath.Join(from, file)); err == nil && plugins.DigestBytes(b) == v.Digest { // it was not replaced
		if err := os.RemoveAll(from); err != nil {
			return v, true, err
		}
	}
	f.g.note("a plugin was rolled back")
	return v, true, nil
}

// Inspect describes the version in the folder.
func (f pluginFolder) Inspect(_ context.Context, file string) (admin.PluginInspection, bool, error) {
	cfg := f.config()
	keys, err := plugins.ParseKeys(cfg.Plugins.Keys)
	if err != nil {
		return admin.PluginInspection{}, false, err
	}
	s, err := plugins.InspectModule(cfg.Plugins.Dir, file, keys)
	if err != nil {
		if plugins.IsMissing(err) {
			return admin.PluginInspection{}, false, nil
		}
		return admin.PluginInspection{}, false, err
	}
	i := Inspect(s, len(keys) > 0)
	v := admin.PluginInspection{
		File: i.File, Size: i.Size, Digest: i.Digest, ManifestFrom: i.From, Labels: []string{},
		Phases: i.Touches.Phases, Text: i.Touches.Text, Fields: i.Touches.Fields, Capabilities: i.Touches.Capabilities,
		Memory: i.Memory, Exports: i.Exports, Imports: i.Imports, Signature: i.Signature.State, SignatureKey: i.Signature.Key,
		SignedAs: i.Signature.Comment + i.Signature.Reason, Pinned: i.Pinned, Problem: i.Problem,
	}
	if m := i.Manifest; m != nil {
		v.Name, v.Version, v.Kind, v.Labels, v.Samples = m.Name, m.Version, m.Kind, append(v.Labels, m.Labels...), len(m.Samples)
		if v.Manifest, err = json.Marshal(m); err != nil {
			return v, true, err
		}
	}
	if e, err := plugins.InspectModule(buildRollbackPath(cfg.Plugins.Dir, file), file, nil); err == nil {
		v.Earlier = &admin.PluginEarlier{Version: e.Inspection.Manifest.Version, Digest: e.Digest}
	} else if !plugins.IsMissing(err) {
		return v, true, err
	}
	return v, true, nil
}
