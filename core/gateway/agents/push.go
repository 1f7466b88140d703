package agents

import (
	"context"
	"encoding/base64"
	"encoding/json"

	"github.com/headgate-dev/headgate/core/dialect/a2a"
)

// Sealer seals values for agents. Nodes that serve the same clients share the key. A vault.Box is one.
type Sealer interface {
	Seal(plain []byte, context string) []byte
	Open(sealed []byte, context string) ([]byte, error)
}

// Push is where a caller wants to be notified of a task. Nothing is stored: it travels, sealed, in the address at which the agent
// notifies the gateway, so that the agent learns neither the caller's address nor its token.
type Push struct {
	a2a.PushTarget
	// Key is the hash of the caller's key. Notifications end with the key.
	Key []byte
}

// Notifier delivers notifications. Its methods may be called from many goroutines.
type Notifier interface {
	// Allows reports whether notifications may be delivered to a URL.
	Allows(url string) bool
	// Notify delivers a notification and returns the status of the answer. The error is an error of package upstream or
	// that of ctx.
	Notify(ctx context.Context, to *a2a.PushTarget, body []byte) (status int, err error)
}

// SealPush returns p as a segment of a path. Only this agent can use it.
func (a *Agent) SealPush(p *Push) string {
	plain, err := json.Marshal(p)
	if err != nil { // strings and bytes always have a form
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(a.pushes.Seal(plain, a.Name))
}

// OpenPush returns what SealPush has sealed. It reports false if the gateway has not sealed it for this agent.
func (a *Agent) OpenPush(sealed string) (p Push, ok bool) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(sealed)
	if err != nil {
		return p, false
	}
	plain, err := a.pushes.Open(raw, a.Name)
	if err != nil {
		return p, false
	}
	return p, json.Unmarshal(plain, &p) == nil
}
