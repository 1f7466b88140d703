package plugintool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/plugins"
)

func newSignCommand() *cobra.Command {
	keyFile, comment := defaultKey+".key", ""
	c := &cobra.Command{
		Use:   "sign FILE...",
		Short: "Sign plugins and the manifests beside them",
		Long: "Write FILE.sig beside each file, in minisign's format. A manifest beside a module is signed too. The password\n" +
			"of the key is asked for at the terminal, or taken from " + pluginPasswordVar + ".",
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			files, err := addManifests(args)
			if err != nil {
				return err
			}
			text, err := os.ReadFile(keyFile)
			if errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("secret key %s not found; pass --key with its file, or create one: headgate plugin keygen", keyFile)
			}
			if err != nil {
				return err
			}
			key, err := plugins.OpenSecretKey(text, func() (string, error) { return askPassword(c.ErrOrStderr(), false) })
			if err != nil {
				return fmt.Errorf("%s: %w", keyFile, err)
			}
			for _, file := range files {
				if err := signFile(key, file, comment); err != nil {
					return fmt.Errorf("%s: %w", file, err)
				}
				if _, err := fmt.Fprintf(c.OutOrStdout(), "%s.sig: signed with the key %s\n", file, key.Public().ID()); err != nil {
					return err
				}
			}
			return nil
		},
	}
	c.Flags().StringVar(&keyFile, "key", keyFile, "`file` of the secret key")
	c.Flags().StringVar(&comment, "comment", "", "a `text` that is signed with the file, for people")
	return c
}

// addManifests adds the manifests beside modules, each file once.
func addManifests(args []string) (out []string, err error) {
	seen := map[string]bool{}
	add := func(name string) {
		if !seen[name] {
			seen[name] = true
			out = append(out, name)
		}
	}
	for _, name := range args {
		name = filepath.Clean(name)
		if strings.HasSuffix(name, ".sig") || strings.HasSuffix(name, ".minisig") {
			return nil, fmt.Errorf("%s is a signature; name the signed file instead", name)
		}
		add(name)
		if strings.HasSuffix(name, ".wasm") {
			if _, err := os.Stat(name + ".yaml"); err == nil {
				add(name + ".yaml")
			}
		}
	}
	return out, nil
}

func signFile(key plugins.SecretKey, file, comment string) error {
	body, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	sig, err := key.Sign(filepath.Base(file), body, comment, time.Now())
	if err != nil {
		return err
	}
	return plugins.ReplaceFile(file+".sig", sig)
}
