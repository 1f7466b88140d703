package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
)

const (
	// promptTool is the name of the call of a tool, of 1 KB.
	promptTool = "tool"
	// toolPath is where the mock and the gateway have servers of tools.
	toolPath = "/mcp"
	// toolArgument is the length of the call's argument, in bytes.
	toolArgument = 860
)

// buildToolCall builds a call of a tool of the Model Context Protocol, which needs no session.
func buildToolCall(email string) ([]byte, error) {
	text := generateProse(fmt.Sprintf("Find the order of %s, ticket %s, handled by %s. ", email, seqMark, promptEmployee), toolArgument, rand.New(rand.NewPCG(7, 1)))
	return json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": map[string]any{
		"name": "find", "arguments": map[string]any{"query": text, "limit": 5},
	}})
}
