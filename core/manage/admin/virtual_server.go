package admin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/gateway/tools/bridge"
	"github.com/headgate-dev/headgate/core/records/store"
)

// VirtualServer joins MCP servers under one address.
type VirtualServer struct {
	Name        string                `json:"name"`
	Servers     []store.VirtualMember `json:"servers" nullable:"false" doc:"The members, in the order of lists."`
	ListTimeout int64                 `json:"list_timeout_ms" doc:"How long a member may take to list what it has, in milliseconds. Lists omit slower members."`
	Enabled     bool                  `json:"enabled"`
	Source      string                `json:"source" enum:"api,file"`
	Version     int64                 `json:"version,omitempty"`
	CreatedAt   *time.Time            `json:"created_at,omitempty"`
	UpdatedAt   *time.Time            `json:"updated_at,omitempty"`
}

// NewVirtualServer contains the fields of a new virtual server.
type NewVirtualServer struct {
	Name string `json:"name" minLength:"1" maxLength:"64" doc:"Clients reach the server at /mcp/{name}. It cannot be changed." example:"team"`
	VirtualServerChange
}

// VirtualServerChange contains the fields that a request sends. A nil field keeps its value, or gets the default in a new server.
type VirtualServerChange struct {
	Servers     *[]store.VirtualMember `json:"servers,omitempty" nullable:"false" minItems:"1" maxItems:"64" doc:"The members, in the order of lists. A tool or prompt of one is named {server}__{name}."`
	ListTimeout *int64                 `json:"list_timeout_ms,omitempty" minimum:"10" maximum:"300000" doc:"How long a member may take to list what it has, in milliseconds. Default: 5000." example:"5000"`
	Enabled     *bool                  `json:"enabled,omitempty" doc:"Default: true."`
}

// apply changes a record. file are the names of the servers of the file: they are not looked up here, because a change holds
// the database, and whoever changes the file may wait for that.
func (c *VirtualServerChange) apply(r *store.VirtualServer, file []string) error {
	assignField(&r.Members, c.Servers)
	assignField(&r.Enabled, c.Enabled)
	if c.ListTimeout != nil {
		r.ListTimeout = time.Duration(*c.ListTimeout) * time.Millisecond
	}
	if len(r.Members) == 0 {
		return newMissingFieldError("servers")
	}
	seen := map[string]bool{}
	r.InFile = file
	for i, m := range r.Members {
		at := fmt.Sprintf("servers[%d].", i)
		switch {
		case seen[m.Server]:
			return newInvalidValueError(at+"server", "the server is named twice; remove one of the entries, and join their tools")
		case m.Tools != nil && len(m.Tools) == 0:
			return newInvalidValueError(at+"tools", "is empty, which would be all of them; name some, or omit the field")
		}
		if err := checkGlobs(at+"tools", m.Tools); err != nil {
			return err
		}
		seen[m.Server] = true
	}
	return nil
}

// build returns the record of a new virtual server. It fails if the server cannot be added; the members are not looked up.
func (s VirtualServers) build(n *NewVirtualServer) (store.VirtualServer, error) {
	r := store.VirtualServer{Name: n.Name, ListTimeout: bridge.DefaultListTimeout, Enabled: true}
	if err := s.svc.checkServerName(n.Name); err != nil {
		return r, err
	}
	return r, n.apply(&r, s.svc.MCPServers().listFileNames())
}

// Create adds a virtual server. Clients reach it from now on, unless it is disabled.
func (s VirtualServers) Create(ctx context.Context, who *auth.Actor, n NewVirtualServer) (VirtualServer, error) {
	if _, err := s.svc.authorize(ctx, who, auth.MCPWrite, ""); err != nil {
		return VirtualServer{}, err
	}
	r, err := s.build(&n)
	if err != nil {
		return VirtualServer{}, err
	}
	stored, err := store.NewVirtualServers(s.svc.Store).Insert(ctx, r)
	if err != nil {
		return VirtualServer{}, mapMemberError(err, r.Members)
	}
	v := viewVirtualServer(&stored)
	return v, s.svc.publishChange(ctx, who, created, "virtual_server", v.Name, "", nil, v)
}

// List lists the virtual servers of the file and the records, by name.
func (s VirtualServers) List(ctx context.Context, who *auth.Actor, page Page) (List[VirtualServer], error) {
	if _, err := s.svc.authorize(ctx, who, auth.MCPRead, ""); err != nil {
		return List[VirtualServer]{}, err
	}
	stored, err := store.NewVirtualServers(s.svc.Store).List(ctx)
	if err != nil {
		return List[VirtualServer]{}, err
	}
	all, inFile := slices.Clone(s.listFile()), map[string]bool{}
	for i := range all {
		inFile[all[i].Name] = true
	}
	for i := range stored {
		if !inFile[stored[i].Name] { // the file has precedence
			all = append(all, viewVirtualServer(&stored[i]))
		}
	}
	slices.SortFunc(all, func(a, b VirtualServer) int { return strings.Compare(a.Name, b.Name) })
	return newList(all, page, func(v VirtualServer) string { return v.Name })
}

func (s VirtualServers) listFile() []VirtualServer {
	if s.svc.Tools == nil {
		return nil
	}
	return s.svc.Tools.FileVirtualServers()
}

// findInFile returns a virtual server of the file, or nil.
func (s VirtualServers) findInFile(name string) *VirtualServer {
	for _, v := range s.listFile() {
		if v.Name == name {
			return &v
		}
	}
	return nil
}

// Get returns a virtual server.
func (s VirtualServers) Get(ctx context.Context, who *auth.Actor, name string) (VirtualServer, error) {
	if _, err := s.svc.authorize(ctx, who, auth.MCPRead, ""); err != nil {
		return VirtualServer{}, err
	}
	if v := s.findInFile(name); v != nil {
		return *v, nil
	}
	r, err := store.NewVirtualServers(s.svc.Store).Get(ctx, name)
	if err != nil {
		return VirtualServer{}, mapNotFound(err, "virtual server")
	}
	return viewVirtualServer(&r), nil
}

// Update changes the given fields.
func (s VirtualServers) Update(ctx context.Context, who *auth.Actor, name string, c VirtualServerChange, m Match) (VirtualServer, error) {
	var was changedRecord
	if _, err := s.svc.authorize(ctx, who, auth.MCPWrite, ""); err != nil {
		return VirtualServer{}, err
	}
	if s.findInFile(name) != nil {
		return VirtualServer{}, checkSource(store.SourceFile)
	}
	file, members := s.svc.MCPServers().listFileNames(), []store.VirtualMember(nil)
	r, err := store.NewVirtualServers(s.svc.Store).Change(ctx, name, func(r *store.VirtualServer) error {
		if err := m.Check(was.storeView(viewVirtualServer(r))); err != nil {
			return err
		}
		err := c.apply(r, file)
		members = r.Members
		return err
	})
	if err != nil {
		return VirtualServer{}, mapMemberError(err, members)
	}
	v := viewVirtualServer(&r)
	return v, s.svc.publishChange(ctx, who, updated, "virtual_server", name, "", was.view, v)
}

// Delete removes a virtual server. Its members stay.
func (s VirtualServers) Delete(ctx context.Context, who *auth.Actor, name string, m Match) error {
	var was changedRecord
	if _, err := s.svc.authorize(ctx, who, auth.MCPWrite, ""); err != nil {
		return err
	}
	err := store.NewVirtualServers(s.svc.Store).Delete(ctx, name, func(r store.VirtualServer) error {
		return m.Check(was.storeView(viewVirtualServer(&r)))
	})
	if err != nil {
		return mapDeleteError(mapNotFound(err, "virtual server"), err, s.findInFile(name) != nil)
	}
	return s.svc.publishChange(ctx, who, deleted, "virtual_server", name, "", was.view, nil)
}

// mapMemberError turns the store's error about an unknown member into an answer that says which one it is.
func mapMemberError(err error, members []store.VirtualMember) error {
	var unknown *store.UnknownMemberError
	if errors.As(err, &unknown) {
		at := slices.IndexFunc(members, func(m store.VirtualMember) bool { return m.Server == unknown.Server })
		return newInvalidValueError(fmt.Sprintf("servers[%d].server", at), "no MCP server has this name; /admin/v1/mcp-servers lists them")
	}
	if errors.Is(err, store.ErrNotFound) {
		return newNotFoundError("virtual server")
	}
	return mapServerError(err)
}

func viewVirtualServer(r *store.VirtualServer) VirtualServer {
	return VirtualServer{
		Name: r.Name, Servers: r.Members, ListTimeout: r.ListTimeout.Milliseconds(), Enabled: r.Enabled, Source: store.SourceAPI,
		Version: r.Version, CreatedAt: &r.CreatedAt, UpdatedAt: &r.UpdatedAt,
	}
}
