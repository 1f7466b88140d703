package plugintool

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/cmd/headgate/node"
	"github.com/headgate-dev/headgate/plugins"
)

// newDecideCommand returns the commands promote and reject. They write a file into the plugins folder, which the gateway
// watches. So they need neither a port nor a key, and users who may add plugins may decide about them.
func newDecideCommand(f *node.Options, promote bool) *cobra.Command {
	var where folderFlag
	var digest string
	word, short := "reject FILE", "Refuse the version of a module that lies in the plugins folder"
	if promote {
		word, short = "promote FILE", "Let the version of a module that lies in the plugins folder serve, whatever its trial says"
	}
	c := &cobra.Command{
		Use: word, Short: short, Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			dir, err := where.findFolder(f)
			if err != nil {
				return err
			}
			file := filepath.Base(args[0])
			if !strings.HasSuffix(file, ".wasm") {
				return fmt.Errorf("%s is not a .wasm file", file)
			}
			s, err := plugins.InspectModule(dir, file, nil)
			if err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			if digest != "" && !strings.EqualFold(digest, s.Digest) {
				return errors.New("the file has another digest, " + s.Digest + ": it was changed since you looked")
			}
			if err := node.RecordDecision(dir, file, s.Digest, promote); err != nil {
				return err
			}
			verb, _, _ := strings.Cut(word, " ")
			_, err = fmt.Fprintf(c.OutOrStdout(), "%s: noted to %s %s; a running gateway takes it up within seconds\n", file, verb, s.Digest)
			return err
		},
	}
	where.add(c)
	c.Flags().StringVar(&digest, "digest", "", "the sha256 that /status showed, to be sure that the file is still that one")
	return c
}
