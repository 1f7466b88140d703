package plugintool

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/cmd/headgate/cli"
	"github.com/headgate-dev/headgate/cmd/headgate/node"
	"github.com/headgate-dev/headgate/sdk/stagetest/cases"
)

// tryFlags are the flags of plugin test.
type tryFlags struct {
	module, run, junit    string
	update, covered, json bool
	verbose, watch        bool
	fuzz                  time.Duration
	seed                  uint64
	fuel                  int64
}

func newTestCommand(f *node.Options) *cobra.Command {
	var o tryFlags
	c := &cobra.Command{
		Use:   "test [FILE|FOLDER|MODULE]…",
		Short: "Run test cases on a plugin or any stage; exit with 1 if one fails",
		Long: `Runs the cases of files that end in ` + cases.Suffix + `: all below a folder, this one when none is named. X.wasm means
X` + cases.Suffix + ` beside it. Answers are tried whole and as streams, cut at every place. docs/plugin-testing.md tells the format.`,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{"."}
			}
			if o.watch {
				return o.watchCases(c, f, args)
			}
			return o.runTests(c, f, args)
		},
	}
	c.Flags().StringVar(&o.module, "module", "", "`file` of a module that replaces the one in the cases")
	c.Flags().StringVar(&o.run, "run", "", "run only cases whose names match this `regex`")
	c.Flags().BoolVar(&o.update, "update", false, "write golden files instead of comparing with them")
	c.Flags().BoolVar(&o.covered, "require-coverage", false, "fail if a label of the manifest is expected by no case")
	c.Flags().StringVar(&o.junit, "junit", "", "write the results to a `file` as JUnit XML")
	c.Flags().BoolVar(&o.json, "json", false, "print the results as JSON")
	c.Flags().BoolVar(&o.watch, "watch", false, "run again whenever a case, a module or a golden file changes, and build a plugin whose source changes")
	c.Flags().DurationVar(&o.fuzz, "fuzz", 0, "after the cases, try variations of their texts for a `time` such as 30s")
	c.Flags().Uint64Var(&o.seed, "seed", 1, "`number` that chooses the texts of --fuzz")
	c.Flags().Int64Var(&o.fuel, "max-fuel", 0, "fail a case that takes more than this `fuel`; 0: any")
	c.Flags().BoolVarP(&o.verbose, "verbose", "v", false, "list passed cases, too")
	return c
}

func (o *tryFlags) runTests(c *cobra.Command, f *node.Options, args []string) (err error) {
	r := cases.Runner{Update: o.update}
	if o.module != "" {
		if r.Module, err = filepath.Abs(o.module); err != nil {
			return err
		}
	}
	if o.run != "" {
		if r.Only, err = regexp.Compile(o.run); err != nil {
			return fmt.Errorf("--run: %w", err)
		}
	}
	files, err := cases.Find(args)
	if err != nil {
		return err
	}
	t, err := node.NewTrial(f, c.ErrOrStderr())
	if err != nil {
		return err
	}
	r.Make = t.BuildLink
	report, err := r.Run(c.Context(), files)
	if err != nil {
		return err
	}
	if o.fuel > 0 {
		report.LimitFuel(o.fuel)
	}
	if o.junit != "" {
		if err := writeFile(o.junit, report.WriteJUnit); err != nil {
			return err
		}
	}
	if o.json {
		err = report.WriteJSON(c.OutOrStdout())
	} else {
		err = report.Write(c.OutOrStdout(), o.verbose)
	}
	switch {
	case err != nil:
		return err
	case report.Failed() > 0:
		return cli.ErrReported
	case o.covered && len(report.Uncovered) > 0:
		return fmt.Errorf("--require-coverage: no case expects %q", report.Uncovered)
	}
	return o.fuzzCases(c, &r, files)
}

// fuzzCases tries changed texts if that is asked for.
func (o *tryFlags) fuzzCases(c *cobra.Command, r *cases.Runner, files []string) error {
	if o.fuzz <= 0 {
		return nil
	}
	found, err := r.Fuzz(c.Context(), files, o.fuzz, o.seed)
	if err != nil {
		return err
	}
	to := c.OutOrStdout()
	if o.json {
		to = c.ErrOrStderr() // the results stand alone on standard output
	}
	if err := found.Write(to); err != nil {
		return err
	}
	if len(found.Found) > 0 {
		return cli.ErrReported
	}
	return nil
}

// writeFile writes a file.
func writeFile(path string, write func(io.Writer) error) error {
	w, err := os.Create(path) // the file that the user names
	if err != nil {
		return err
	}
	return errors.Join(write(w), w.Close())
}
