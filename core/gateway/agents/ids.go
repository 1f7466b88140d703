package agents

import (
	"crypto/subtle"
	"encoding/base64"
	"strings"

	"github.com/headgate-dev/headgate/core"
)

// Marker returns a keyed digest of a text. Nodes that serve the same clients have the same key. A vault.Master is one.
type Marker interface {
	ComputeDigest(purpose string, text []byte) []byte
}

// purpose separates these digests from others of the same key.
const purpose = "a2a ids"

// The id of a task or a context belongs to the key for which the agent created it. Nothing is stored: the client gets the
// agent's id and a digest that only this gateway can compute for this caller.
//
//	agent              client
//	t-1          ◄──►  t-1.{digest}   made by the agent
//	c-1~{digest} ◄──►  c-1            made by the client, which may choose ids of contexts
const (
	markLen      = 22 // of 128 bits in base64
	fromAgent    = '.'
	fromClient   = '~'
	taskPlace    = "task\x00" // apart from contexts, so that no id of a context passes for one of a task
	contextPlace = "context\x00"
	clientPlace  = "client\x00"
)

// computeMark returns the digest of an id for a caller. A rotated key keeps its ids.
func (a *Agent) computeMark(p *core.Principal, place, id string) string {
	key := p.Lineage
	if key == "" {
		key = p.KeyID
	}
	sum := a.marks.ComputeDigest(purpose, []byte(place+a.Name+"\x00"+p.Tenant+"\x00"+key+"\x00"+id))
	return base64.RawURLEncoding.EncodeToString(sum)[:markLen]
}

// verifyID returns an id without its digest. It reports false if the digest is not the caller's.
func (a *Agent) verifyID(p *core.Principal, place string, sign byte, id string) (string, bool) {
	at := len(id) - markLen - 1
	if at <= 0 || id[at] != sign {
		return "", false
	}
	if subtle.ConstantTimeCompare([]byte(id[at+1:]), []byte(a.computeMark(p, place, id[:at]))) != 1 {
		return "", false
	}
	return strings.Clone(id[:at]), true
}

// ResolveTaskID returns the agent's id of a task. It reports false if the task is not the caller's.
func (a *Agent) ResolveTaskID(p *core.Principal, shown string) (id string, ok bool) {
	return a.verifyID(p, taskPlace, fromAgent, shown)
}

// ResolveContextID returns the agent's id of a context. An id that the client chose is bound to the caller.
func (a *Agent) ResolveContextID(p *core.Principal, shown string) string {
	if id, ok := a.verifyID(p, contextPlace, fromAgent, shown); ok {
		return id
	}
	return shown + string(fromClient) + a.computeMark(p, clientPlace, shown)
}

// BindTaskID returns the id of a task for the caller: the agent's id with a digest that binds it to the key.
func (a *Agent) BindTaskID(p *core.Principal, id string) string {
	return id + string(fromAgent) + a.computeMark(p, taskPlace, id)
}

// BindContextID returns the agent's id of a context as the caller gets it.
func (a *Agent) BindContextID(p *core.Principal, id string) string {
	if own, ok := a.verifyID(p, clientPlace, fromClient, id); ok {
		return own
	}
	return id + string(fromAgent) + a.computeMark(p, contextPlace, id)
}
