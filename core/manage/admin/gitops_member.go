package admin

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/headgate-dev/headgate/core/records/store"
)

// The kinds of a document whose records share their names, and of which one names the other's.
const (
	kindServers = "mcp_servers"
	kindVirtual = "virtual_servers"
)

// serverNames are the names of servers before and after an import.
type serverNames struct {
	file    []string        // of servers of the configuration file
	stored  map[string]bool // before
	kept    map[string]bool // after; without those of the file
	removed map[string]bool // by prune
}

// checkMembers refuses an import after which a virtual server would name a server that does not exist, and one of a server and a
// virtual server of the same name.
func (s GitOps) checkMembers(ctx context.Context, c Config, prune bool) error {
	if !c.has(kindServers) && !c.has(kindVirtual) {
		return nil
	}
	virtual, err := store.NewVirtualServers(s.svc.Store).List(ctx)
	if err != nil {
		return err
	}
	names, err := s.listServerNames(ctx, c, prune)
	if err != nil {
		return err
	}
	before, after := map[string]*store.VirtualServer{}, map[string]bool{}
	for i := range virtual {
		before[virtual[i].Name] = &virtual[i]
	}
	for i, r := range c[kindVirtual] {
		after[r.id()] = true
		if before[r.id()] == nil && names.stored[r.id()] {
			return locateError(fmt.Sprintf("%s[%d]", kindVirtual, i), mapServerError(store.ErrExists))
		}
		if err := names.checkWanted(r, before[r.id()]); err != nil {
			return locateError(fmt.Sprintf("%s[%d]", kindVirtual, i), err)
		}
	}
	for i, r := range c[kindServers] {
		if id := r.id(); !names.stored[id] && (before[id] != nil || after[id]) {
			return locateError(fmt.Sprintf("%s[%d]", kindServers, i), mapServerError(store.ErrExists))
		}
	}
	return s.checkRemoved(c, prune, virtual, names)
}

// listServerNames returns the names of servers before and after an import.
func (s GitOps) listServerNames(ctx context.Context, c Config, prune bool) (*serverNames, error) {
	list, err := store.NewMCPServers(s.svc.Store).List(ctx)
	if err != nil {
		return nil, err
	}
	n := &serverNames{s.svc.MCPServers().listFileNames(), map[string]bool{}, map[string]bool{}, map[string]bool{}}
	for _, r := range c[kindServers] {
		n.kept[r.id()] = true
	}
	for i := range list {
		name := list[i].Name
		n.stored[name] = true
		if prune && c.has(kindServers) && !n.kept[name] && !slices.Contains(n.file, name) {
			n.removed[name] = true
		} else {
			n.kept[name] = true
		}
	}
	return n, nil
}

// checkWanted checks the members of a virtual server of the document. was is nil for a new one. Members that stay may be unknown,
// since the file may have lost them.
func (n *serverNames) checkWanted(r ConfigRecord, was *store.VirtualServer) error {
	b, err := json.Marshal(r["servers"])
	if err != nil {
		return err
	}
	var members []store.VirtualMember
	if err := json.Unmarshal(b, &members); err != nil {
		return newDocumentError(err)
	}
	if members == nil && was != nil {
		members = was.Members
	}
	stays := was != nil && reflect.DeepEqual(members, was.Members)
	for i, m := range members {
		at := fmt.Sprintf("servers[%d].server", i)
		switch {
		case n.removed[m.Server]:
			return newInvalidValueError(at, "the import deletes this server; keep it in %s, or remove the member", kindServers)
		case !stays && !n.kept[m.Server] && !slices.Contains(n.file, m.Server):
			return newInvalidValueError(at, "no MCP server has this name; add it to %s", kindServers)
		}
	}
	return nil
}

// checkRemoved refuses the deletion of servers that virtual servers outside of the document name.
func (s GitOps) checkRemoved(c Config, prune bool, virtual []store.VirtualServer, n *serverNames) error {
	for i := range virtual {
		v := &virtual[i]
		inDocument := slices.ContainsFunc(c[kindVirtual], func(r ConfigRecord) bool { return r.id() == v.Name })
		deleted := prune && c.has(kindVirtual) && s.svc.VirtualServers().findInFile(v.Name) == nil
		if inDocument || deleted {
			continue
		}
		for _, m := range v.Members {
			if n.removed[m.Server] {
				return prefixError(fmt.Sprintf("%s %q: ", kindServers, m.Server), mapServerError(&store.InUseError{By: []string{v.Name}}))
			}
		}
	}
	return nil
}
