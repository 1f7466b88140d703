// Package a2atool holds the verbs of "headgate a2a": agents that clients reach over the A2A protocol.
package a2atool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/cmd/headgate/cli"
	"github.com/headgate-dev/headgate/cmd/headgate/node"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/dialect/a2a"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// verbs are the commands on one configuration, in the name of an operator.
type verbs struct {
	flags *node.Options
	who   *auth.Actor
}

// NewCommand returns "headgate a2a". who is the actor in whose name it reads.
func NewCommand(f *node.Options, who *auth.Actor) *cobra.Command {
	v := verbs{f, who}
	c := &cobra.Command{Use: "a2a", Short: "Show agents and their cards, and send them messages", Args: cobra.NoArgs}
	c.AddCommand(v.newListCommand(), v.newInspectCommand(), newCallCommand())
	return c
}

// runOnAgents runs an operation on the agents.
func (v verbs) runOnAgents(c *cobra.Command, do func(ctx context.Context, s admin.Agents) error) error {
	return v.flags.Administer(c.Context(), c.ErrOrStderr(), func(ctx context.Context, s *admin.Service) error { return do(ctx, s.Agents()) })
}

var columns = []cli.Column[admin.AgentSettings]{
	{Head: "NAME", Text: func(a *admin.AgentSettings) string { return a.Name }},
	{Head: "SOURCE", Text: func(a *admin.AgentSettings) string { return a.Source }},
	{Head: "STATE", Text: func(a *admin.AgentSettings) string {
		if !a.Enabled {
			return "disabled"
		}
		return "enabled"
	}},
	{Head: "TRUST", Text: func(a *admin.AgentSettings) string { return a.Trust }},
	{Head: "USD PER MESSAGE", Text: func(a *admin.AgentSettings) string { return a.PricePerCall.String() }},
	{Head: "URL", Text: func(a *admin.AgentSettings) string { return a.URL }},
}

func (v verbs) newListCommand() *cobra.Command {
	var asJSON *bool
	c := &cobra.Command{
		Use: "list", Short: "List the agents of the configuration file and the records", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return v.runOnAgents(c, func(ctx context.Context, s admin.Agents) error {
				list, err := s.List(ctx, v.who, admin.Page{})
				if err != nil {
					return err
				}
				var all []admin.AgentSettings // a command knows no health
				for one, err := range list.All {
					if err != nil {
						return err
					}
					all = append(all, one.AgentSettings)
				}
				return cli.PrintList(c.OutOrStdout(), *asJSON, all, columns)
			})
		},
	}
	asJSON = cli.AddJSONFlag(c)
	return c
}

func (v verbs) newInspectCommand() *cobra.Command {
	return &cobra.Command{
		Use: "inspect AGENT", Short: "Ask an agent for its card, and print it as the agent publishes it", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return v.runOnAgents(c, func(ctx context.Context, s admin.Agents) error {
				got, err := s.FetchCard(ctx, v.who, args[0])
				if cause := errors.Unwrap(err); cause != nil {
					return fmt.Errorf("the agent did not answer with a card: %w", cause)
				}
				if err != nil {
					return err
				}
				return cli.PrintJSON(c.OutOrStdout(), got.Card)
			})
		},
	}
}

// newCallCommand sends a message through a running gateway, as any client does: the chain, the access list and the
// budget of the key apply.
func newCallCommand() *cobra.Command {
	var address, version string
	c := &cobra.Command{
		Use: "call AGENT TEXT", Short: "Send a text to an agent through a running gateway with the key in HEADGATE_KEY, and print the response",
		Args: cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			k, err := cli.NewRPC(c.Context(), address, "/a2a/"+url.PathEscape(args[0]), "agents:call")
			if err != nil {
				return err
			}
			if version == "" {
				if version, err = readVersion(k); err != nil {
					return fmt.Errorf("read the card of the agent: %w", err)
				}
			}
			text, err := json.Marshal(args[1])
			if err != nil {
				return err
			}
			var response []byte
			id := node.NewID()
			switch version {
			case a2a.Version10:
				response, _, err = k.Call("SendMessage", `"message":{"role":"ROLE_USER","messageId":"`+id+`","parts":[{"text":`+string(text)+`}]}`,
					map[string]string{a2a.HeaderVersion: version})
			case a2a.Version03:
				response, _, err = k.Call("message/send", `"message":{"kind":"message","role":"user","messageId":"`+id+
					`","parts":[{"kind":"text","text":`+string(text)+`}]}`, nil)
			default:
				return errors.New("--version: write 0.3 or 1.0")
			}
			if err != nil {
				return fmt.Errorf("send the message: %w", err)
			}
			return cli.PrintResponse(c, response)
		},
	}
	c.Flags().StringVar(&address, "url", "http://127.0.0.1:8080", "`address` of the gateway")
	c.Flags().StringVar(&version, "version", "", "`version` of the protocol: 0.3 or 1.0; by default the version that the agent's card names")
	return c
}

// readVersion returns the version that an agent speaks, as its card says.
func readVersion(k *cli.RPC) (string, error) {
	text, _, err := k.Send(http.MethodGet, a2a.CardPath, "", nil)
	if err != nil {
		return "", err
	}
	var card struct {
		SupportedInterfaces []struct{ ProtocolVersion string }
		Name                *string
	}
	if json.Unmarshal(text, &card) != nil || card.Name == nil {
		return "", errors.New("the gateway sent none: is the name of the agent right, and may the key use it? Or write --version")
	}
	for _, i := range card.SupportedInterfaces {
		if i.ProtocolVersion == a2a.Version10 {
			return a2a.Version10, nil
		}
	}
	return a2a.Version03, nil
}
