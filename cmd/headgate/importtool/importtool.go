// Package importtool holds the verbs of "headgate import": they turn the configuration of another gateway into one of Headgate's, and say
// for each field of the source what became of it. A field is a leaf of the file's tree. Tables of rules consume leaves; a leaf that nothing
// has consumed is reported as unsupported, so nothing is dropped silently.
package importtool

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/cmd/headgate/cli"
)

// report is the output of --json.
type report struct {
	Config    string          `json:"config"` // the text of the configuration file
	Variables []string        `json:"variables"`
	Counts    map[Outcome]int `json:"counts"`
	Findings  []Finding       `json:"findings"`
}

// NewCommand returns "headgate import".
func NewCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "import", Short: "Turn the configuration of another gateway into one of this gateway", Args: cobra.NoArgs,
		Long: "Turn the configuration of another gateway into one of this gateway.\n\nFor each field of the source there is " +
			"one finding: mapped, changed or unsupported, " +
			"with what it became and why.\nSecrets stay references. With --out, secrets that the source holds in plain text go " +
			"to FILE.env, which only you can read; they are printed nowhere.",
	}
	c.AddCommand(
		newSourceCommand("litellm", "the configuration of LiteLLM's proxy (config.yaml)"),
		newSourceCommand("bifrost", "the configuration of Bifrost (config.json)"),
		newSourceCommand("portkey", "a config object of Portkey's gateway (JSON)"),
	)
	return c
}

func newSourceCommand(source, what string) *cobra.Command {
	var dry bool
	var out string
	var asJSON *bool
	c := &cobra.Command{
		Use: source + " FILE", Short: "Import " + what, Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			r, err := convertFile(source, args[0])
			if err != nil {
				_, _ = fmt.Fprintln(c.ErrOrStderr(), "headgate:", err) // a closed terminal cannot be reported
				return cli.StatusError(2)
			}
			if out != "" && !dry {
				if err := r.write(out, source); err != nil {
					return err
				}
			}
			return r.print(c.OutOrStdout(), c.ErrOrStderr(), source, out, dry, *asJSON)
		},
	}
	c.Flags().BoolVar(&dry, "dry-run", false, "write no file, and print the findings only")
	c.Flags().StringVar(&out, "out", "", "write the configuration to this `file`, and its variables to one beside it that ends with .env")
	asJSON = cli.AddJSONFlag(c)
	return c
}

// convertFile reads and converts a file. Its errors name the file as the caller did.
func convertFile(source, path string) (*result, error) {
	data, err := readSource(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	r, err := convertSource(source, data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// print writes the configuration to out unless it went to a file, and the findings to errOut; a dry run writes these to out.
func (r *result) print(out, errOut io.Writer, source, path string, dry, asJSON bool) error {
	text, err := r.formatFile(source)
	if err != nil {
		return err
	}
	literal := 0
	all := report{Config: string(text), Variables: []string{}, Counts: countOutcomes(r.findings), Findings: r.findings}
	for _, v := range r.vars.listByName() {
		all.Variables = append(all.Variables, v.name)
		literal += convertToInt(v.set)
	}
	if asJSON {
		return cli.PrintJSON(out, all)
	}
	findings := errOut
	switch {
	case dry:
		findings = out
	case path == "":
		if _, err := out.Write(text); err != nil {
			return err
		}
	}
	if err := printFindings(findings, r.findings); err != nil {
		return err
	}
	if len(all.Variables) == 0 {
		return nil
	}
	where := "set them in the environment of the gateway; --out writes a file for them"
	if path != "" && !dry {
		where = "they are in " + buildEnvironmentPath(path)
	}
	_, err = fmt.Fprintf(findings, "variables: %d, of which the source holds %d as plain text; %s\n", len(all.Variables), literal, where)
	return err
}
