package mcptool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/cmd/headgate/cli"
	"github.com/headgate-dev/headgate/core/dialect/mcp"
)

// newCallCommand calls a tool through a running gateway, as any client does: the chain, the allow-lists and the budget
// of the key apply.
func newCallCommand() *cobra.Command {
	var address string
	c := &cobra.Command{
		Use: "call SERVER TOOL [ARGUMENTS]", Short: "Call a tool through a running gateway with the key in HEADGATE_KEY, and print the response",
		Args: cobra.RangeArgs(2, 3),
		RunE: func(c *cobra.Command, args []string) error {
			arguments := "{}"
			if len(args) == 3 {
				arguments = args[2]
			}
			var object map[string]json.RawMessage
			if err := json.Unmarshal([]byte(arguments), &object); err != nil || object == nil {
				return errors.New(`the arguments are not a JSON object; write '{"name": "value"}'`)
			}
			k, err := cli.NewRPC(c.Context(), address, "/mcp/"+url.PathEscape(args[0]), "tools:call")
			if err != nil {
				return err
			}
			response, err := callTool(k, args[1], arguments)
			if err != nil {
				return fmt.Errorf("call the tool: %w", err)
			}
			return cli.PrintResponse(c, response)
		},
	}
	c.Flags().StringVar(&address, "url", "http://127.0.0.1:8080", "`address` of the gateway")
	return c
}

// callTool calls a tool in the modern era, and in a session if the server speaks only earlier revisions. It asks for whole
// answers, which the gateway gives without events.
func callTool(k *cli.RPC, tool, arguments string) ([]byte, error) {
	name, err := json.Marshal(tool)
	if err != nil {
		return nil, err
	}
	params := `"name":` + string(name) + `,"arguments":` + arguments
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"` + mcp.ModernVersion +
		`","io.modelcontextprotocol/clientInfo":{"name":"headgate","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	response, _, err := k.Call(mcp.MethodCallTool, params+","+meta, map[string]string{
		mcp.HeaderVersion: mcp.ModernVersion, mcp.HeaderMethod: mcp.MethodCallTool, mcp.HeaderName: mcp.EncodeHeader(tool),
	})
	if err != nil || !bytes.Contains(response, []byte(mcp.CodeUnsupportedVersion)) {
		return response, err
	}
	opened, head, err := k.Call(mcp.MethodInitialize, `"protocolVersion":"`+mcp.LegacyVersion+
		`","capabilities":{},"clientInfo":{"name":"headgate","version":"1"}`, nil)
	var m struct {
		Result struct{ ProtocolVersion string }
	}
	if err != nil || json.Unmarshal(opened, &m) != nil || m.Result.ProtocolVersion == "" {
		return opened, err
	}
	session := map[string]string{mcp.HeaderVersion: m.Result.ProtocolVersion}
	if id := head.Get(mcp.HeaderSession); id != "" {
		session[mcp.HeaderSession] = id
	}
	if _, _, err := k.Send(http.MethodPost, "", `{"jsonrpc":"2.0","method":"`+mcp.NoticeInitialized+`"}`, session); err != nil {
		return nil, err
	}
	response, _, err = k.Call(mcp.MethodCallTool, params, session)
	return response, err
}
