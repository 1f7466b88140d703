// Package dialect lists the wire formats of providers with their content types. The
// formats live in the folders below it, one per vendor.
package dialect

import (
	"github.com/headgate-dev/headgate/core/dialect/anthropic"
	"github.com/headgate-dev/headgate/core/dialect/bedrock"
	"github.com/headgate-dev/headgate/core/dialect/cohere"
	"github.com/headgate-dev/headgate/core/dialect/gemini"
	"github.com/headgate-dev/headgate/core/dialect/ollama"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/dialect/wire"
)

// WireForm is the wire format of a provider.
type WireForm struct {
	wire.Wire
	// Whole and Stream are the content types of the provider's answers.
	Whole, Stream string
	// Sends is what a request can carry. The caller rewrites anything else first.
	Sends Sends
}

// Sends says what a wire format can carry in a request.
type Sends struct {
	CustomTools, Namespaces, SearchTools bool
	// DistinctIDs is true when two calls of a conversation must not share an id.
	DistinctIDs bool
	PlainNames  bool // nothing but letters, digits, - and _ in the names of tools
	Extras      bool // members of chat that say nothing to the model, such as metadata
}

const (
	jsonType  = "application/json"
	eventType = "text/event-stream"
)

var wires = indexWireForms(
	WireForm{openai.ChatWire{}, jsonType, eventType, Sends{CustomTools: true, PlainNames: true}},
	WireForm{
		openai.ResponsesWire{},
		jsonType, eventType,
		Sends{CustomTools: true, Namespaces: true, SearchTools: true, Extras: true, PlainNames: true},
	},
	WireForm{anthropic.MessagesWire{}, jsonType, eventType, Sends{DistinctIDs: true, PlainNames: true}},
	WireForm{gemini.GenerateWire{}, jsonType, eventType, Sends{}},
	WireForm{bedrock.ConverseWire{}, jsonType, "application/vnd.amazon.eventstream", Sends{DistinctIDs: true, PlainNames: true}},
	WireForm{cohere.ChatWire{}, jsonType, eventType, Sends{}},
	WireForm{ollama.ChatWire{}, jsonType, "application/x-ndjson", Sends{}},
)

func indexWireForms(list ...WireForm) map[string]WireForm {
	m := make(map[string]WireForm, len(list))
	for _, s := range list {
		m[s.Name()] = s
	}
	return m
}

// FindWire returns the wire format with a name.
func FindWire(name string) (WireForm, bool) {
	w, ok := wires[name]
	return w, ok
}
