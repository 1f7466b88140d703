package route

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// Provider determines where calls go and how they are signed; it never translates.
type Provider interface {
	// Name is the name in the configuration, which is also the model prefix.
	Name() string
	// Label is the provider's name as people write it, for error messages.
	Label() string
	// ChooseWire returns the name of the dialect that x is sent in: x.Dialect if the provider speaks that itself, otherwise the
	// one to translate to. "" means that the provider lacks the service, for example embeddings.
	ChooseWire(x *core.Exchange) string
	// NewRequest fills the URL, the method, the header and the timeouts for a call to x.Target in x.Target.Wire. r.Body
	// is already set, so that it can be signed.
	NewRequest(x *core.Exchange, r *upstream.Request) error
	// Client makes the calls.
	Client() upstream.Client
	// FindTraits returns what a model of this provider accepts.
	FindTraits(model string) core.Traits
	// Prefixes are the beginnings of the names of models that this provider is known for.
	Prefixes() []string
	// Models are the models to list, if they are known.
	Models() []string
	// FindCapabilities returns what a model of this provider can do; "" asks for what holds for all of them.
	FindCapabilities(model string) Capabilities
}

// Capabilities of a provider's models.
type Capabilities struct {
	Streaming         bool
	Vision            bool
	ToolCalls         bool
	StructuredOutputs bool
	JSONMode          bool
	Sockets           bool // the WebSocket mode of the Responses API
	MaxContextTokens  int  // 0: not known
}
