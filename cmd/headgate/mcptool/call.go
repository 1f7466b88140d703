package mcptool

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/cmd/headgate/cli"
	"github.com/headgate-dev/headgate/core/dialect/mcp"
)

const (
	callTime  = 5 * time.Minute
	maxAnswer = 64 << 20
)

// callCommand calls a tool through a running gateway, as any client does: the chain, the allow-lists and the budget of the key
// apply.
func callCommand() *cobra.Command {
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
			k := caller{
				ctx: c.Context(), client: &http.Client{Timeout: callTime},
				url: strings.TrimRight(address, "/") + "/mcp/" + url.PathEscape(args[0]),
				key: cmp.Or(os.Getenv("HEADGATE_KEY"), os.Getenv("HEADGATE_DEV_KEY")),
			}
			if k.key == "" {
				return errors.New("set HEADGATE_KEY to a gateway key that has the scope tools:call")
			}
			response, err := k.call(args[1], arguments)
			if err != nil {
				return fmt.Errorf("call the tool: %w", err)
			}
			return printResponse(c, response)
		},
	}
	c.Flags().StringVar(&address, "url", "http://127.0.0.1:8080", "`address` of the gateway")
	return c
}

// caller is a client of the gateway. It asks for whole answers, which the gateway gives without events.
type caller struct {
	ctx      context.Context
	client   *http.Client
	url, key string
}

// call calls a tool in the modern era, and in a session if the server speaks only earlier revisions.
func (k *caller) call(tool, arguments string) ([]byte, error) {
	name, err := json.Marshal(tool)
	if err != nil {
		return nil, err
	}
	params := `"name":` + string(name) + `,"arguments":` + arguments
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"` + mcp.ModernVersion +
		`","io.modelcontextprotocol/clientInfo":{"name":"headgate","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	response, _, err := k.post(mcp.MethodCallTool, params+","+meta, map[string]string{
		mcp.HeaderVersion: mcp.ModernVersion, mcp.HeaderMethod: mcp.MethodCallTool, mcp.HeaderName: mcp.EncodeHeader(tool),
	})
	if err != nil || !bytes.Contains(response, []byte(mcp.CodeUnsupportedVersion)) {
		return response, err
	}
	opened, head, err := k.post(mcp.MethodInitialize, `"protocolVersion":"`+mcp.LegacyVersion+
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
	if _, err := k.send(`{"jsonrpc":"2.0","method":"`+mcp.NoticeInitialized+`"}`, session); err != nil {
		return nil, err
	}
	response, _, err = k.post(mcp.MethodCallTool, params, session)
	return response, err
}

// post sends a request and returns the response.
func (k *caller) post(method, params string, header map[string]string) ([]byte, http.Header, error) {
	res, err := k.send(`{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{`+params+`}}`, header)
	if err != nil {
		return nil, nil, err
	}
	return res.body, res.header, nil
}

type answer struct {
	body   []byte
	header http.Header
}

func (k *caller) send(body string, header map[string]string) (answer, error) {
	r, err := http.NewRequestWithContext(k.ctx, http.MethodPost, k.url, strings.NewReader(body))
	if err != nil {
		return answer{}, fmt.Errorf("--url: %w", err)
	}
	r.Header.Set("Authorization", "Bearer "+k.key)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	for name, value := range header {
		r.Header.Set(name, value)
	}
	res, err := k.client.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = res.Body.Close() }() // the body was only read
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	return answer{text, res.Header}, err
}

// printResponse prints a response, and fails for an error.
func printResponse(c *cobra.Command, response []byte) error {
	var out bytes.Buffer
	if err := json.Indent(&out, response, "", "  "); err != nil {
		return errors.New("the answer is not that of a gateway")
	}
	out.WriteByte('\n')
	if _, err := c.OutOrStdout().Write(out.Bytes()); err != nil {
		return err
	}
	var m struct {
		Error  json.RawMessage `json:"error"`
		Result struct {
			IsError bool `json:"isError"`
		} `json:"result"`
	}
	if err := json.Unmarshal(response, &m); err != nil {
		return err
	}
	if m.Error != nil || m.Result.IsError {
		return cli.ErrReported
	}
	return nil
}
