package tools

import (
	"encoding/base64"

	"github.com/headgate-dev/headgate/core"
)

// Sealer seals values for clients. Nodes that serve the same clients seal with the same key, so that each of them can open
// what another has sealed. A vault.Box is one.
type Sealer interface {
	Seal(plain []byte, context string) []byte
	Open(sealed []byte, context string) ([]byte, error)
}

// SealSession returns the id of a server's session as the client gets it. Only the same key, or one that takes its place,
// can use it, and only with the same server.
func (s *Server) SealSession(p *core.Principal, id string) string {
	return base64.RawURLEncoding.EncodeToString(s.Sessions.Seal([]byte(id), s.owner(p)))
}

// OpenSession returns the server's id of a session. It reports false for one that is not the caller's.
func (s *Server) OpenSession(p *core.Principal, sealed string) (string, bool) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(sealed)
	if err != nil {
		return "", false
	}
	id, err := s.Sessions.Open(raw, s.owner(p))
	return string(id), err == nil
}

// owner says whose a session is.
func (s *Server) owner(p *core.Principal) string {
	key := p.Lineage
	if key == "" {
		key = p.KeyID
	}
	return s.Name + "\x00" + p.Tenant + "\x00" + key
}

// SealWith sets the sealer of the sessions of all servers. It must be called before they serve.
func (s Servers) SealWith(box Sealer) {
	for _, server := range s {
		server.Sessions = box
	}
}
