package process

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/plugins/process/pb"
)

// Manifest describes a plugin and what it wants to see. The gateway shows it that, as far as the operator grants it, and
// nothing else.
type Manifest struct {
	// Name consists of small letters, digits and hyphens. By default it is the file's name.
	Name string
	// Version is the plugin's version; by default "0".
	Version string
	// Phases are the phases of the stage; by default request and response.
	Phases []core.Phase
	// Fields of the exchange that it wants; see pb.Fields.
	Fields []string
	// Texts that it wants; see pb.Texts.
	Texts []string
	// State requests the capability to take limits and to store values: see the type State.
	State bool
	// Capabilities are further ones, see pb.Capabilities.
	Capabilities []string
	// StreamBytes is the least new text of a stream, in bytes, per call; 0: each piece as it comes. A call costs some 50
	// µs, so a filter that does not need single words should wait for a few hundred bytes.
	StreamBytes int
}

// Describer is a stage with a manifest. A stage without one sees all texts and no field.
type Describer interface{ Manifest() Manifest }

// Configurer is a stage with settings: the config block of its link as JSON, or nil.
// An error refuses them, and is written to the gateway's log.
type Configurer interface{ Configure(config []byte) error }

// Grant is what the operator grants of what the plugin requests.
type Grant struct{ Fields, Texts, Capabilities, Scopes, Upstreams []string }

// Grantee is a stage that learns what is granted, before its settings arrive.
type Grantee interface{ SetGrant(g Grant) }

// buildManifest returns the manifest of a stage.
func buildManifest(stage core.Stage) Manifest {
	m := Manifest{Texts: pb.Texts}
	if d, ok := stage.(Describer); ok {
		m = d.Manifest()
	}
	if m.Name == "" {
		base := strings.ToLower(filepath.Base(os.Args[0]))
		m.Name = strings.TrimSuffix(base, filepath.Ext(base))
	}
	if m.Version == "" {
		m.Version = "0"
	}
	if len(m.Phases) == 0 {
		m.Phases = []core.Phase{core.Request, core.Response}
	}
	return m
}

func (m *Manifest) buildHello(stage core.Stage) *pb.Hello {
	h := &pb.Hello{Name: m.Name, Version: m.Version, Fields: m.Fields, Texts: m.Texts, StreamBytes: uint32(m.StreamBytes)}
	for _, p := range m.Phases {
		h.Phases = append(h.Phases, pb.Phase(p))
	}
	if m.State {
		h.Capabilities = []string{pb.CapabilityState}
	}
	h.Capabilities = append(h.Capabilities, m.Capabilities...)
	_, h.Streams = stage.(core.StreamStage)
	_, h.Finish = stage.(core.Finisher)
	return h
}
