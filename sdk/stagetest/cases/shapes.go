package cases

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/anthropic"
	"github.com/headgate-dev/headgate/core/dialect/gemini"
	"github.com/headgate-dev/headgate/core/dialect/openai"
)

// shapes are the client shapes that the data plane serves.
var shapes = []core.Dialect{
	openai.Chat{},
	openai.Responses{},
	openai.Completions{},
	openai.Embeddings{},
	anthropic.Messages{},
	anthropic.CountTokens{},
	gemini.Generate{},
	gemini.CountTokens{},
}

// Values lists the names of the shapes.
func (dialectWord) Values() (names []string) {
	for _, d := range shapes {
		names = append(names, d.Name())
	}
	return names
}

// findShape returns a shape by its name, which reading the file has checked; "" means chat.
func (w dialectWord) findShape() core.Dialect {
	for _, d := range shapes {
		if d.Name() == string(w) {
			return d
		}
	}
	return shapes[0]
}
