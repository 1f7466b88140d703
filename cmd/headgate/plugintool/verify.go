package plugintool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/cmd/headgate/cli"
	"github.com/headgate-dev/headgate/cmd/headgate/node"
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/plugins"
	"github.com/headgate-dev/headgate/wasm"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// trustFlags name the rule by which files are checked, instead of the configuration.
type trustFlags struct {
	trust string
	keys  []string
}

func (t *trustFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&t.trust, "trust", "", "the `rule`: open, pinned or signed (default: that of --config)")
	c.Flags().StringArrayVar(
		&t.keys,
		"pub",
		nil,
		"a public `key` that counts, or its file; may be repeated (default: plugins.keys of --config)",
	)
}

// read returns the named keys, each given as text or as a file.
func (t *trustFlags) read() ([]plugins.Key, error) {
	var out []plugins.Key
	for _, text := range t.keys {
		if body, err := os.ReadFile(text); err == nil {
			text = string(body)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("--pub: %w", err)
		} else if strings.ContainsAny(text, `./\`) && !strings.HasPrefix(text, "RW") {
			return nil, fmt.Errorf("--pub: there is no file %s", text)
		}
		k, err := plugins.ParseKey(text)
		if err != nil {
			return nil, fmt.Errorf("--pub: %w", err)
		}
		out = append(out, k)
	}
	return out, nil
}

// readRules returns the named rules, or those of the configuration, and the configuration if there is one.
func (t *trustFlags) readRules(f *node.Options) (trust plugins.Trust, keys []plugins.Key, cfg *config.Config, err error) {
	if keys, err = t.read(); err != nil {
		return 0, nil, nil, err
	}
	word := t.trust
	if f.Config != "" {
		if cfg, _, err = f.Load(); err != nil {
			return 0, nil, nil, err
		}
		if word == "" && len(keys) == 0 {
			word = string(cfg.Plugins.Trust)
		}
		if len(keys) == 0 {
			if keys, err = plugins.ParseKeys(cfg.Plugins.Keys); err != nil {
				return 0, nil, nil, err
			}
		}
	}
	if word == "" && len(t.keys) > 0 {
		word = plugins.TrustSigned.String()
	}
	if word == "" {
		return 0, nil, nil, errors.New("choose the rule: --config with the gateway's configuration, --pub with a public key, or --trust")
	}
	trust, err = plugins.ParseTrust(word)
	return trust, keys, cfg, err
}

func newVerifyCommand(f *node.Options) *cobra.Command {
	var t trustFlags
	c := &cobra.Command{
		Use:   "verify FILE...",
		Short: "Check modules as the gateway does: trust, contract and a trial run",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			trust, keys, cfg, err := t.readRules(f)
			if err != nil {
				return err
			}
			bad := false
			for _, path := range args {
				dir, file := filepath.Split(path)
				if dir == "" {
					dir = "."
				}
				v, err := verifyFile(c, plugins.Options{Dir: dir, Trust: trust, Rules: plugins.Rules{Keys: keys}}, file, cfg)
				if cfg == nil && wasm.IsSettings(err) { // it was read and checked before it was started
					if _, err := fmt.Fprintf(c.OutOrStdout(), "%s: %s; not tried: %v; name its link's settings with --config\n",
						path, describeTrust(trust), err); err != nil {
						return err
					}
					continue
				}
				if err != nil {
					bad = true
					if _, err := fmt.Fprintf(c.OutOrStdout(), "%s: REFUSED: %v\n", path, err); err != nil {
						return err
					}
					continue
				}
				if _, err := fmt.Fprintf(
					c.OutOrStdout(),
					"%s: ok: %s %s, trust %s, sha256 %s\n",
					path,
					v.Manifest.Name,
					v.Manifest.Version,
					trust,
					v.Digest,
				); err != nil {
					return err
				}
			}
			if bad {
				return cli.ErrReported
			}
			return nil
		},
	}
	t.add(c)
	return c
}

// describeTrust says what a trust rule proves about an accepted file.
func describeTrust(t plugins.Trust) string {
	switch t {
	case plugins.TrustSigned:
		return "signature ok"
	case plugins.TrustPinned:
		return "pinned"
	}
	return "no rule of trust"
}

// verifyFile loads a module and releases it. A child process compiles it, as in the gateway. cfg is optional; it may
// contain a link with the module's settings.
func verifyFile(c *cobra.Command, o plugins.Options, file string, cfg *config.Config) (*wasm.Version, error) {
	if filepath.Ext(file) != ".wasm" {
		return nil, errors.New("not a .wasm file")
	}
	var err error
	if o.CacheDir, err = node.FindPluginCache(""); err != nil {
		return nil, err
	}
	if exe, err := os.Executable(); err == nil {
		o.Child = wasm.Child{Exe: exe, Args: []string{"plugin", "compile"}}
	}
	o.Log = func(file string, level abi.Level, text string, _ int) {
		if level >= abi.LevelWarn { // for example why settings are refused
			_, _ = fmt.Fprintf(c.ErrOrStderr(), "%s: %s\n", file, text)
		}
	}
	d, err := plugins.Open(o)
	if err != nil {
		return nil, err
	}
	var settings core.Settings
	if cfg != nil {
		settings = findSettings(cfg, file)
	}
	return d.Try(c.Context(), file, settings, newTrialDeps(file))
}
