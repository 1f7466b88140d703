// Package mcptool holds the verbs of "headgate mcp": MCP servers, their pinned definitions, and calls.
package mcptool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/cmd/headgate/cli"
	"github.com/headgate-dev/headgate/cmd/headgate/node"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// verbs are the commands on one configuration, in the name of an operator.
type verbs struct {
	flags *node.Options
	who   *auth.Actor
}

// NewCommand returns "headgate mcp". who is the actor in whose name it decides.
func NewCommand(f *node.Options, who *auth.Actor) *cobra.Command {
	v := verbs{f, who}
	c := &cobra.Command{Use: "mcp", Short: "Show MCP servers, decide on definitions of tools, and call tools", Args: cobra.NoArgs}
	c.AddCommand(v.newListCommand(), v.newInspectCommand(), v.newPinCommand(), newCallCommand())
	return c
}

// runOnServers runs an operation on the servers.
func (v verbs) runOnServers(c *cobra.Command, do func(ctx context.Context, s admin.MCPServers) error) error {
	return v.flags.Administer(c.Context(), c.ErrOrStderr(), func(ctx context.Context, s *admin.Service) error {
		return do(ctx, s.MCPServers())
	})
}

var serverColumns = []cli.Column[admin.MCPServer]{
	{Head: "NAME", Text: func(s *admin.MCPServer) string { return s.Name }},
	{Head: "PIN", Text: func(s *admin.MCPServer) string { return s.Pin }},
	{Head: "TRUST", Text: func(s *admin.MCPServer) string { return s.Trust }},
	{Head: "TOOLS", Text: func(s *admin.MCPServer) string { return strconv.Itoa(s.Known) }},
	{Head: "WITHHELD", Text: func(s *admin.MCPServer) string { return strconv.Itoa(s.Withheld) }},
	{Head: "USD PER CALL", Text: func(s *admin.MCPServer) string { return s.PricePerCall.String() }},
}

func (v verbs) newListCommand() *cobra.Command {
	var asJSON *bool
	c := &cobra.Command{
		Use: "list", Short: "List the configured servers and how many of their tools are withheld", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return v.runOnServers(c, func(ctx context.Context, s admin.MCPServers) error {
				list, err := s.List(ctx, v.who, admin.Page{})
				if err != nil {
					return err
				}
				var all []admin.MCPServer
				for one, err := range list.All {
					if err != nil {
						return err
					}
					all = append(all, one)
				}
				return cli.PrintList(c.OutOrStdout(), *asJSON, all, serverColumns)
			})
		},
	}
	asJSON = cli.AddJSONFlag(c)
	return c
}

var toolColumns = []cli.Column[admin.MCPTool]{
	{Head: "TOOL", Text: func(t *admin.MCPTool) string { return t.Name }},
	{Head: "STATE", Text: func(t *admin.MCPTool) string { return t.State }},
	{Head: "TRUSTED", Text: func(t *admin.MCPTool) string { return shortenDigest(t.Digest) }},
	{Head: "OFFERED", Text: func(t *admin.MCPTool) string { return shortenDigest(t.OfferedDigest) }},
	{Head: "USD PER CALL", Text: func(t *admin.MCPTool) string { return t.Price.String() }},
}

// shortenDigest returns the first digits of a digest.
func shortenDigest(digest string) string {
	if digest == "" {
		return "-"
	}
	return digest[:min(12, len(digest))]
}

func (v verbs) newInspectCommand() *cobra.Command {
	var ask bool
	var asJSON *bool
	c := &cobra.Command{
		Use: "inspect SERVER [TOOL]", Short: "Show the tools of a server, or the definitions of one tool", Args: cobra.RangeArgs(1, 2),
		RunE: func(c *cobra.Command, args []string) error {
			return v.runOnServers(c, func(ctx context.Context, s admin.MCPServers) error {
				if ask {
					if _, err := s.FetchTools(ctx, v.who, args[0]); err != nil {
						return addCause(err)
					}
				}
				if len(args) == 2 {
					t, err := s.GetTool(ctx, v.who, args[0], args[1])
					if err != nil {
						return err
					}
					return cli.PrintJSON(c.OutOrStdout(), t)
				}
				d, err := s.Get(ctx, v.who, args[0])
				if err != nil {
					return err
				}
				return cli.PrintList(c.OutOrStdout(), *asJSON, d.List, toolColumns)
			})
		},
	}
	c.Flags().BoolVar(&ask, "ask", false, "ask the server for its tools first, and record what it offers")
	asJSON = cli.AddJSONFlag(c)
	return c
}

// addCause adds the cause to an error of the gateway's own API: the reader of a command may see it.
func addCause(err error) error {
	if cause := errors.Unwrap(err); cause != nil {
		return fmt.Errorf("the server did not answer with a list of tools: %w", cause)
	}
	return err
}

func (v verbs) newPinCommand() *cobra.Command {
	var approve, reject string
	c := &cobra.Command{
		Use: "pin SERVER TOOL", Short: "Show how the definition of a tool has changed, and approve or reject the change", Args: cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			return v.runOnServers(c, func(ctx context.Context, s admin.MCPServers) error {
				if approve == "" && reject == "" {
					t, err := s.GetTool(ctx, v.who, args[0], args[1])
					if err != nil {
						return err
					}
					return printDrift(c.OutOrStdout(), args[0], &t)
				}
				t, err := s.Decide(ctx, v.who, args[0], args[1], approve != "", admin.MCPDecision{Digest: approve + reject})
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(c.OutOrStdout(), "%s/%s %s %s\n", args[0], t.Name, t.State, t.Digest)
				return err
			})
		},
	}
	c.Flags().StringVar(&approve, "approve", "", "trust the offered definition that has this `digest`")
	c.Flags().StringVar(&reject, "reject", "", "reject the offered definition that has this `digest`")
	c.MarkFlagsMutuallyExclusive("approve", "reject")
	return c
}

// printDrift prints what there is to decide about.
func printDrift(w io.Writer, server string, t *admin.MCPTool) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s/%s is %s\n", server, t.Name, t.State)
	if t.OfferedDigest == "" {
		fmt.Fprintf(&b, "trusted %s\n", t.Digest)
	} else {
		fmt.Fprintf(&b, "differs in %s\n", quoteFields(t.Fields))
		if t.Digest != "" {
			fmt.Fprintf(&b, "\ntrusted %s\n%s\n", t.Digest, escapeUnprintable(string(t.Definition)))
		}
		fmt.Fprintf(&b, "\noffered %s\n%s\n\ndecide with --approve %[1]s or --reject %[1]s\n", t.OfferedDigest, escapeUnprintable(string(t.Offered)))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
