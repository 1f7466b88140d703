package proxy

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/anthropic"
	"github.com/headgate-dev/headgate/core/dialect/gemini"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/snapshot"
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
	// The format that clients of several vendors read. Unknown values are omitted.
	ContextLength int      `json:"context_length,omitempty"`
	Pricing       *pricing `json:"pricing,omitempty"`
}

// pricing is in USD for one token.
type pricing struct {
	Prompt     string `json:"prompt"`
	Completion string `json:"completion"`
}

type capabilities struct {
	Streaming         bool `json:"supports_streaming"`
	Vision            bool `json:"supports_vision"`
	ToolCalls         bool `json:"supports_tool_calls"`
	StructuredOutputs bool `json:"supports_structured_outputs"`
	JSONMode          bool `json:"supports_json_mode"`
	MaxContextTokens  int  `json:"max_context_tokens"`
}

// appendModels writes the list. since is when the gateway started: the creation dates of models are unknown.
func (l lister) appendModels(s *snapshot.Snapshot, offers []offer, since time.Time) []byte {
	switch l {
	case listAnthropic:
		list := []anthropic.Model{}
		for i := range offers {
			if servesMessages(offers[i].owner) {
				list = append(list, offers[i].convertToAnthropic(since))
			}
		}
		return anthropic.AppendModels(nil, list)
	case listGemini:
		list := make([]gemini.Model, 0, len(offers))
		for i := range offers {
			list = append(list, offers[i].convertToGemini())
		}
		return gemini.AppendModels(nil, list)
	}
	list := modelList{Object: "list", Data: []model{}}
	for i := range offers {
		list.Data = append(list.Data, offers[i].convertToOpenAI(s, since))
	}
	return marshalJSON(list)
}

// appendModel writes one model.
func (l lister) appendModel(s *snapshot.Snapshot, o offer, since time.Time) []byte {
	switch l {
	case listAnthropic:
		m := o.convertToAnthropic(since)
		return anthropic.AppendModel(nil, &m)
	case listGemini:
		m := o.convertToGemini()
		return gemini.AppendModel(nil, &m)
	}
	return marshalJSON(o.convertToOpenAI(s, since))
}

func marshalJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // these values always marshal
	}
	return b
}

func (o *offer) convertToAnthropic(since time.Time) anthropic.Model {
	return anthropic.Model{ID: o.id, Created: since, InputLimit: int64(o.owner.FindCapabilities(o.sent).MaxContextTokens)}
}

func (o *offer) convertToGemini() gemini.Model {
	return gemini.Model{Name: o.id, InputLimit: int64(o.owner.FindCapabilities(o.sent).MaxContextTokens)}
}

func (o *offer) convertToOpenAI(s *snapshot.Snapshot, since time.Time) model {
	k := o.owner.FindCapabilities(o.sent)
	m := model{
		ID: o.id, Object: "model", Created: since.Unix(), OwnedBy: o.owner.Name(), ContextLength: k.MaxContextTokens,
		Capabilities: capabilities{k.Streaming, k.Vision, k.ToolCalls, k.StructuredOutputs, k.JSONMode, k.MaxContextTokens},
	}
	if s.Prices != nil {
		if p := s.Prices.FindPrice(o.owner.Name(), o.sent); p != nil {
			m.Pricing = &pricing{formatPerToken(p.Input), formatPerToken(p.Output)}
		}
	}
	return m
}

// formatPerToken writes a price of a million tokens, in units of 1e-10 USD, as the price of one token in USD.
func formatPerToken(units int64) string {
	digits := fmt.Sprintf("%017d", units)
	point := len(digits) - 16
	return strings.TrimRight(strings.TrimRight(digits[:point]+"."+digits[point:], "0"), ".")
}

// servesMessages reports whether a provider speaks the Messages dialect itself.
func servesMessages(p route.Provider) bool {
	return p.ChooseWire(&core.Exchange{Dialect: anthropic.MessagesName}) == anthropic.MessagesName
}
