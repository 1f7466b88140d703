package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/cmd/headgate/cli"
	"github.com/headgate-dev/headgate/cmd/headgate/node"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// newConfigCommand exports and imports the records of the configuration as one document for version control.
func newConfigCommand(f *node.Options) *cobra.Command {
	c := &cobra.Command{Use: "config", Short: "Export and import the records of the configuration", Args: cobra.NoArgs}
	c.AddCommand(newConfigExportCommand(f), newConfigImportCommand(f, false), newConfigImportCommand(f, true))
	return c
}

func newConfigExportCommand(f *node.Options) *cobra.Command {
	return &cobra.Command{
		Use: "export", Short: "Print the records of the database as YAML, without keys and secrets", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return runOperation(c, f, func(ctx context.Context, s *admin.Service) error {
				doc, err := s.GitOps().Export(ctx, newOperator(nil))
				if err != nil {
					return err
				}
				return doc.WriteYAML(c.OutOrStdout())
			})
		},
	}
}

func newConfigImportCommand(f *node.Options, dry bool) *cobra.Command {
	var prune bool
	var asJSON *bool
	c := &cobra.Command{
		Use:   "import FILE",
		Short: "Apply a document to the records of the database; a running gateway applies the change within 2 s",
		Args:  cobra.ExactArgs(1),
	}
	if dry {
		c.Use, c.Short = "diff FILE", "Say what an import would change; the exit status is 1 when that is something"
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		text, err := readInput(args[0])
		if err != nil {
			return err
		}
		doc, err := admin.ReadConfig(text)
		if err != nil {
			return fmt.Errorf("%s: %w", args[0], err)
		}
		return runOperation(c, f, func(ctx context.Context, s *admin.Service) error {
			done, err := s.GitOps().Import(ctx, newOperator(nil), doc, prune, dry)
			if err != nil {
				return err
			}
			if err := printChanges(c.OutOrStdout(), &done, *asJSON); err != nil {
				return err
			}
			if dry && len(done.Changes) > 0 {
				return errors.New("the database differs")
			}
			return nil
		})
	}
	c.Flags().BoolVar(&prune, "prune", false, "delete records of the kinds that the document has and that it does not name")
	asJSON = cli.AddJSONFlag(c)
	return c
}

// printChanges prints the changes of an import, one a line or as JSON.
func printChanges(w io.Writer, done *admin.ConfigImported, asJSON bool) error {
	if asJSON {
		return cli.PrintJSON(w, done)
	}
	for _, x := range done.Changes {
		if _, err := fmt.Fprintln(w, strings.TrimSpace(x.Action+" "+x.Kind+" "+x.ID+" "+strings.Join(x.Fields, " "))); err != nil {
			return err
		}
	}
	return nil
}
