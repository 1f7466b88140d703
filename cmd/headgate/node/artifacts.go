package node

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/plugins"
	"github.com/headgate-dev/headgate/plugins/oci"
)

const (
	// pullTimeout is the time limit of one artifact. A reload waits for it.
	pullTimeout = 30 * time.Second
	// pullAgain is the time after which an artifact that could not be had is asked for again.
	pullAgain = time.Minute
)

// artifacts puts the plugins of plugins.artifacts into the plugins folder.
type artifacts struct {
	missing map[string]failedPull // by file
	again   *time.Timer           // until a reload asks again for what is missing; nil: none yet
	now     func() time.Time      // time.Now unless a test turns the clock
}

// failedPull is an artifact that could not be had.
type failedPull struct {
	ref string
	at  time.Time
	err error
}

// findArtifactStore returns the folder that keeps what was pulled, so that no registry is needed for what is known.
func findArtifactStore(cfg *config.Config) string {
	return filepath.Join(cfg.Plugins.Dir, ".artifacts")
}

// listPins returns the digests of the files of all artifacts that were pulled, by file.
func listPins(cfg *config.Config) map[string]string {
	pins := map[string]string{}
	for _, text := range cfg.Plugins.Artifacts {
		if ref, err := oci.ParseReference(text); err == nil {
			o, err := BuildArtifactOptions(cfg, ref)
			if err != nil || !oci.VerifyStored(ref, o) { // a signature that is missing pins nothing
				continue
			}
			stored, _ := oci.ReadPins(o.Store, ref)
			maps.Copy(pins, stored)
		}
	}
	return pins
}

// listVouched returns, for the files of the artifacts that a configuration with cosign_keys names, the digests that signed artifacts of the
// store have. Without cosign_keys it returns nil.
func listVouched(cfg *config.Config) map[string][]string {
	if len(cfg.Plugins.CosignKeys) == 0 {
		return nil
	}
	vouched, signed := map[string][]string{}, map[string][]string{}
	if keys, err := parseCosignKeys(cfg); err == nil { // a key that cannot be read vouches for nothing
		signed = oci.ListSigned(findArtifactStore(cfg), keys)
	}
	for module := range cfg.Plugins.Artifacts {
		for _, file := range []string{module, plugins.FormatManifestName(module)} {
			vouched[file] = signed[file]
		}
	}
	return vouched
}

// install puts the plugins that a configuration names into the folder: from the store, else from their registries. It returns an error for
// an artifact that cannot be had, unless old, the configuration in force, names it too: what works must not stop working because a
// registry is down. again reports whether install is to be called again after pullAgain.
func (a *artifacts) install(ctx context.Context, old, cfg *config.Config, warn func(file string, err error)) (again bool, err error) {
	for _, file := range slices.Sorted(maps.Keys(cfg.Plugins.Artifacts)) {
		ref := cfg.Plugins.Artifacts[file]
		if f, failed := a.missing[file]; failed && f.ref == ref && a.now().Sub(f.at) < pullAgain {
			again = true
			continue
		}
		err := installArtifact(ctx, cfg, file, ref)
		if err == nil {
			delete(a.missing, file)
			continue
		}
		err = fmt.Errorf("plugins.artifacts.%s: %w", file, err)
		if old != nil && old.Plugins.Artifacts[file] != ref {
			return again, err
		}
		if a.missing == nil {
			a.missing = map[string]failedPull{}
		}
		a.missing[file], again = failedPull{ref, a.now(), err}, true
		warn(file, err)
	}
	return again, nil
}

// installArtifact puts one plugin into the folder, unless its files are there.
func installArtifact(ctx context.Context, cfg *config.Config, file, text string) error {
	ref, err := oci.ParseReference(text)
	if err != nil {
		return err
	}
	o, err := BuildArtifactOptions(cfg, ref)
	if err != nil {
		return err
	}
	if pins, ok := oci.ReadPins(o.Store, ref); ok && oci.VerifyStored(ref, o) && isInstalled(cfg.Plugins.Dir, file, pins) {
		return nil
	}
	if err := os.MkdirAll(cfg.Plugins.Dir, 0o755); err != nil {
		return fmt.Errorf("open the plugins folder: %w", core.RemovePath(err))
	}
	ctx, done := context.WithTimeout(ctx, pullTimeout)
	defer done()
	files, err := oci.Pull(ctx, ref, o)
	if err != nil {
		return err
	}
	if files[0].Name != file {
		return fmt.Errorf("the artifact holds the module %s; write its reference under that name", files[0].Name)
	}
	return oci.Install(cfg.Plugins.Dir, files)
}

// BuildArtifactOptions returns how an artifact is pulled and checked.
func BuildArtifactOptions(cfg *config.Config, ref oci.Reference) (o oci.Options, err error) {
	account := cfg.Plugins.Registries[ref.Host()]
	o = oci.Options{
		User: account.User, Password: account.Password.Reveal(), PlainHTTP: account.PlainHTTP, Timeout: pullTimeout,
		Store: findArtifactStore(cfg),
	}
	o.CosignKeys, err = parseCosignKeys(cfg)
	return o, err
}

// parseCosignKeys parses the public keys by which artifacts must be signed.
func parseCosignKeys(cfg *config.Config) (keys []oci.CosignKey, err error) {
	for _, text := range cfg.Plugins.CosignKeys {
		key, err := oci.ParseCosignKey(text)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// isInstalled reports whether the folder has a module and the files beside it as an artifact has them.
func isInstalled(dir, module string, pins map[string]string) bool {
	if pins[module] == "" {
		return false
	}
	beside := plugins.FormatManifestName(module)
	for _, file := range []string{module, beside, plugins.FormatSignatureName(module), plugins.FormatSignatureName(beside)} {
		body, err := os.ReadFile(filepath.Join(dir, file)) // a name of the configuration, without a path
		switch pin, named := pins[file]; {
		case named && (err != nil || plugins.DigestBytes(body) != pin):
			return false
		case !named && err == nil:
			return false // of another version
		}
	}
	return true
}

// installArtifacts puts the plugins of a configuration into the folder, before it is applied.
func installArtifacts(ctx context.Context, g *gateway, cfg *config.Config) error {
	if isConsole(cfg) {
		return nil
	}
	if g.artifacts.now == nil {
		g.artifacts.now = time.Now
	}
	again, err := g.artifacts.install(ctx, g.cfg, cfg, func(file string, err error) {
		g.tel.Log.Error().Str("file", file).Err(err).Msg("a plugin could not be pulled, and is asked for again in a minute")
	})
	if g.artifacts.again != nil {
		g.artifacts.again.Stop()
	}
	if again && g.note != nil {
		g.artifacts.again = time.AfterFunc(pullAgain, func() { g.note("a plugin is to be pulled again") })
	}
	return err
}

// isYetToBePulled reports whether a module comes from a registry and is not in the folder: a configuration that names it is valid.
func isYetToBePulled(cfg *config.Config, file string) bool {
	_, err := os.Stat(filepath.Join(cfg.Plugins.Dir, file))
	return cfg.Plugins.Artifacts[file] != "" && err != nil
}
