package tools

import (
	"encoding/base64"
	"fmt"

	"github.com/headgate-dev/headgate/core"
)

// Sealer seals values for clients. Nodes that serve the same clients share the key, so that each can open what another has
// sealed. A vault.Box is one.
type Sealer interface {
	Seal(plain []byte, context string) []byte
	Open(sealed []byte, context string) ([]byte, error)
}

// SealSession returns the id of a server's session for the client. Only the same key, even after a rotation, can use
// it, on behalf of the same user, and only with the same server.
func (s *Server) SealSession(p *core.Principal, id string) string {
	return base64.RawURLEncoding.EncodeToString(s.Sessions.Seal([]byte(id), s.formatOwner(p)))
}

// UnsealSession returns the server's id of a session, or false if the session is not the caller's.
func (s *Server) UnsealSession(p *core.Principal, sealed string) (string, bool) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(sealed)
	if err != nil {
		return "", false
	}
	id, err := s.Sessions.Open(raw, s.formatOwner(p))
	return string(id), err == nil
}

// formatOwner returns the owner of a caller's sessions. Those of a record end with it and with its address.
func (s *Server) formatOwner(p *core.Principal) string {
	key := p.Lineage
	if key == "" {
		key = p.KeyID
	}
	owner := s.Name + "\x00" + p.Tenant + "\x00" + key
	if p.User != "" {
		owner += "\x00user " + p.User
	}
	if s.Version > 0 {
		owner += fmt.Sprintf("\x00%d\x00%s", s.CreatedAt.UnixMilli(), s.Address)
	}
	return owner
}

// SetSealer sets the Sealer for the sessions of all servers. Call it before they serve.
func (s Servers) SetSealer(box Sealer) {
	for _, server := range s {
		server.Sessions = box
	}
}
