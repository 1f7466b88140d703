package providers

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// kind contains what all providers of one type have in common.
type kind struct {
	label string
	base  string // the provider's own URL; "" if base_url is required
	key   credential
	// main is the shape of translated calls.
	main string
	// services are the services by shape.
	services map[string]service
	// fixed are header fields of every call, unless the client may and does send its own.
	fixed []upstream.Field
	// forwarded are fields of the client that this provider reads.
	forwarded []forwardedHeader
	// prefixes begin model names that are unique to this provider.
	prefixes []string
	caps     route.Capabilities
	// pick returns the shape in which a client's shape is sent to a model, or "". Optional: without it, the client's shape
	// alone decides.
	pick func(shape, model string) string
	// adapt completes a call whose shape differs from the vendor's own in a few members. It must not modify r.Body in
	// place, which may be the client's. Optional.
	adapt func(p *hosted, x *core.Exchange, r *upstream.Request) error
	// batches is set if files and batches are served beside the Responses API.
	batches bool
}

// credential says in which field, and after which prefix, the key is sent.
type credential struct{ field, prefix string }

var (
	bearer   = credential{"Authorization", "Bearer "}
	everyCap = route.Capabilities{Streaming: true, Vision: true, ToolCalls: true, StructuredOutputs: true, JSONMode: true}
)

// hosted is a provider that is reached over HTTP.
type hosted struct {
	*kind
	s      Settings
	facts  *catalogue
	caps   route.Capabilities
	wires  map[string]string    // by the client's shape
	at     map[string]*endpoint // by the provider's shape
	header []upstream.Field
	// sign adds a signature of the whole call. Optional: without it, the header contains the credentials.
	sign func(r *upstream.Request) error
	// answers replaces the client of the settings, which it calls. Optional.
	answers upstream.Client
}

var _ route.Provider = (*hosted)(nil)

// newHosted returns a provider of a kind.
func newHosted(k *kind, s Settings) (*hosted, error) {
	if s.BaseURL = cmp.Or(s.BaseURL, k.base); s.BaseURL == "" {
		return nil, fmt.Errorf("base_url is missing: the address of your %s resource", k.label)
	}
	facts, err := findCatalogue(s.Type)
	if err != nil {
		return nil, err
	}
	p := &hosted{kind: k, s: s, facts: facts, wires: map[string]string{}, at: map[string]*endpoint{}}
	if p.caps, err = overrideCapabilities(k.caps, s.Capabilities); err != nil {
		return nil, err
	}
	if p.at, err = buildEndpoints(s.BaseURL, k.services); err != nil {
		return nil, err
	}
	for wire := range k.services {
		p.wires[wire] = wire
	}
	for _, shape := range generating {
		p.wires[shape] = cmp.Or(p.wires[shape], k.main)
	}
	p.header = append(p.header, upstream.Field{Name: "Content-Type", Value: "application/json"})
	p.header = append(p.header, k.fixed...)
	if s.APIKey != "" {
		if !isSendable(s.APIKey) {
			return nil, fmt.Errorf("api_key contains a character that is not allowed in a header")
		}
		p.header = append(p.header, upstream.Field{Name: k.key.field, Value: k.key.prefix + s.APIKey})
	}
	for _, f := range s.Header { // the operator's fields replace ours
		p.header = append(dropField(p.header, f.Name), f)
	}
	return p, nil
}

// isSendable reports whether a header field can carry a credential.
func isSendable(key string) bool {
	return !strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' })
}

func (p *hosted) Name() string  { return p.s.Name }
func (p *hosted) Label() string { return p.label }

// Client returns the client that makes the calls.
func (p *hosted) Client() upstream.Client {
	if p.answers != nil {
		return p.answers
	}
	return p.s.Client
}

func (p *hosted) Models() []string   { return p.s.Models }
func (p *hosted) Prefixes() []string { return p.prefixes }

// Catalogue returns the known model names of this type of provider, if it can sign in and its configuration does not list
// its models. Azure deployments are named by their operator, so it returns none for Azure.
func (p *hosted) Catalogue() []string {
	_, tokens := p.s.Client.(*authorized)
	if p.s.APIKey == "" && p.sign == nil && !tokens || len(p.s.Models) > 0 || p.s.Type == "azure-openai" {
		return nil
	}
	return p.facts.names
}

// FindCapabilities returns those of the provider, with the context window of the model.
func (p *hosted) FindCapabilities(model string) route.Capabilities {
	c := p.caps
	if model != "" {
		c.MaxContextTokens = p.facts.lookup(model).Context
	}
	return c
}

// FindTraits returns those of the data file.
func (p *hosted) FindTraits(model string) core.Traits {
	t := p.facts.lookup(model).Traits
	t.Label, t.NoStore = p.label, p.s.NoStore
	return t
}

// ChooseWire returns the shape in which x is sent. A request with tools and an effort goes to the provider's Responses API if
// the model refuses the two together on chat. This does not apply to generateContent, whose effort is omitted.
func (p *hosted) ChooseWire(x *core.Exchange) string {
	if p.pick != nil {
		return p.pick(x.Dialect, x.Target.Model)
	}
	wire := p.wires[x.Dialect]
	if wire == openAIChat && x.Dialect != geminiGenerate && len(x.Head.Tools) > 0 &&
		x.Head.Effort != "" && x.Head.Effort != "none" &&
		p.at[openAIResponses] != nil && p.facts.lookup(x.Target.Model).Detour {
		return openAIResponses
	}
	return wire
}

// NewRequest directs the request to the endpoint of the target's shape.
func (p *hosted) NewRequest(x *core.Exchange, r *upstream.Request) error {
	at := p.at[x.Target.Wire]
	if at == nil {
		return newNoServiceError(p.label)
	}
	u, err := at.buildURL(x.Target.Model, x.Head.Stream)
	if err != nil {
		return err
	}
	r.Method, r.URL, r.Timeouts = "POST", u, p.s.Timeouts
	r.Header = append(r.Header[:0], p.header...)
	if at.bearer && p.s.APIKey != "" {
		r.Header = append(dropField(r.Header, p.key.field), upstream.Field{Name: bearer.field, Value: bearer.prefix + p.s.APIKey})
	}
	r.Header = setContentType(x, p.appendClientFields(x, r.Header))
	if p.adapt != nil {
		if err := p.adapt(p, x, r); err != nil {
			return err
		}
	}
	if p.sign != nil {
		return p.sign(r)
	}
	return nil
}

// pickWire returns the client's shape if it is one of those in which a model is served. Otherwise a request for text is
// translated to the first of them, and any other is not served.
func pickWire(shape string, served []string) string {
	switch {
	case slices.Contains(served, shape):
		return shape
	case slices.Contains(generating, shape):
		return served[0]
	}
	return ""
}

// newNoServiceError returns the error for a shape that the provider has no endpoint for.
func newNoServiceError(label string) *core.Error {
	return &core.Error{
		Kind: core.InvalidRequest, Code: core.CodeUnsupported, Param: "model",
		Public: label + " has no such service: choose a model of another provider",
	}
}
