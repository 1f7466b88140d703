package proxy_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// shapeOf is a shape as clients speak it.
type shapeOf struct {
	name, path string
	requests   string // the file with its requests
	wire       string // its native wire; "": none
	dialect    string // the format of its answers
	calls      bool   // it supports tools
	system     bool   // it supports instructions
	inPath     bool   // the path carries the model and whether to stream
	variant    bool   // the effort is part of the model's name
	read       func(t *testing.T, body string, m manner) told
	problem    func(t *testing.T, body string, status int) problem
}

var shapesOf = []*shapeOf{
	{
		name: "chat", path: "/v1/chat/completions", requests: "chat", wire: "openai.chat", dialect: "chat",
		calls: true, system: true, read: chatTold(false), problem: openAIProblem,
	},
	{
		name:     "completions",
		path:     "/v1/completions",
		requests: "completions",
		dialect:  "completions",
		read:     chatTold(true),
		problem:  openAIProblem,
	},
	{
		name: "messages", path: "/v1/messages", requests: "messages", wire: "anthropic.messages", dialect: "messages",
		calls: true, system: true, read: messagesTold, problem: messagesProblem,
	},
	{
		name: "responses", path: "/v1/responses", requests: "responses", wire: "openai.responses", dialect: "responses",
		calls: true, system: true, read: responsesTold, problem: openAIProblem,
	},
	{
		name:     "generateContent",
		path:     "/v1/gen/v1beta/models/MODEL:generateContent",
		requests: "generate",
		wire:     "gemini.generate",
		dialect:  "generate",
		calls:    true,
		system:   true,
		inPath:   true,
		read:     generateTold,
		problem:  generateProblem,
	},
	{
		name: "ide-chat", path: "/v1/ide/chat/completions", requests: "chat", wire: "openai.chat", dialect: "chat",
		calls: true, system: true, variant: true, read: chatTold(false), problem: openAIProblem,
	},
	{
		name: "ide-responses", path: "/v1/ide/chat/completions", requests: "responses", dialect: "chat",
		calls: true, system: true, variant: true, read: chatTold(false), problem: openAIProblem,
	},
}

// asks reports whether the shape can express a feature, or refuse it in its own form.
func (s *shapeOf) asks(t *testing.T, feature string) bool {
	return feature != "custom" && feature != "seen" || partsOf(t, "requests/"+s.requests)[feature] != ""
}

// request returns the body that requests a feature. The request is plain if only the answer matters.
func (s *shapeOf) request(t *testing.T, feature string) string {
	parts := partsOf(t, "requests/"+s.requests)
	switch feature {
	case "refusal", "error", "early":
		feature = "plain"
	case "reasoning":
		if s.variant {
			feature = "plain"
		}
	case "detour":
		if s.variant {
			feature = "first"
		}
	}
	require.NotEmpty(t, parts[feature], feature)
	return strings.TrimSpace(parts[feature])
}
