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
	"github.com/headgate-dev/headgate/plugins"
	"github.com/headgate-dev/headgate/sdk/stagetest/cases"
	"github.com/headgate-dev/headgate/wasm"
	"github.com/headgate-dev/headgate/wasm/abi/description"
	"github.com/headgate-dev/headgate/wasm/conform"
)

// conformFlags are the flags of plugin conform.
type conformFlags struct {
	settings, cases string
	texts           []string
	json, verbose   bool
}

func newConformCommand() *cobra.Command {
	var o conformFlags
	c := &cobra.Command{
		Use:   "conform FILE...",
		Short: "Check modules of any language against the ABI; exit with 1 if a rule is broken",
		Long: `Loads each module as the gateway would and holds it against docs/plugin-abi.md: exports, imports, manifest, and how it behaves on
empty, huge and broken texts, on texts that come in pieces, and after other texts. Settings and texts that the plugin has something to
say about come from X` + cases.Suffix + ` beside X.wasm if it is there.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			var reports []*conform.Report
			broken := false
			for _, file := range args {
				r, err := o.conform(c, file)
				if err != nil {
					return fmt.Errorf("%s: %w", file, err)
				}
				broken = broken || !r.Conforms()
				if reports = append(reports, r); o.json {
					continue
				}
				if err := r.Write(c.OutOrStdout(), o.verbose); err != nil {
					return err
				}
			}
			if o.json {
				if err := cli.PrintJSON(c.OutOrStdout(), reports); err != nil {
					return err
				}
			}
			if broken {
				return cli.ErrReported
			}
			return nil
		},
	}
	c.Flags().StringVar(&o.settings, "settings", "", "`file` with the settings, as JSON (default: those of the cases)")
	c.Flags().StringVar(&o.cases, "cases", "", "`folder` below which X"+cases.Suffix+" of X.wasm is looked for (default: the module's own)")
	c.Flags().StringArrayVar(&o.texts, "text", nil, "a `text` that the plugin has something to say about; may be repeated")
	c.Flags().BoolVar(&o.json, "json", false, "print the reports as JSON")
	c.Flags().BoolVarP(&o.verbose, "verbose", "v", false, "list rules that hold, too")
	return c
}

// conform holds one module against the rules.
func (o *conformFlags) conform(c *cobra.Command, file string) (*conform.Report, error) {
	body, err := os.ReadFile(file) // the file that the user names
	if err != nil {
		return nil, err
	}
	in := conform.Options{Source: body, File: filepath.Base(file), Texts: o.texts}
	if text, err := os.ReadFile(file + ".yaml"); err == nil { // the manifest beside it
		if in.Manifest, err = plugins.ReadManifest(text); err != nil {
			return nil, fmt.Errorf("%s.yaml: %w", file, err)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err := o.addCases(file, &in); err != nil {
		return nil, err
	}
	if o.settings != "" {
		if in.Config, err = os.ReadFile(o.settings); err != nil {
			return nil, err
		}
	}
	folder, err := node.FindPluginCache("")
	if err != nil {
		return nil, err
	}
	if folder != "" {
		exe, err := os.Executable()
		if err != nil {
			exe = "" // compile in this process
		}
		if in.Cache, err = wasm.OpenCache(folder, wasm.Child{Exe: exe, Args: []string{"plugin", "compile"}}); err != nil {
			return nil, err
		}
	}
	return conform.Run(c.Context(), in)
}

// addCases adds the settings and the texts of a module's cases, if there are any.
func (o *conformFlags) addCases(file string, in *conform.Options) error {
	name := strings.TrimSuffix(filepath.Base(file), ".wasm") + cases.Suffix
	below := o.cases
	if below == "" {
		below = filepath.Dir(file)
	}
	var found []string
	err := filepath.WalkDir(below, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != below && o.cases == "":
			return filepath.SkipDir
		case !d.IsDir() && d.Name() == name:
			found = append(found, path)
		}
		return nil
	})
	if err != nil || len(found) == 0 {
		return err
	}
	list, err := cases.Read(found[0], file)
	if err != nil {
		return err
	}
	for _, k := range list.Cases {
		if !k.Accepted() {
			continue
		}
		if in.Config == nil {
			s, err := wasm.ReadSettings(k.Link.Config)
			if err != nil {
				return err
			}
			if in.Config, err = s.Config(); err != nil {
				return err
			}
		}
		in.Texts = append(in.Texts, k.Texts()...)
	}
	return nil
}

// newABICommand prints the description from which SDKs are made.
func newABICommand() *cobra.Command {
	return &cobra.Command{
		Use: "abi", Short: "Print the ABI of plugins as JSON, for SDKs of other languages", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := c.OutOrStdout().Write(description.JSON)
			return err
		},
	}
}
