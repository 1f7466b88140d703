package dialect

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/anthropic"
	"github.com/headgate-dev/headgate/core/dialect/gemini"
	"github.com/headgate-dev/headgate/core/dialect/openai"
)

// clients are the dialects of calls whose request and answer are JSON, by name.
var clients = func() map[string]core.Dialect {
	m := map[string]core.Dialect{}
	for _, d := range []core.Dialect{
		openai.Chat{},
		openai.Completions{},
		openai.Embeddings{},
		openai.Responses{},
		openai.Compact{},
		anthropic.Messages{},
		anthropic.CountTokens{},
		gemini.Generate{},
		gemini.CountTokens{},
	} {
		m[d.Name()] = d
	}
	return m
}()

// FindClient returns the dialect with a name such as "openai.chat", or nil if no call with a JSON request and answer has it.
func FindClient(name string) core.Dialect { return clients[name] }
