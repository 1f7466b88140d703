package plugintool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/cmd/headgate/node"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/plugins"
	"github.com/headgate-dev/headgate/plugins/oci"
)

// Variables with the credentials of a registry. They are not flags, which other users of the machine can read.
const (
	registryUserVar     = "HEADGATE_REGISTRY_USER"
	registryPasswordVar = "HEADGATE_REGISTRY_PASSWORD"
)

func buildRegistryOptions(plainHTTP bool) oci.Options {
	return oci.Options{PlainHTTP: plainHTTP, User: os.Getenv(registryUserVar), Password: os.Getenv(registryPasswordVar)}
}

const registryHelp = `
The registry may ask for credentials, which are taken from ` + registryUserVar + ` and ` + registryPasswordVar + `. No other host is called,
whatever the registry answers.`

func newPushCommand() *cobra.Command {
	plainHTTP := false
	c := &cobra.Command{
		Use:   "push FILE REFERENCE",
		Short: "Store a module, its manifest and its signatures in an OCI registry",
		Long: `Stores FILE.wasm, and FILE.wasm.yaml and the signatures beside them if they are there, as one artifact, and prints the reference
that names it by digest. REFERENCE is oci://registry/repository, with :tag or without.` + registryHelp,
		Args: cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			to, err := oci.ParseReference(args[1])
			if err != nil {
				return err
			}
			files, err := readModuleFiles(args[0])
			if err != nil {
				return err
			}
			ref, err := oci.Push(c.Context(), to, buildRegistryOptions(plainHTTP), files)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(c.OutOrStdout(), ref)
			return err
		},
	}
	c.Flags().BoolVar(&plainHTTP, "plain-http", false, "reach the registry without TLS, such as one on this machine")
	return c
}

// readModuleFiles reads a module and the files that belong to it.
func readModuleFiles(module string) (files []oci.File, err error) {
	if !strings.HasSuffix(module, ".wasm") {
		return nil, fmt.Errorf("%s: it is not a .wasm file", module)
	}
	beside := plugins.FormatManifestName(module)
	for k, path := range []string{module, beside, plugins.FormatSignatureName(module), plugins.FormatSignatureName(beside)} {
		body, err := os.ReadFile(path) // named by the user
		if k > 0 && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		files = append(files, oci.File{Name: filepath.Base(path), Body: body})
	}
	return files, nil
}

func newPullCommand(f *node.Options) *cobra.Command {
	var t trustFlags
	dir, plainHTTP := "plugins", false
	c := &cobra.Command{
		Use:   "pull REFERENCE",
		Short: "Fetch a plugin from an OCI registry into the plugins folder, by its digest",
		Long: `Fetches what oci://registry/repository@sha256:… names, checks it as "headgate plugin verify" does, with --pub or the configuration's
keys also its signature, and with the configuration's cosign_keys also that of cosign, and only then writes it to the folder. A file that is there with the same content is left as it is.` + registryHelp,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			from, err := oci.ParseReference(args[0])
			if err != nil {
				return err
			}
			if t.trust == "" && len(t.keys) == 0 && f.Config == "" {
				t.trust = plugins.TrustOpen.String() // the digest is the rule
			}
			trust, keys, cfg, err := t.readRules(f)
			if err != nil {
				return err
			}
			if trust == plugins.TrustPinned {
				trust = plugins.TrustOpen // the reference pins more than plugins.lock does
			}
			o, err := buildPullOptions(cfg, from, plainHTTP)
			if err != nil {
				return err
			}
			files, err := oci.Pull(c.Context(), from, o)
			if err != nil {
				return err
			}
			if err := checkPulled(c, files, plugins.Options{Trust: trust, Rules: plugins.Rules{Keys: keys}}); err != nil {
				return fmt.Errorf("%s: %w", files[0].Name, err)
			}
			if err := oci.Install(dir, files); err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.OutOrStdout(), "%s: sha256 %s\n", filepath.Join(dir, files[0].Name), plugins.DigestBytes(files[0].Body))
			return err
		},
	}
	t.add(c)
	c.Flags().StringVar(&dir, "dir", dir, "the plugins `folder`")
	c.Flags().BoolVar(&plainHTTP, "plain-http", false, "reach the registry without TLS, such as one on this machine")
	return c
}

// buildPullOptions returns how an artifact is pulled and checked: with a configuration as the gateway does, but for its store. Credentials
// of the environment come first.
func buildPullOptions(cfg *config.Config, from oci.Reference, plainHTTP bool) (oci.Options, error) {
	o := buildRegistryOptions(plainHTTP)
	if cfg == nil {
		return o, nil
	}
	known, err := node.BuildArtifactOptions(cfg, from)
	if o.User == "" && o.Password == "" {
		o.User, o.Password = known.User, known.Password
	}
	o.PlainHTTP = o.PlainHTTP || known.PlainHTTP
	o.CosignKeys = known.CosignKeys
	return o, err
}

// checkPulled loads the pulled files in a temporary folder.
func checkPulled(c *cobra.Command, files []oci.File, o plugins.Options) (err error) {
	if o.Dir, err = os.MkdirTemp("", "headgate-pull-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(o.Dir)) }()
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(o.Dir, f.Name), f.Body, 0o600); err != nil {
			return err
		}
	}
	d, err := plugins.Open(o)
	if err != nil {
		return err
	}
	for _, seen := range d.Files() { // reads, checks the trust, and inspects
		if seen.File == files[0].Name {
			return seen.Err
		}
	}
	return errors.New("cannot be read back")
}
