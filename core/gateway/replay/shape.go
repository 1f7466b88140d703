package replay

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/anthropic"
	"github.com/headgate-dev/headgate/core/dialect/gemini"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/records/capture"
)

var shapes = func() map[string]core.Dialect {
	m := map[string]core.Dialect{}
	for _, d := range []core.Dialect{
		openai.Chat{},
		openai.Completions{},
		openai.Embeddings{},
		openai.Responses{},
		anthropic.Messages{},
		anthropic.CountTokens{},
		gemini.Generate{},
		gemini.CountTokens{},
	} {
		m[d.Name()] = d
	}
	return m
}()

// Shape returns the dialect of a record's bodies, or nil if it is unknown. A derived dialect counts as its base
// dialect.
func Shape(r *capture.Record) core.Dialect {
	if d := shapes[r.Dialect]; d != nil {
		return d
	}
	return shapes[r.Like]
}
