// Package providers defines where calls go and how they are signed: one file per provider, with its endpoints, its
// credentials, its peculiarities, and the shapes it speaks. What single models accept is data, in configs/models.yaml.
// It does not translate.
package providers

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// Settings configure one provider.
type Settings struct {
	Name         string // the name in the configuration and the model prefix
	Type         string // which provider it is; default: Name
	APIKey       string
	BaseURL      string // default: the provider's own
	Header       []upstream.Field
	Timeouts     upstream.Timeouts
	Models       []string
	Capabilities map[string]bool // flags switched on or off
	Client       upstream.Client

	// For azure-openai.
	APIVersion          string
	ResponsesAPIVersion string
	// For openai and azure-openai: tell the Responses API to store nothing.
	NoStore bool
	// For bedrock and vertex: the region, which vertex calls location.
	Region string
	// For bedrock.
	AccessKeyID, SecretAccessKey, SessionToken string
	// For vertex: the project, and a credentials file of Google Cloud.
	Project, CredentialsFile string
	// For azure-openai: how to sign in to Entra ID instead of sending a key.
	Entra Entra
	// Env reads the environment variables of the vendors' own tools. Optional.
	Env func(string) string
}

// Entra says how to sign in to Microsoft Entra ID. Missing members are read from the environment variables that Azure
// sets.
type Entra struct {
	// Identity is client_secret, workload_identity or managed_identity; "" sends a key.
	Identity string
	TenantID string
	ClientID string
	// ClientSecret belongs to an application, TokenFile to a workload identity.
	ClientSecret, TokenFile string
	// Authority is the address of the identity service, and Scope what the token is for. Defaults: those of Azure's public
	// cloud.
	Authority, Scope string
}

var makers = map[string]func(Settings) (route.Provider, error){
	"anthropic":     newAnthropic,
	"azure-openai":  newAzure,
	"bedrock":       newBedrock,
	"cohere":        newCohere,
	"deepseek":      newDeepSeek,
	"fireworks":     newFireworks,
	"gemini":        newGemini,
	"groq":          newGroq,
	"mistral":       newMistral,
	"mock":          newMock,
	"moonshot":      newMoonshot,
	"ollama":        newOllama,
	"ollama-openai": newOllamaOpenAI,
	"openai":        newOpenAI,
	"openrouter":    newOpenRouter,
	"qwen":          newQwen,
	"together":      newTogether,
	"vertex":        newVertex,
	"vllm":          newVLLM,
	"xai":           newXAI,
	"zhipu":         newZhipu,
}

// aliases are other names of types.
var aliases = map[string]string{"azure": "azure-openai"}

// ListTypes lists the providers that can be configured, sorted.
func ListTypes() []string { return slices.Sorted(maps.Keys(makers)) }

// ListNames lists the accepted names of types: the types and their aliases.
func ListNames() []string { return append(ListTypes(), slices.Sorted(maps.Keys(aliases))...) }

// NormalizeName returns the type that an alias stands for, or the name itself.
func NormalizeName(name string) string {
	if typ, ok := aliases[name]; ok {
		return typ
	}
	return name
}

// New returns a provider with the settings.
func New(s Settings) (route.Provider, error) {
	s.Type = NormalizeName(cmp.Or(s.Type, s.Name))
	f, ok := makers[s.Type]
	if !ok {
		return nil, fmt.Errorf("provider %q: unknown type %q; known types are %s", s.Name, s.Type, strings.Join(ListTypes(), ", "))
	}
	p, err := f(s)
	if err != nil {
		return nil, fmt.Errorf("provider %q: %w", s.Name, err)
	}
	return p, nil
}

// overrideCapabilities switches capabilities on or off, by their names in the specification.
func overrideCapabilities(c route.Capabilities, set map[string]bool) (route.Capabilities, error) {
	flags := map[string]*bool{
		"streaming": &c.Streaming, "vision": &c.Vision, "tool_calls": &c.ToolCalls,
		"structured_outputs": &c.StructuredOutputs, "json_mode": &c.JSONMode, "sockets": &c.Sockets,
	}
	for name, on := range set {
		f, ok := flags[strings.TrimPrefix(name, "supports_")]
		if !ok {
			return c, fmt.Errorf("capabilities: unknown capability %q; known capabilities are %s", name, strings.Join(slices.Sorted(maps.Keys(flags)), ", "))
		}
		*f = on
	}
	return c, nil
}
