// Package dialect lists the shapes: as providers speak them, and what goes with
// each. The shapes themselves live below it, one vendor to a folder.
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

// WireForm is a shape as a provider speaks it.
type WireForm struct {
	wire.Wire
	// Whole and Stream are the content types of the provider's answers.
	Whole, Stream string
	// Sends is what the shape itself can carry in a request; what it cannot is put
	// in another form first.
	Sends Sends
}

// Sends says what a shape has words for.
type Sends struct {
	CustomTools, Namespaces, SearchTools bool
	// DistinctIDs is true when no two calls of a conversation may have the same id.
	DistinctIDs bool
}

const (
	jsonType  = "application/json"
	eventType = "text/event-stream"
)

var wires = indexByName(
	WireForm{openai.ChatWire{}, jsonType, eventType, Sends{CustomTools: true}},
	WireForm{openai.ResponsesWire{}, jsonType, eventType, Sends{CustomTools: true, Namespaces: true, SearchTools: true}},
	WireForm{anthropic.MessagesWire{}, jsonType, eventType, Sends{DistinctIDs: true}},
	WireForm{gemini.GenerateWire{}, jsonType, eventType, Sends{}},
	WireForm{bedrock.ConverseWire{}, jsonType, "application/vnd.amazon.eventstream", Sends{DistinctIDs: true}},
	WireForm{cohere.ChatWire{}, jsonType, eventType, Sends{}},
	WireForm{ollama.ChatWire{}, jsonType, "application/x-ndjson", Sends{}},
)

func indexByName(list ...WireForm) map[string]WireForm {
	m := make(map[string]WireForm, len(list))
	for _, s := range list {
		m[s.Name()] = s
	}
	return m
}

// Wire finds a shape by name.
func Wire(name string) (WireForm, bool) {
	w, ok := wires[name]
	return w, ok
}
