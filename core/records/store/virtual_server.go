package store

import (
	"context"
	"reflect"
	"slices"
	"time"
)

// VirtualServer joins MCP servers under one address.
type VirtualServer struct {
	Name        string // its id
	Members     []VirtualMember
	ListTimeout time.Duration // in which a member must answer a request for its list
	Enabled     bool
	Version     int64

	CreatedAt, UpdatedAt time.Time // set by the store

	// InFile are the members that the configuration file has. The caller sets it before the record is saved; it is not stored.
	InFile []string
}

// VirtualMember is a server that is part of a virtual one.
type VirtualMember struct {
	Server string   `json:"server" minLength:"1" maxLength:"128" doc:"The name of an MCP server, stored or in the file." example:"search"`
	Tools  []string `json:"tools,omitempty" doc:"Globs of its tools that are part of the virtual server. Omitted: all of them."`
}

// has reports whether a server is a member.
func (v *VirtualServer) has(server string) bool {
	return slices.ContainsFunc(v.Members, func(m VirtualMember) bool { return m.Server == server })
}

// UnknownMemberError means that a virtual server names a server that does not exist.
type UnknownMemberError struct{ Server string }

func (e *UnknownMemberError) Error() string { return "a member of the virtual server does not exist" }

var virtualServerTable = newTable(table[VirtualServer]{
	name: "virtual_server", noun: "virtual server", kind: "virtual_server",
	head: func(v *VirtualServer) head { return head{&v.Name, &v.Version, &v.CreatedAt, &v.UpdatedAt} },
	fields: func(v *VirtualServer) []field {
		return []field{
			newFixedField("id", &v.Name),
			{column: "members", at: newJSONCodec(&v.Members)},
			{column: "list_timeout", at: newMillisCodec(&v.ListTimeout)},
			{column: "enabled", at: &v.Enabled},
			{column: "version", at: &v.Version},
			newFixedField("created_at", newInstantCodec(&v.CreatedAt)),
			{column: "updated_at", at: newInstantCodec(&v.UpdatedAt)},
		}
	},
	saved: func(ctx context.Context, tx *Tx, before, now *VirtualServer) error {
		if before == nil {
			if err := tx.refuseTaken(ctx, "mcp_server", now.Name); err != nil {
				return err
			}
			if err := tx.refuseMoreThan(ctx, "virtual_server", maxVirtualServers); err != nil {
				return err
			}
		}
		if before != nil && reflect.DeepEqual(before.Members, now.Members) {
			return nil // the file may have lost one of them since
		}
		var stored []string
		if err := tx.SelectContext(ctx, &stored, "SELECT id FROM mcp_server"); err != nil {
			return err
		}
		for _, m := range now.Members {
			if !slices.Contains(now.InFile, m.Server) && !slices.Contains(stored, m.Server) {
				return &UnknownMemberError{m.Server}
			}
		}
		return nil
	},
})

// NewVirtualServers returns the virtual servers that are records of a database. Those of the configuration file are not among
// them. A member that is neither a record nor in InFile is an UnknownMemberError. A name that a server has is ErrExists.
func NewVirtualServers(db *DB) Records[VirtualServer] {
	return Records[VirtualServer]{db, virtualServerTable}
}
