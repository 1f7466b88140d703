package admin

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core/records/meter/money"
	"github.com/headgate-dev/headgate/core/records/store"
)

// MCPServerSettings are an MCP server without its health. The values of its headers are never shown.
// Its own type: the tag of a version, the file and the commands know no health.
type MCPServerSettings struct {
	Name             string                  `json:"name"`
	Transport        string                  `json:"transport" enum:"http,openapi,command" doc:"How it is reached: streamable HTTP, the operations of an HTTP API, or a program. Only the configuration file names programs."`
	URL              string                  `json:"url,omitempty" doc:"The server's endpoint, or the address of the API. For servers of the configuration file only its scheme and host are shown."`
	OpenAPIURL       string                  `json:"openapi_url,omitempty" doc:"The address of the OpenAPI document whose operations are the tools."`
	Operations       []string                `json:"openapi_operations,omitempty" doc:"Globs of the operationIds that are tools."`
	HeaderNames      []string                `json:"header_names,omitempty" doc:"The headers that are sent with each call."`
	ConfiguredEra    string                  `json:"configured_era" enum:"auto,modern,legacy" doc:"The era of the protocol that the gateway speaks with the server. auto: it asks the server."`
	Trust            string                  `json:"trust" enum:"keep,restore" doc:"restore: the server receives the values behind placeholders that the caller may read."`
	Pin              string                  `json:"pin" enum:"first_use,required,off" doc:"Which definitions of tools are served."`
	AllowedTools     []string                `json:"allowed_tools,omitempty" doc:"Globs of the tools that are served. Omitted: all."`
	AllowedPrompts   []string                `json:"allowed_prompts,omitempty" doc:"Globs of the prompts that are served. Omitted: all."`
	AllowedResources []string                `json:"allowed_resources,omitempty" doc:"Globs of the addresses of resources and templates that are served. Omitted: all."`
	Access           []store.MCPAccess       `json:"access,omitempty" doc:"Who may use what. Omitted: every key whose scopes allow it."`
	PricePerCall     money.Amount            `json:"price_per_call" doc:"The price of a call, in USD."`
	Prices           map[string]money.Amount `json:"prices,omitempty" doc:"The prices of calls of single tools, in USD."`
	Enabled          bool                    `json:"enabled"`
	Source           string                  `json:"source" enum:"api,file"`
	Version          int64                   `json:"version,omitempty"`
	CreatedAt        *time.Time              `json:"created_at,omitempty"`
	UpdatedAt        *time.Time              `json:"updated_at,omitempty"`
}

// listFile returns the servers of the file, by name.
func (s MCPServers) listFile() []MCPServerSettings {
	if s.svc.Tools == nil {
		return nil
	}
	return s.svc.Tools.FileServers()
}

// findInFile returns a server of the file, or nil.
func (s MCPServers) findInFile(name string) *MCPServerSettings {
	for _, v := range s.listFile() {
		if v.Name == name {
			return &v
		}
	}
	return nil
}

// listFileNames returns the names of the servers of the file.
func (s MCPServers) listFileNames() (names []string) {
	for _, v := range s.listFile() {
		names = append(names, v.Name)
	}
	return names
}

// listSettings returns the servers of the file and the records, by name. The file has precedence.
func (s MCPServers) listSettings(ctx context.Context) ([]MCPServerSettings, error) {
	stored, err := store.NewMCPServers(s.svc.Store).List(ctx)
	if err != nil {
		return nil, err
	}
	all, file := slices.Clone(s.listFile()), s.listFileNames()
	for i := range stored {
		if !slices.Contains(file, stored[i].Name) {
			all = append(all, viewStoredServer(&stored[i]))
		}
	}
	slices.SortFunc(all, func(a, b MCPServerSettings) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// getSettings returns a server of the file or a record.
func (s MCPServers) getSettings(ctx context.Context, name string) (MCPServerSettings, error) {
	if v := s.findInFile(name); v != nil {
		return *v, nil
	}
	r, err := store.NewMCPServers(s.svc.Store).Get(ctx, name)
	if err != nil {
		return MCPServerSettings{}, mapNotFound(err, "MCP server")
	}
	return viewStoredServer(&r), nil
}

func viewStoredServer(r *store.MCPServer) MCPServerSettings {
	v := MCPServerSettings{
		Name: r.Name, Transport: "http", URL: r.URL, OpenAPIURL: r.OpenAPIURL, Operations: r.Operations, HeaderNames: r.HeaderNames,
		ConfiguredEra: r.Era, Trust: r.Trust, Pin: r.Pin, AllowedTools: r.Tools, AllowedPrompts: r.Prompts, AllowedResources: r.Resources,
		Access: r.Access, PricePerCall: money.Amount(r.Price), Enabled: r.Enabled, Source: store.SourceAPI, Version: r.Version,
		CreatedAt: &r.CreatedAt, UpdatedAt: &r.UpdatedAt,
	}
	if r.OpenAPIURL != "" {
		v.Transport = "openapi"
	}
	if len(r.Prices) > 0 {
		v.Prices = make(map[string]money.Amount, len(r.Prices))
		for tool, price := range r.Prices {
			v.Prices[tool] = money.Amount(price)
		}
	}
	return v
}

// viewAuditedServer returns what an audit event compares: the settings, and whether the headers have changed. Their values are
// masked.
func viewAuditedServer(r *store.MCPServer) any {
	return struct {
		MCPServerSettings
		Headers []byte `json:"headers,omitempty"`
	}{viewStoredServer(r), r.Headers}
}
