package plugintool

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/cmd/headgate/cli"
	"github.com/headgate-dev/headgate/sdk/project"
)

func newBuildCommand() *cobra.Command {
	var out string
	var verbose, skip bool
	c := &cobra.Command{
		Use:   "build [DIR...]",
		Short: "Build plugins with the toolchains of their languages and embed their manifests",
		RunE: func(c *cobra.Command, dirs []string) error {
			if len(dirs) == 0 {
				dirs = []string{"."}
			}
			var trace io.Writer
			if verbose {
				trace = c.ErrOrStderr()
			}
			failed := false
			for _, dir := range dirs {
				built, err := buildPlugin(c, dir, out, trace)
				var missing *project.MissingError
				switch {
				case skip && errors.As(err, &missing):
					_, err = fmt.Fprintf(c.ErrOrStderr(), "SKIPPED  %s: %v\n", dir, err)
				case err != nil:
					failed = true
					_, err = fmt.Fprintf(c.ErrOrStderr(), "FAILED   %s: %v\n", dir, err)
				default:
					_, err = fmt.Fprintf(
						c.OutOrStdout(),
						"%s  %s %s (%s), %d bytes, sha256 %s\n",
						built.File,
						built.Manifest.Name,
						built.Manifest.Version,
						built.Language,
						built.Size,
						built.Digest,
					)
				}
				if err != nil {
					return err
				}
			}
			if failed {
				return cli.ErrReported
			}
			return nil
		},
	}
	c.Flags().StringVarP(&out, "out", "o", "", "the `folder` that modules are written to (default: each plugin's own)")
	c.Flags().BoolVarP(&verbose, "verbose", "v", false, "show the commands that are run, and what compilers warn of")
	c.Flags().BoolVar(&skip, "skip-missing", false, "report plugins whose toolchain is not installed, and continue")
	return c
}

func buildPlugin(c *cobra.Command, dir, out string, trace io.Writer) (project.Built, error) {
	if out != "" {
		if err := os.MkdirAll(out, 0o755); err != nil { // modules are public
			return project.Built{}, err
		}
	}
	return project.Build(c.Context(), filepath.Clean(dir), out, trace)
}
