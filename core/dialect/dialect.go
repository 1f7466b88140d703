// Package dialect lists the shapes: as providers speak them, and what goes with
// each. The shapes themselves live below it, one vendor to a folder.
package dialect

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/anthropic"
	"github.com/headgate-dev/headgate/core/dialect/bedrock"
	"github.com/headgate-dev/headgate/core/dialect/cohere"
	"github.com/headgate-dev/headgate/core/dialect/gemini"
	"github.com/headgate-dev/headgate/core/dialect/ollama"
	"github.com/headgate-dev/headgate/core/dialect/openai"
)

// Spoken is a shape as a provider speaks it.
type Spoken struct {
	core.Wire
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

var wires = spoken(
	Spoken{openai.ChatWire{}, jsonType, eventType, Sends{CustomTools: true}},
	Spoken{openai.ResponsesWire{}, jsonType, eventType, Sends{CustomTools: true, Namespaces: true, SearchTools: true}},
	Spoken{anthropic.MessagesWire{}, jsonType, eventType, Sends{DistinctIDs: true}},
	Spoken{gemini.GenerateWire{}, jsonType, eventType, Sends{}},
	Spoken{bedrock.ConverseWire{}, jsonType, "application/vnd.amazon.eventstream", Sends{DistinctIDs: true}},
	Spoken{cohere.ChatWire{}, jsonType, eventType, Sends{}},
	Spoken{ollama.ChatWire{}, jsonType, "application/x-ndjson", Sends{}},
)

func spoken(list ...Spoken) map[string]Spoken {
	m := make(map[string]Spoken, len(list))
	for _, s := range list {
		m[s.Name()] = s
	}
	return m
}

// Wire finds a shape by name.
func Wire(name string) (Spoken, bool) {
	w, ok := wires[name]
	return w, ok
}
