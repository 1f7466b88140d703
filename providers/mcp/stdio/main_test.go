package stdio

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestMain runs this program as the peer of the tests if its environment says so.
func TestMain(m *testing.M) {
	switch os.Getenv("PEER") {
	case "":
		os.Exit(m.Run())
	case "sdk":
		runSDK()
	case "script":
		runScript()
	}
	os.Exit(0)
}

// runSDK is a server of the official SDK with tools that echo, wait, end the process, and say what they see.
func runSDK() {
	s := sdk.NewServer(&sdk.Implementation{Name: "peer", Version: "1"}, nil)
	type input struct {
		Text string `json:"text,omitempty"`
	}
	add := func(name string, f func(ctx context.Context, r *sdk.CallToolRequest, in input) string) {
		sdk.AddTool(s, &sdk.Tool{Name: name, Description: "does " + name}, func(ctx context.Context, r *sdk.CallToolRequest, in input) (*sdk.CallToolResult, any, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: f(ctx, r, in)}}}, nil, nil
		})
	}
	add("echo", func(ctx context.Context, r *sdk.CallToolRequest, in input) string {
		if token := r.Params.GetProgressToken(); token != nil {
			_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: 1, Message: "half way"})
		}
		return "got " + in.Text
	})
	add("pid", func(context.Context, *sdk.CallToolRequest, input) string { return strconv.Itoa(os.Getpid()) })
	add("env", func(context.Context, *sdk.CallToolRequest, input) string { return strings.Join(os.Environ(), " ") })
	add("large", func(_ context.Context, _ *sdk.CallToolRequest, in input) string {
		n, _ := strconv.Atoi(in.Text)
		return strings.Repeat("x", n)
	})
	add("wait", func(ctx context.Context, _ *sdk.CallToolRequest, _ input) string {
		_, _ = fmt.Fprintln(os.Stderr, "waiting with "+os.Getenv("API_TOKEN"))
		<-ctx.Done()
		_, _ = fmt.Fprintln(os.Stderr, "the call was cancelled")
		return "cancelled"
	})
	add("exit", func(context.Context, *sdk.CallToolRequest, input) string {
		os.Exit(3)
		return ""
	})
	add("spawn", func(context.Context, *sdk.CallToolRequest, input) string {
		c := exec.Command("/bin/sleep", "600")
		if err := c.Start(); err != nil {
			return err.Error()
		}
		return strconv.Itoa(c.Process.Pid)
	})
	_ = s.Run(context.Background(), &sdk.StdioTransport{})
}

// runScript answers each line with what SCRIPT says; %s stands for the id of the request as it is spelled.
func runScript() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		id := findMember(lines.Bytes(), "id")
		if id == nil {
			continue
		}
		reply := os.Getenv("SCRIPT")
		switch {
		case strings.Contains(lines.Text(), `"server/discover"`):
			if os.Getenv("DIES") != "" {
				os.Exit(1)
			}
			reply = `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"what?"}}`
		case strings.Contains(lines.Text(), `"initialize"`):
			reply = `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`
		}
		if reply == "deaf" {
			_, _ = io.Copy(io.Discard, os.Stdin)
			return
		}
		_, _ = fmt.Println(strings.ReplaceAll(reply, "%s", string(id)))
	}
}
