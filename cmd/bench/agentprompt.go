package main

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
)

// sourceFiles holds text of Go's standard library (BSD licence, beside it), as in the tool results of a coding agent.
// It is a copy so that a prompt has the same bytes whichever Go version builds the harness.
//
//go:embed source
var sourceFiles embed.FS

// agentSizes are the sizes in bytes of the requests of coding agents.
var agentSizes = map[string]int{"agent_75k": 75 << 10, "agent_150k": 150 << 10, "agent_300k": 300 << 10, "agent_600k": 600 << 10}

const (
	agentTurns = 60      // calls of a tool and their results
	agentTools = 40      // tools that are defined
	agentNew   = 2 << 10 // bytes of the last tool result, which is new in every request
	agentModel = "claude-sonnet-4-5"
)

// agentBody is a request of the Messages API. The fields are in the order in which the vendor's SDK sends them.
type agentBody struct {
	Model     string         `json:"model"`
	MaxTokens int            `json:"max_tokens"`
	Stream    bool           `json:"stream"`
	System    string         `json:"system"`
	Tools     []agentTool    `json:"tools"`
	Messages  []agentMessage `json:"messages"`
}

type agentTool struct {
	Name        string      `json:"name"`
	Description string      `json:"description"`
	Schema      agentSchema `json:"input_schema"`
}

type agentSchema struct {
	Type       string                 `json:"type"`
	Properties map[string]agentSchema `json:"properties,omitempty"`
	Says       string                 `json:"description,omitempty"`
	Required   []string               `json:"required,omitempty"`
}

type agentMessage struct {
	Role    string       `json:"role"`
	Content []agentBlock `json:"content"`
}

type agentBlock struct {
	Type    string            `json:"type"`
	Text    string            `json:"text,omitempty"`
	ID      string            `json:"id,omitempty"`
	Name    string            `json:"name,omitempty"`
	Input   map[string]string `json:"input,omitempty"`
	Result  string            `json:"tool_use_id,omitempty"`
	Content string            `json:"content,omitempty"`
}

// buildAgentPrompt builds the request of a coding agent after its sixtieth tool call: the same bytes for the same arguments.
// The only mark is in the last tool result, so that the rest is a history that was sent before.
func buildAgentPrompt(size int, stream bool, email string) ([]byte, error) {
	code, err := readAgentSource()
	if err != nil {
		return nil, err
	}
	r := rand.New(rand.NewPCG(11, 60)) // the bytes have to be the same every time
	p := agentBody{Model: agentModel, MaxTokens: 4096, Stream: stream, System: "You are a coding agent. " + generatePlainWords(350, r)}
	for i := range agentTools {
		p.Tools = append(p.Tools, newAgentTool(i, r))
	}
	const says = "Ticket of %s, card %s, handled by %s: the server drops requests under load. Find out why and mend it."
	task := fmt.Sprintf(says, email, promptCard, promptEmployee)
	p.Messages = append(p.Messages, agentMessage{"user", []agentBlock{{Type: "text", Text: task}}})
	empty, err := p.encode()
	if err != nil {
		return nil, err
	}
	for length := (size - len(empty) - agentNew) / agentTurns; ; length -= length / 50 {
		b, err := p.encodeWithHistory(code, length)
		if err != nil || len(b) <= size {
			return b, err
		}
	}
}

// encodeWithHistory adds the tool calls, with results of that length before the last, and encodes the request.
func (p *agentBody) encodeWithHistory(code string, length int) ([]byte, error) {
	q := *p
	q.Messages = append([]agentMessage(nil), p.Messages...)
	if (agentTurns-1)*length > len(code)-agentNew {
		return nil, fmt.Errorf("the source is too short for results of %d bytes", length)
	}
	for i := range agentTurns {
		id := fmt.Sprintf("toolu_01A%021d", i)
		result := ""
		if i < agentTurns-1 {
			result = strings.ToValidUTF8(code[i*length:(i+1)*length], "")
		} else {
			result = "// " + seqMark + "\n" + strings.ToValidUTF8(code[len(code)-agentNew:], "")
		}
		q.Messages = append(q.Messages,
			agentMessage{"assistant", []agentBlock{
				{Type: "text", Text: fmt.Sprintf("I will read part %d of the file and look for where the connection is closed.", i)},
				{
					Type: "tool_use", ID: id, Name: fmt.Sprintf("read_file_%d", i%agentTools),
					Input: map[string]string{"path": fmt.Sprintf("src/net/http/part%d.go", i)},
				},
			}},
			agentMessage{"user", []agentBlock{{Type: "tool_result", Result: id, Content: result}}})
	}
	return q.encode()
}

// encode writes the request as JavaScript's JSON.stringify does, which leaves < and > as they are.
func (p *agentBody) encode() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(p); err != nil {
		return nil, fmt.Errorf("encode the prompt: %w", err)
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

func newAgentTool(i int, r *rand.Rand) agentTool {
	t := agentTool{
		Name: fmt.Sprintf("read_file_%d", i), Description: "Reads a file. " + generatePlainWords(40, r),
		Schema: agentSchema{Type: "object", Required: []string{"path"}},
	}
	t.Schema.Properties = map[string]agentSchema{
		"path":  {Type: "string", Says: "Path of the file: " + generatePlainWords(10, r)},
		"from":  {Type: "integer", Says: "First line to read: " + generatePlainWords(8, r)},
		"lines": {Type: "integer", Says: "How many lines: " + generatePlainWords(8, r)},
	}
	return t
}

// generatePlainWords writes n words without personal data.
func generatePlainWords(n int, r *rand.Rand) string {
	out := make([]string, n)
	for i := range out {
		out[i] = promptWords[r.IntN(len(promptWords))]
	}
	return strings.Join(out, " ")
}

// readAgentSource returns the text from which tool results are cut.
func readAgentSource() (string, error) {
	f, err := sourceFiles.Open("source/go.txt.gz")
	if err != nil {
		return "", fmt.Errorf("open the source: %w", err)
	}
	defer func() { _ = f.Close() }() // only read
	z, err := gzip.NewReader(f)
	if err != nil {
		return "", fmt.Errorf("unpack the source: %w", err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		return "", fmt.Errorf("unpack the source: %w", err)
	}
	return string(b), nil
}
