package stdio

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"sync"

	dialect "github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// Spec describes a server's process.
type Spec struct {
	// Name is the server's name.
	Name string
	// Command is the absolute path of the program, Args its arguments.
	Command string
	Args    []string
	// Env is the whole environment, as NAME=value; nothing is inherited. Its values do not appear in logs.
	Env []string
	// Era is the server's era; 0: the gateway asks the server.
	Era dialect.Era
	// Timeouts limits the phases of a call; FirstByte also limits the start of the process.
	Timeouts upstream.Timeouts
	// MaxLine is the number of bytes of the longest message.
	MaxLine int
}

// Host shares processes between configurations: a reload that does not change a server does not end its process.
type Host struct {
	log     func(server, text string)
	refuses error // why this host starts no processes, or nil

	mu   sync.Mutex
	open map[[sha256.Size]byte]*shared
}

// shared is a server and the number of its users.
type shared struct {
	server *Server
	users  int
}

// NewHost returns a host. log receives the standard error of processes, and reports about them. It must not block.
// Optional.
func NewHost(log func(server, text string)) *Host {
	if log == nil {
		log = func(string, string) {}
	}
	return &Host{log: log, open: map[[sha256.Size]byte]*shared{}}
}

// errRefused says that the processes of servers do not run on a node of a fleet.
var errRefused = errors.New("servers with a command do not run on the nodes of a fleet: a control plane must not start programs on other machines")

// NewRefusingHost returns a host that starts nothing: each call of a server fails.
func NewRefusingHost() *Host {
	h := NewHost(nil)
	h.refuses = errRefused
	return h
}

// Open returns the server of a specification. Close the lease to release it; the last Close ends the process.
func (h *Host) Open(s Spec) *Lease {
	text, _ := json.Marshal(s) // a struct of texts and numbers cannot fail
	key := sha256.Sum256(text)
	h.mu.Lock()
	defer h.mu.Unlock()
	one := h.open[key]
	if one == nil {
		one = &shared{server: newServer(s, h.refuses, func(text string) { h.log(s.Name, text) })}
		h.open[key] = one
	}
	one.users++
	return &Lease{Server: one.server, give: sync.OnceFunc(func() { h.releaseServer(key, one) })}
}

func (h *Host) releaseServer(key [sha256.Size]byte, one *shared) {
	h.mu.Lock()
	one.users--
	last := one.users == 0
	if last {
		delete(h.open, key)
	}
	h.mu.Unlock()
	if last {
		one.server.close()
	}
}

// Lease is the use of a server by one configuration.
type Lease struct {
	*Server

	give func()
}

// Close releases the lease. The last lease's Close returns once the process has ended.
func (l *Lease) Close() error {
	l.give()
	return nil
}
