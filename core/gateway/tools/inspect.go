package tools

import (
	"context"
	"errors"

	"github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/records/pins"
	"github.com/headgate-dev/headgate/core/records/store"
)

// Lister is an Upstream that the gateway itself can ask for its tools.
type Lister interface {
	// ListTools calls page for each page of the server's list with the body and the places of the definitions in it.
	// Both are valid only during the call.
	ListTools(ctx context.Context, era mcp.Era, page func(doc []byte, list []mcp.Definition) error) error
}

// ErrNoList means that a server cannot be asked for its tools.
var ErrNoList = errors.New("the server cannot be asked for its tools")

// FetchTools asks the server for its tools, as a client would, and returns their definitions in the order of the list.
// A definition that cannot be pinned has no digest.
func (s *Server) FetchTools(ctx context.Context) (offered []store.OfferedTool, era mcp.Era, err error) {
	lister, ok := s.Upstream.(Lister)
	if !ok {
		return nil, 0, ErrNoList
	}
	modern, err := s.DetectModern(ctx)
	if err != nil {
		return nil, 0, err
	}
	if era = mcp.Legacy; modern {
		era = mcp.Modern
	}
	err = lister.ListTools(ctx, era, func(doc []byte, list []mcp.Definition) error {
		for i := range list {
			if !mcp.IsToolName(list[i].Name) {
				continue
			}
			o := store.OfferedTool{Server: s.Name, Tool: list[i].Name, Required: s.Pin == PinRequired}
			if digest, canonical, err := pins.DigestDefinition(doc[list[i].At.Start:list[i].At.End]); err == nil {
				o.Digest, o.Definition = digest, string(canonical)
			}
			offered = append(offered, o)
		}
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	names := make([]string, len(offered))
	for i := range offered {
		names[i] = offered[i].Tool
	}
	s.RecordTools(names...)
	return offered, era, nil
}
