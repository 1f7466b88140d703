package admin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/agents"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/records/meter/money"
	"github.com/headgate-dev/headgate/core/records/pins"
	"github.com/headgate-dev/headgate/core/records/store"
)

// NewMCPServer contains the fields of a new MCP server.
// Its own type: the name is required, and no change can set it.
type NewMCPServer struct {
	Name string `json:"name" minLength:"1" maxLength:"64" doc:"Clients reach the server at /mcp/{name}. It cannot be changed." example:"search"`
	MCPServerChange
}

// MCPServerChange contains the fields that a request sends. A nil field keeps its value, or gets the default in a new server.
type MCPServerChange struct {
	URL              *string                  `json:"url,omitempty" minLength:"1" maxLength:"2048" doc:"The server's endpoint, or the address of the API if openapi_url is set: https, unless the operator allows other schemes." example:"https://mcp.example.com/mcp"`
	OpenAPIURL       *string                  `json:"openapi_url,omitempty" maxLength:"2048" doc:"The address of an OpenAPI document. Its operations become the tools; the addresses in it do not count." example:""`
	Operations       *[]string                `json:"openapi_operations,omitempty" nullable:"false" maxItems:"256" doc:"Globs of the operationIds that become tools. There is no default." example:"[]"`
	Headers          *map[string]string       `json:"headers,omitempty" writeOnly:"true" doc:"Headers sent with each call, such as a credential. They replace the stored headers. They are stored sealed and never shown."`
	ConfiguredEra    *string                  `json:"configured_era,omitempty" enum:"auto,modern,legacy" doc:"Default: auto."`
	Trust            *string                  `json:"trust,omitempty" enum:"keep,restore" doc:"Default: keep."`
	Pin              *string                  `json:"pin,omitempty" enum:"first_use,required,off" doc:"Default: first_use."`
	AllowedTools     *[]string                `json:"allowed_tools,omitempty" nullable:"false" minItems:"1" maxItems:"256" doc:"Globs of the tools that are served. Default: all; [\"*\"] are all, too."`
	AllowedPrompts   *[]string                `json:"allowed_prompts,omitempty" nullable:"false" minItems:"1" maxItems:"256" doc:"Globs of the prompts that are served. Default: all."`
	AllowedResources *[]string                `json:"allowed_resources,omitempty" nullable:"false" minItems:"1" maxItems:"256" doc:"Globs of the addresses of resources and templates that are served. Default: all."`
	Access           *[]store.MCPAccess       `json:"access,omitempty" nullable:"false" minItems:"1" maxItems:"256" doc:"Who may use what. Default: every key whose scopes allow it; [{}] is every key, too." example:"[{}]"`
	PricePerCall     *money.Amount            `json:"price_per_call,omitempty" minimum:"0" doc:"The price of a call, in USD. Default: 0."`
	Prices           *map[string]money.Amount `json:"prices,omitempty" doc:"The prices of calls of single tools, in USD, by the name of the tool."`
	Enabled          *bool                    `json:"enabled,omitempty" doc:"Default: true."`

	// The settings of a program are refused with an explanation, instead of as unknown fields.
	Command json.RawMessage `json:"command,omitempty" hidden:"true"`
	Args    json.RawMessage `json:"args,omitempty" hidden:"true"`
	Env     json.RawMessage `json:"env,omitempty" hidden:"true"`
}

const (
	pinOff    = "off"
	maxPrices = 256
)

// maySendToServer reports whether a header of this name may be configured for an MCP server.
func maySendToServer(header string) bool {
	low := strings.ToLower(header)
	return agents.MaySend(header) && !strings.HasPrefix(low, "mcp-") && low != "last-event-id"
}

// isServerName reports whether a stored server, or virtual server, may have the name. Two underscores stand between a server and
// its tool.
func isServerName(name string) bool {
	return agents.IsName(name) && !strings.Contains(name, "__") && !strings.HasSuffix(name, "_")
}

// apply changes a record. The new headers are sealed for its name; stored ones stay with the addresses.
func (s MCPServers) apply(r *store.MCPServer, c *MCPServerChange) error {
	if c.Command != nil || c.Args != nil || c.Env != nil {
		return newInvalidValueError("command", "a stored server must not start a program; write it below mcp_servers in the configuration file")
	}
	url, document := r.URL, r.OpenAPIURL
	assignField(&r.URL, c.URL)
	assignField(&r.OpenAPIURL, c.OpenAPIURL)
	assignField(&r.Operations, c.Operations)
	assignField(&r.Era, c.ConfiguredEra)
	assignField(&r.Trust, c.Trust)
	assignField(&r.Pin, c.Pin)
	assignField(&r.Tools, c.AllowedTools)
	assignField(&r.Prompts, c.AllowedPrompts)
	assignField(&r.Resources, c.AllowedResources)
	assignField(&r.Access, c.Access)
	assignField((*money.Amount)(&r.Price), c.PricePerCall)
	assignField(&r.Enabled, c.Enabled)
	if c.Prices != nil {
		r.Prices = make(map[string]int64, len(*c.Prices))
		for tool, price := range *c.Prices {
			r.Prices[tool] = int64(price)
		}
	}
	if c.Headers != nil {
		var err error
		if r.Headers, r.HeaderNames, err = sealHeaders(s.svc.ServerBox, r.Name, *c.Headers, maySendToServer); err != nil {
			return err
		}
	} else if len(r.Headers) > 0 && (r.URL != url || r.OpenAPIURL != document) {
		return errHeadersStay
	}
	return s.check(r)
}

// check refuses a record that could not be used, or that would call what it must not.
func (s MCPServers) check(r *store.MCPServer) error {
	if err := s.svc.checkAddress("url", r.URL); err != nil {
		return err
	}
	if r.OpenAPIURL != "" {
		if err := s.svc.checkAddress("openapi_url", r.OpenAPIURL); err != nil {
			return err
		}
	}
	switch hasDocument := r.OpenAPIURL != ""; {
	case hasDocument && len(r.Operations) == 0:
		return newInvalidValueError("openapi_operations", "name the operations that become tools, such as list_*")
	case !hasDocument && len(r.Operations) > 0:
		return newInvalidValueError("openapi_operations", "needs openapi_url; without it, write []")
	case hasDocument && r.Era != eraAuto:
		return newInvalidValueError("configured_era", "is not for a server from an OpenAPI document; write auto")
	case r.Price < 0:
		return newInvalidValueError("price_per_call", "write 0 or more")
	case len(r.Prices) > maxPrices:
		return newInvalidValueError("prices", "write prices for %d tools or fewer", maxPrices)
	}
	for tool, price := range r.Prices {
		if !mcp.IsToolName(tool) || price < 0 {
			return newInvalidValueError("prices", "write names of tools, and prices of 0 or more")
		}
	}
	errs := []error{
		checkGlobs("openapi_operations", r.Operations), checkGlobs("allowed_tools", r.Tools), checkGlobs("allowed_prompts", r.Prompts),
		checkGlobs("allowed_resources", r.Resources),
	}
	for i, a := range r.Access {
		at := fmt.Sprintf("access[%d].", i)
		errs = append(errs, checkGlobs(at+"tenants", a.Tenants), checkGlobs(at+"keys", a.Keys), checkKeyIDs(at+"keys", a.Keys),
			checkGlobs(at+"tools", a.Tools), checkGlobs(at+"prompts", a.Prompts), checkGlobs(at+"resources", a.Resources))
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// eraAuto is the era of a server that is asked which it speaks.
const eraAuto = "auto"

// build returns the record of a new server. It fails if the server cannot be added.
func (s MCPServers) build(n *NewMCPServer) (store.MCPServer, error) {
	r := store.MCPServer{Name: n.Name, Era: eraAuto, Trust: "keep", Pin: "first_use", Enabled: true}
	if err := s.svc.checkServerName(n.Name); err != nil {
		return r, err
	}
	if n.URL == nil && n.Command == nil {
		return r, newMissingFieldError("url")
	}
	return r, s.apply(&r, &n.MCPServerChange)
}

// Create adds a server. Clients reach it from now on, unless it is disabled.
func (s MCPServers) Create(ctx context.Context, who *auth.Actor, n NewMCPServer) (MCPServer, error) {
	if err := s.authorize(ctx, who, auth.MCPWrite); err != nil {
		return MCPServer{}, err
	}
	r, err := s.build(&n)
	if err != nil {
		return MCPServer{}, err
	}
	if r, err = store.NewMCPServers(s.svc.Store).Insert(ctx, r); err != nil {
		return MCPServer{}, mapServerError(err)
	}
	if err := s.svc.publishChange(ctx, who, created, "mcp_server", r.Name, "", nil, viewAuditedServer(&r)); err != nil {
		return MCPServer{}, err
	}
	return s.viewChanged(ctx, &r, nil)
}

// Update changes the given fields.
func (s MCPServers) Update(ctx context.Context, who *auth.Actor, name string, c MCPServerChange, m Match) (MCPServer, error) {
	var was changedRecord
	if err := s.authorize(ctx, who, auth.MCPWrite); err != nil {
		return MCPServer{}, err
	}
	if s.findInFile(name) != nil {
		return MCPServer{}, checkSource(store.SourceFile)
	}
	r, err := store.NewMCPServers(s.svc.Store).Change(ctx, name, func(r *store.MCPServer) error {
		was.storeView(viewAuditedServer(r))
		if err := m.Check(viewStoredServer(r)); err != nil {
			return err
		}
		return s.apply(r, &c)
	})
	if err != nil {
		return MCPServer{}, mapServerError(err)
	}
	if err := s.svc.publishChange(ctx, who, updated, "mcp_server", name, "", was.view, viewAuditedServer(&r)); err != nil {
		return MCPServer{}, err
	}
	return s.viewChanged(ctx, &r, s.findServers()[name])
}

// viewChanged returns a server after a change, with what is known of its tools: definitions stay when a server is deleted.
func (s MCPServers) viewChanged(ctx context.Context, r *store.MCPServer, server *tools.Server) (MCPServer, error) {
	v := viewServer(viewStoredServer(r), server)
	for p, err := range s.svc.Store.ToolPins().ListByOwner(ctx, r.Name, store.Cursor{}, 0) {
		if err != nil {
			return MCPServer{}, err
		}
		v.Known++
		if v.Pin != pinOff && p.State != pins.Pinned {
			v.Withheld++
		}
	}
	return v, nil
}

// Delete removes a server, unless a virtual server names it. One of the file with its name stays for virtual servers.
func (s MCPServers) Delete(ctx context.Context, who *auth.Actor, name string, m Match) error {
	var was changedRecord
	if err := s.authorize(ctx, who, auth.MCPWrite); err != nil {
		return err
	}
	inFile, servers := s.findInFile(name) != nil, store.NewMCPServers(s.svc.Store)
	if inFile {
		servers = store.NewShadowedMCPServers(s.svc.Store)
	}
	err := servers.Delete(ctx, name, func(r store.MCPServer) error {
		was.storeView(viewAuditedServer(&r))
		return m.Check(viewStoredServer(&r))
	})
	if err != nil {
		return mapDeleteError(mapServerError(err), err, inFile)
	}
	return s.svc.publishChange(ctx, who, deleted, "mcp_server", name, "", was.view, nil)
}

// mapServerError turns errors of the store about servers into answers.
func mapServerError(err error) error {
	var used *store.InUseError
	switch {
	case errors.As(err, &used):
		return newConflictError(CodeConflict, "virtual servers name this server: "+strings.Join(used.By, ", ")+"; remove it there first")
	case errors.Is(err, store.ErrTooMany):
		return newConflictError(CodeConflict, "there are 256 records of this kind already, which is the limit; delete one first")
	}
	return mapTaken(err, "server")
}

// checkServerName refuses a name that a stored server or virtual server cannot have.
func (s *Service) checkServerName(name string) error {
	if !isServerName(name) {
		return newInvalidValueError("name", "write up to 64 letters, digits, dots, dashes and underscores, beginning with a letter or digit, "+
			"without __ and not ending in _")
	}
	if s.MCPServers().findInFile(name) != nil || s.VirtualServers().findInFile(name) != nil {
		return newConflictError(CodeManagedByFile, "the configuration file has a server of this name; choose another")
	}
	return nil
}
