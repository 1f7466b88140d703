package store

import (
	"context"
	"time"
)

// MCPServer is an MCP server, or an HTTP API whose operations are tools.
type MCPServer struct {
	Name        string // its id
	URL         string
	OpenAPIURL  string   // of the description of an HTTP API; empty if the server speaks MCP
	Operations  []string // globs of operationIds that become tools
	Headers     []byte   // sealed; optional
	HeaderNames []string
	Era         string // auto, modern or legacy
	Trust       string // keep or restore
	Pin         string // first_use, required or off
	// Tools, Prompts and Resources are globs of what is served; empty: all.
	Tools, Prompts, Resources []string
	Access                    []MCPAccess
	Price                     int64            // of a call, in units of 1e-10 USD
	Prices                    map[string]int64 // of calls of single tools
	Enabled                   bool
	Version                   int64

	CreatedAt, UpdatedAt time.Time // set by the store
}

// MCPAccess lets callers use what an MCP server has. An empty list matches everything.
type MCPAccess struct {
	Tenants   []string `json:"tenants,omitempty" doc:"Globs of ids of tenants."`
	Keys      []string `json:"keys,omitempty" doc:"Globs of ids of keys."`
	Tools     []string `json:"tools,omitempty" doc:"Globs of names of tools."`
	Prompts   []string `json:"prompts,omitempty" doc:"Globs of names of prompts."`
	Resources []string `json:"resources,omitempty" doc:"Globs of addresses of resources and templates."`
}

// maxToolServers limits the stored servers, and maxVirtualServers the virtual ones: a list at /mcp asks every server.
const (
	maxToolServers    = 256
	maxVirtualServers = 256
)

// ErrTooMany means that there are maxToolServers or maxVirtualServers records already.
var ErrTooMany error = &storeError{"there are 256 records of this kind already"}

// InUseError means that other records name the record, which therefore stays.
type InUseError struct{ By []string } // their names

func (e *InUseError) Error() string { return "other records name the record" }

var mcpServerTable = newTable(table[MCPServer]{
	name: "mcp_server", noun: "MCP server", kind: "mcp_server",
	head: func(s *MCPServer) head { return head{&s.Name, &s.Version, &s.CreatedAt, &s.UpdatedAt} },
	fields: func(s *MCPServer) []field {
		return []field{
			newFixedField("id", &s.Name),
			{column: "url", at: &s.URL},
			{column: "openapi_url", at: &s.OpenAPIURL},
			{column: "openapi_operations", at: newJSONCodec(&s.Operations)},
			{column: "headers", at: &s.Headers},
			{column: "header_names", at: newJSONCodec(&s.HeaderNames)},
			{column: "era", at: &s.Era},
			{column: "trust", at: &s.Trust},
			{column: "pin", at: &s.Pin},
			{column: "tools", at: newJSONCodec(&s.Tools)},
			{column: "prompts", at: newJSONCodec(&s.Prompts)},
			{column: "resources", at: newJSONCodec(&s.Resources)},
			{column: "access", at: newJSONCodec(&s.Access)},
			{column: "price", at: &s.Price},
			{column: "prices", at: newJSONCodec(&s.Prices)},
			{column: "enabled", at: &s.Enabled},
			{column: "version", at: &s.Version},
			newFixedField("created_at", newInstantCodec(&s.CreatedAt)),
			{column: "updated_at", at: newInstantCodec(&s.UpdatedAt)},
		}
	},
	saved: func(ctx context.Context, tx *Tx, before, now *MCPServer) error {
		if before != nil {
			return nil
		}
		if err := tx.refuseTaken(ctx, "virtual_server", now.Name); err != nil {
			return err
		}
		return tx.refuseMoreThan(ctx, "mcp_server", maxToolServers)
	},
	removing: func(ctx context.Context, tx *Tx, was *MCPServer) error {
		all, err := virtualServerTable.read(ctx, tx.bound, "SELECT "+virtualServerTable.columns+" FROM virtual_server ORDER BY id")
		if err != nil {
			return err
		}
		var by []string
		for i := range all {
			if all[i].has(was.Name) {
				by = append(by, all[i].Name)
			}
		}
		if len(by) > 0 {
			return &InUseError{by}
		}
		return nil
	},
})

// NewMCPServers returns the MCP servers that are records of a database. Those of the configuration file are not
// among them. Deleting one that a virtual server names is an InUseError. A name that a virtual server has is ErrExists.
func NewMCPServers(db *DB) Records[MCPServer] { return Records[MCPServer]{db, mcpServerTable} }

// NewShadowedMCPServers returns the same servers, for one of which the configuration file has a server of its name. Virtual
// servers name the file's, so that the record can be deleted although they do.
func NewShadowedMCPServers(db *DB) Records[MCPServer] {
	t := *mcpServerTable
	t.removing = nil
	return Records[MCPServer]{db, &t}
}

// refuseTaken returns ErrExists if a table has a record with the id.
func (tx *Tx) refuseTaken(ctx context.Context, table, id string) error {
	var n int
	if err := tx.GetContext(ctx, &n, "SELECT count(*) FROM "+table+" WHERE id = ?", id); err != nil || n == 0 {
		return err
	}
	return ErrExists
}

// refuseMoreThan returns ErrTooMany if a table has more than n records.
func (tx *Tx) refuseMoreThan(ctx context.Context, table string, n int) error {
	var now int
	if err := tx.GetContext(ctx, &now, "SELECT count(*) FROM "+table); err != nil || now <= n {
		return err
	}
	return ErrTooMany
}
