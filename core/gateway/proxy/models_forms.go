package proxy

import (
	"encoding/json"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/anthropic"
	"github.com/headgate-dev/headgate/core/dialect/gemini"
	"github.com/headgate-dev/headgate/core/gateway/route"
)

// lister is a format of the model list.
type lister uint8

// The formats.
const (
	_ lister = iota
	listOpenAI
	listAnthropic // Anthropic's models only
	listGemini
)

var geminiErrors core.Dialect = gemini.Generate{}

type modelList struct {
	Object string  `json:"object"`
	Data   []model `json:"data"`
}

type model struct {
	ID           string       `json:"id"`
	Object       string       `json:"object"`
	Created      int64        `json:"created"`
	OwnedBy      string       `json:"owned_by"`
	Capabilities capabilities `json:"capabilities"`
}

type capabilities struct {
	Streaming         bool `json:"supports_streaming"`
	Vision            bool `json:"supports_vision"`
	ToolCalls         bool `json:"supports_tool_calls"`
	StructuredOutputs bool `json:"supports_structured_outputs"`
	JSONMode          bool `json:"supports_json_mode"`
	MaxContextTokens  int  `json:"max_context_tokens"`
}

// append writes the list. since is when the gateway started: the creation dates of models are unknown.
func (l lister) append(offers []offer, since time.Time) []byte {
	switch l {
	case listAnthropic:
		list := []anthropic.Model{}
		for _, o := range offers {
			if servesMessages(o.owner) {
				list = append(list, anthropic.Model{ID: o.id, Created: since})
			}
		}
		return anthropic.AppendModels(nil, list)
	case listGemini:
		list := make([]gemini.Model, 0, len(offers))
		for _, o := range offers {
			list = append(list, gemini.Model{Name: o.id, InputLimit: int64(o.owner.Capabilities(o.sent).MaxContextTokens)})
		}
		return gemini.AppendModels(nil, list)
	}
	list := modelList{Object: "list", Data: []model{}}
	for _, o := range offers {
		k := o.owner.Capabilities(o.sent)
		list.Data = append(list.Data, model{
			ID: o.id, Object: "model", Created: since.Unix(), OwnedBy: o.owner.Name(),
			Capabilities: capabilities{k.Streaming, k.Vision, k.ToolCalls, k.StructuredOutputs, k.JSONMode, k.MaxContextTokens},
		})
	}
	b, err := json.Marshal(list)
	if err != nil {
		panic(err) // these values always marshal
	}
	return b
}

// servesMessages reports whether a provider speaks the Messages dialect itself.
func servesMessages(p route.Provider) bool {
	return p.Wire(&core.Exchange{Dialect: anthropic.MessagesName}) == anthropic.MessagesName
}
