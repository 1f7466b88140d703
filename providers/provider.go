// Package providers says where calls go and how they are signed: one file for
// each provider, with its endpoint, its credentials and its quirks, and the
// shape it speaks. It never translates. It imports core and core/upstream.
package providers

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/upstream"
)

// Settings configure one provider.
type Settings struct {
	Name         string // the name in the configuration and the model prefix
	Type         string // which provider it is; "": the Name
	APIKey       string
	BaseURL      string // "": the provider's own
	Header       []upstream.Field
	Timeouts     upstream.Timeouts
	Models       []string
	Capabilities map[string]bool // flags switched on or off
	Client       upstream.Client
}

var makers = map[string]func(Settings) (core.Provider, error){
	"mock":   newMock,
	"openai": newOpenAI,
}

// Types lists the providers that can be configured, sorted.
func Types() []string { return slices.Sorted(maps.Keys(makers)) }

// New makes a provider.
func New(s Settings) (core.Provider, error) {
	if s.Type == "" {
		s.Type = s.Name
	}
	f, ok := makers[s.Type]
	if !ok {
		return nil, fmt.Errorf("provider %q: there is no type %q; known are %s", s.Name, s.Type, strings.Join(Types(), ", "))
	}
	p, err := f(s)
	if err != nil {
		return nil, fmt.Errorf("provider %q: %w", s.Name, err)
	}
	return p, nil
}

// override switches capabilities on or off, by the names of the specification.
func override(c core.Capabilities, set map[string]bool) (core.Capabilities, error) {
	flags := map[string]*bool{
		"streaming": &c.Streaming, "vision": &c.Vision, "tool_calls": &c.ToolCalls,
		"structured_outputs": &c.StructuredOutputs, "json_mode": &c.JSONMode,
	}
	for name, on := range set {
		f, ok := flags[strings.TrimPrefix(name, "supports_")]
		if !ok {
			return c, fmt.Errorf("there is no capability %q; known are %s", name, strings.Join(slices.Sorted(maps.Keys(flags)), ", "))
		}
		*f = on
	}
	return c, nil
}

// endpoint joins a base URL and a path. The base may end in the path's own
// first element ("/v1"), as the vendors' clients have it.
func endpoint(base, path string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimRight(base, "/"))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("base_url is not an http or https URL")
	}
	if u.User != nil || u.Fragment != "" {
		return nil, fmt.Errorf("base_url holds a user name, a password or a fragment; use api_key")
	}
	if version, _, ok := strings.Cut(path[1:], "/"); ok && strings.HasSuffix(u.Path, "/"+version) {
		path = path[1+len(version):]
	}
	return u.JoinPath(path), nil
}
