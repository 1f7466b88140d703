// Package dialect lists the shapes: as providers speak them, and what goes with
// each. The shapes themselves live below it, one vendor to a folder.
package dialect

import "github.com/headgate-dev/headgate/core"

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
type Sends struct{ CustomTools, Namespaces, SearchTools bool }

const (
	jsonType  = "application/json"
	eventType = "text/event-stream"
)

var wires = map[string]Spoken{}

// Wire finds a shape by name.
func Wire(name string) (Spoken, bool) {
	w, ok := wires[name]
	return w, ok
}
