package tools

import (
	"crypto/sha256"
	"encoding/json"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/records/pins"
	"github.com/headgate-dev/headgate/core/records/store"
)

// Pinning says which definitions of a server's tools are served. The zero value serves all of them.
type Pinning uint8

// The ways of pinning.
const (
	PinOff      Pinning = iota
	PinFirstUse         // the first definition is trusted, any other is not served
	PinRequired         // each definition needs an approval
)

// Pins holds the pinned definitions of all servers' tools. Calls read it without a lock. It outlives configurations; the
// store keeps it across restarts.
type Pins struct {
	// Note receives an offered definition that the store does not know yet. It must not block. It reports whether it
	// has accepted the definition; if not, a later list calls it again. Optional.
	Note func(*store.OfferedTool) bool

	mu  sync.Mutex                                     // of writers
	all atomic.Pointer[map[string]map[string]knownPin] // by server and tool
}

// knownPin is the pin of a tool in memory.
type knownPin struct {
	pins.Pin
	annotations map[string]any // of the trusted definition; not changed
	// raw is the SHA-256 of the spelling of the trusted definition that was seen last, which saves reading it again.
	raw [sha256.Size]byte
	// unsaved is true until the store has the pin; noted is when Note was last called.
	unsaved bool
	noted   time.Time
}

// noteAgain is the least time between two calls of Note for one tool: a server may change the definition with each
// list.
const noteAgain = time.Minute

// NewPins returns the pins of a process. note may be nil.
func NewPins(note func(*store.OfferedTool) bool) *Pins {
	p := &Pins{Note: note}
	p.all.Store(&map[string]map[string]knownPin{})
	return p
}

// SetPins sets the pins of all servers. It must be called before they serve.
func (s Servers) SetPins(p *Pins) {
	for _, server := range s {
		server.pins = p
	}
}

// IsQuarantined reports whether a tool must not be called: its definition has drifted or is not approved yet, or the server has too
// many pinned tools.
func (s *Server) IsQuarantined(tool string) bool {
	if s.Pin == PinOff || s.pins == nil {
		return false
	}
	all := (*s.pins.all.Load())[s.Name]
	k, ok := all[tool]
	if !ok {
		return s.Pin == PinRequired || len(all) >= pins.MaxTools
	}
	return k.State != pins.Pinned
}

// ReviewTools compares the definitions in a list that the server has sent with the pinned ones, and returns the names of those
// that must not be served. doc is the body that contains them, as the server sent it.
func (s *Server) ReviewTools(doc []byte, list []mcp.Definition) (withheld map[string]bool) {
	if s.Pin == PinOff || s.pins == nil {
		return nil
	}
	now, all := time.Now(), (*s.pins.all.Load())[s.Name]
	var changes []change
	for i := range list {
		d := &list[i]
		if !mcp.IsToolName(d.Name) {
			continue // no list shows it
		}
		raw := doc[d.At.Start:d.At.End]
		sum := sha256.Sum256(raw)
		if k, ok := all[d.Name]; ok && k.State == pins.Pinned && k.raw == sum && !k.unsaved {
			continue
		}
		digest, canonical, err := pins.DigestDefinition(raw)
		required := s.Pin == PinRequired || err != nil
		if err != nil { // it cannot be compared
			digest, canonical = pins.BuildSubstitute(raw, err)
		}
		changes = append(changes, change{tool: d.Name, digest: digest, canonical: canonical, raw: sum, required: required})
	}
	if len(changes) == 0 {
		return withheld
	}
	for _, name := range s.pins.recordOffers(s, changes, now) {
		withheld = addWithheld(withheld, name)
	}
	return withheld
}

func addWithheld(set map[string]bool, name string) map[string]bool {
	if set == nil {
		set = map[string]bool{}
	}
	set[strings.Clone(name)] = true
	return set
}

// change is a listed definition that is not known to be trusted.
type change struct {
	tool, digest string
	canonical    []byte
	raw          [sha256.Size]byte
	required     bool // a tool that was not seen before needs an approval
}

// recordOffers records offered definitions, and returns the tools that must not be served.
func (p *Pins) recordOffers(s *Server, changes []change, now time.Time) (withheld []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	all, cloned := (*p.all.Load())[s.Name], false
	for i := range changes {
		c := &changes[i]
		k, ok := all[c.tool]
		if !ok && len(all) >= pins.MaxTools {
			withheld = append(withheld, c.tool)
			continue
		}
		next, changed, drifted := k.Observe(c.digest, c.required)
		if !changed && !k.unsaved && next.State != pins.Pinned {
			withheld = append(withheld, c.tool)
			continue
		}
		if !cloned {
			all, cloned = cloneOrMake(all), true
		}
		k.Pin, k.unsaved = next, k.unsaved || changed
		if next.State == pins.Pinned {
			k.raw, k.annotations = c.raw, readAnnotations(c.canonical)
		}
		if k.unsaved && p.Note != nil && (drifted || now.Sub(k.noted).Abs() >= noteAgain) {
			note := &store.OfferedTool{
				Server: s.Name, Tool: strings.Clone(c.tool), Digest: c.digest, Definition: string(c.canonical), Required: c.required,
			}
			if p.Note(note) {
				k.noted = now
			}
		}
		all[strings.Clone(c.tool)] = k
		if next.State != pins.Pinned {
			withheld = append(withheld, c.tool)
		}
	}
	if cloned {
		p.set(s.Name, all)
	}
	return withheld
}

// set replaces the pins of one server. The caller holds p.mu.
func (p *Pins) set(server string, all map[string]knownPin) {
	servers := maps.Clone(*p.all.Load())
	servers[server] = all
	p.all.Store(&servers)
}

// cloneOrMake returns a copy that can be written to.
func cloneOrMake(all map[string]knownPin) map[string]knownPin {
	if all == nil {
		return map[string]knownPin{}
	}
	return maps.Clone(all)
}

// Load replaces the pins with those of the store. It keeps pins that the store does not have yet.
func (p *Pins) Load(stored []store.ToolPin) {
	p.mu.Lock()
	defer p.mu.Unlock()
	old, servers := *p.all.Load(), map[string]map[string]knownPin{}
	keep := func(server, tool string, k knownPin) {
		if servers[server] == nil {
			servers[server] = map[string]knownPin{}
		}
		servers[server][tool] = k
	}
	for i := range stored {
		r := &stored[i]
		keep(r.Server, r.Tool, old[r.Server][r.Tool].adopt(r))
	}
	for server, all := range old {
		for tool, k := range all {
			if _, ok := servers[server][tool]; !ok && k.unsaved {
				keep(server, tool, k)
			}
		}
	}
	p.all.Store(&servers)
}

// Apply replaces a pin in memory by the changed record of the store.
func (p *Pins) Apply(stored *store.ToolPin) {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := cloneOrMake((*p.all.Load())[stored.Server])
	all[stored.Tool] = all[stored.Tool].adopt(stored)
	p.set(stored.Server, all)
}

// adopt returns the pin after the store was read. A drift that the store does not have yet keeps the tool in
// quarantine.
func (k knownPin) adopt(stored *store.ToolPin) knownPin {
	if k.Pin == stored.Pin {
		k.unsaved = false
		if k.annotations == nil {
			k.annotations = readAnnotations([]byte(stored.Definition))
		}
		return k
	}
	if k.unsaved && k.State == pins.Drifted && stored.State == pins.Pinned && stored.Digest != k.Offered {
		k.Digest = stored.Digest
		return k
	}
	return knownPin{Pin: stored.Pin, annotations: readAnnotations([]byte(stored.Definition))}
}

// readAnnotations returns the annotations in a definition, or nil. Only the member `annotations` counts: a struct would take
// `Annotations` too, which clients ignore.
func readAnnotations(definition []byte) (annotations map[string]any) {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(definition, &members) // a trusted definition is JSON
	if err := json.Unmarshal(members["annotations"], &annotations); err != nil {
		return nil
	}
	return annotations
}

// FindReadOnly returns the digest of a tool's trusted definition if that says that the tool is read-only, and its server is
// known well enough to reuse results. What a virtual server lists does not count.
func (s *Server) FindReadOnly(tool string) (digest string, ok bool) {
	if s.Pin == PinOff || s.pins == nil || s.Origin == "" || len(s.Members) > 0 {
		return "", false
	}
	k := (*s.pins.all.Load())[s.Name][tool]
	readOnly, _ := k.annotations["readOnlyHint"].(bool)
	return k.Digest, readOnly && k.State == pins.Pinned && k.Digest != ""
}

// FindAnnotations returns the annotations in the trusted definition of a tool, or nil. The caller must not modify the
// result.
func (s Servers) FindAnnotations(server, tool string) map[string]any {
	v := s[server]
	if v == nil || v.pins == nil {
		return nil
	}
	return (*v.pins.all.Load())[server][tool].annotations
}
