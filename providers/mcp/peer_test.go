package mcp

import (
	"context"
	"net/http"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/mcp"
)

// startPeer starts a server of the official Go SDK with a tool that reports progress, a prompt and a resource.
func startPeer(t *testing.T, o sdk.StreamableHTTPOptions) *Server {
	t.Helper()
	server := sdk.NewServer(&sdk.Implementation{Name: "peer", Version: "1"}, &sdk.ServerOptions{Instructions: "greet people"})
	type input struct {
		Name string `json:"name" jsonschema:"whom to greet"`
	}
	sdk.AddTool(server, &sdk.Tool{Name: "greet", Description: "says hello"},
		func(ctx context.Context, r *sdk.CallToolRequest, in input) (*sdk.CallToolResult, any, error) {
			if token := r.Params.GetProgressToken(); token != nil {
				_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: 1, Message: "half way"})
			}
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "Hello, " + in.Name}}}, nil, nil
		})
	server.AddPrompt(&sdk.Prompt{Name: "review"}, func(context.Context, *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: "review this"}}}}, nil
	})
	server.AddResource(&sdk.Resource{Name: "note", URI: "file:///note"}, func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: "file:///note", MIMEType: "text/plain", Blob: []byte("a note")}}}, nil
	})
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &o)
	return serve(t, Settings{}, handler.ServeHTTP)
}

// conversation are requests, and a text that the answer to each must show the guards.
var conversation = []struct{ method, target, params, text string }{
	{mcp.MethodListTools, "", `{%`, "says hello"},
	{mcp.MethodCallTool, "greet", `{"name":"greet","arguments":{"name":"Jo"}%`, "Hello, Jo"},
	{mcp.MethodListPrompts, "", `{%`, ""},
	{mcp.MethodGetPrompt, "review", `{"name":"review"%`, "review this"},
	{mcp.MethodListResources, "", `{%`, ""},
	{mcp.MethodReadResource, "file:///note", `{"uri":"file:///note"%`, "a note"},
}

func TestAPeerOfTheModernEraIsUnderstood(t *testing.T) {
	for name, o := range map[string]sdk.StreamableHTTPOptions{"events": {Stateless: true}, "JSON": {Stateless: true, JSONResponse: true}} {
		t.Run(name, func(t *testing.T) {
			v := startPeer(t, o)
			era, err := v.Probe(t.Context())
			require.NoError(t, err)
			require.Equal(t, mcp.Modern|mcp.Legacy, era)
			for _, c := range conversation {
				header := http.Header{mcp.HeaderVersion: {mcp.ModernVersion}, mcp.HeaderMethod: {c.method}, mcp.HeaderName: {c.target}}
				if c.target == "" {
					header.Del(mcp.HeaderName)
				}
				converse(t, v, c.method, c.params, `"_meta":{"progressToken":"p-1","io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
					`"io.modelcontextprotocol/clientCapabilities":{}}`, header, "", c.text)
			}
		})
	}
}

func TestAPeerOfTheLegacyEraIsUnderstood(t *testing.T) {
	v := startPeer(t, sdk.StreamableHTTPOptions{})
	era, err := v.Probe(t.Context())
	require.NoError(t, err)
	require.Equal(t, mcp.Legacy, era)
	s, err := v.Open(t.Context())
	require.NoError(t, err)
	require.NotEmpty(t, s.ID)
	for _, c := range conversation {
		converse(t, v, c.method, c.params, `"_meta":{"progressToken":"p-1"}`, http.Header{mcp.HeaderVersion: {s.Version}}, s.ID, c.text)
	}
	require.NoError(t, v.End(t.Context(), s.ID, s.Version))
	m := message(t, ping)
	m.Session = s.ID
	_, _, err = readAnswer(t.Context(), v, m)
	var gone *StatusError
	require.ErrorAs(t, err, &gone)
	assert.Equal(t, http.StatusNotFound, gone.Status, "the session has ended")
}

// converse sends a request and checks that its answer is a response with a text.
func converse(t *testing.T, v *Server, method, params, meta string, header http.Header, session, text string) {
	t.Helper()
	if params == "{%" {
		params = "{" + meta + "}"
	} else {
		params = params[:len(params)-1] + "," + meta + "}"
	}
	x, c := &core.Exchange{}, &mcp.Call{}
	x.Request.Raw = []byte(`{"jsonrpc":"2.0","id":"c-1","method":"` + method + `","params":` + params + `}`)
	x.Request.Header = header
	if e := c.Scan(x); e != nil {
		t.Fatalf("%s: %v", method, e)
	}
	got, a, err := readAnswer(t.Context(), v, &Message{Call: c, Body: x.Request.Raw, Session: session})
	require.NoError(t, err, method)
	x.Response.Status, x.Response.Raw = a.Status, []byte(got[len(got)-1])
	require.NoError(t, c.ScanResponse(x), "%s: %s", method, x.Response.Raw)
	require.False(t, c.Answer.Failed, "%s: %s", method, x.Response.Raw)
	shown := text == ""
	for i := range x.Response.Segments {
		shown = shown || x.Response.ReadText(i) == text
	}
	assert.True(t, shown, "%s: %s", method, x.Response.Raw)
	for _, early := range got[:len(got)-1] {
		var ev core.Event
		ev.Reset([]byte("data: " + early + "\n\n"))
		require.NoError(t, c.ScanEvent(x, &ev), early)
		assert.Contains(t, early, "half way")
	}
	if method == mcp.MethodCallTool && a.Streamed {
		assert.Len(t, got, 2, "progress comes before the result")
	}
}
