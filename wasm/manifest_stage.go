package wasm

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// How a streamed answer is handled by a stage with the phase response.
const (
	// StreamsWithhold withholds the answer until the stage has seen all of it. It is the default.
	StreamsWithhold = "withhold"
	// StreamsPass lets the answer through. The stage sees it at its end if its manifest names the phase stream_end.
	StreamsPass = "pass"
)

// Reads are the parts of an exchange that a guest asks for. All other parts are hidden from it.
type Reads struct {
	// Fields are values of the exchange, by their names in the ABI; for stages only.
	Fields []string `json:"fields,omitempty" yaml:"fields"`
	// Text lists sources of text. A detector that names none sees all of them.
	Text []string `json:"text,omitempty" yaml:"text"`
	// Headers are header fields of requests that a module of kind http-wasm sees besides those that say how to answer, if it reads the
	// field headers.
	Headers []string `json:"headers,omitempty" yaml:"headers"`
}

func (r *Reads) check(kind string) error {
	if !isStage(kind) && len(r.Fields) > 0 {
		return errors.New("manifest: reads.fields is for stages; a detector sees texts alone")
	}
	if _, err := parseFields("manifest: reads.fields", r.Fields); err != nil {
		return err
	}
	if _, err := parseSources("manifest: reads.text", r.Text); err != nil {
		return err
	}
	return r.checkHTTP(kind)
}

// hasAny reports whether the manifest asks for anything under a key.
func (r *Reads) hasAny(key string) bool {
	if key == "reads.fields" {
		return len(r.Fields) > 0
	}
	return len(r.Text) > 0
}

// buildView returns the requested parts. Their names must be valid.
func (r *Reads) buildView(kind string) (v view) {
	v.fields, _ = parseFields("", r.Fields)
	v.sources, _ = parseSources("", r.Text)
	if !isStage(kind) && len(r.Text) == 0 {
		v.sources = ^sourceSet(0)
	}
	return v
}

// Asks reports whether the manifest asks for a capability.
func (m *Manifest) Asks(capability string) bool { return m.has(capability) }

// has reports whether the manifest asks for a capability.
func (m *Manifest) has(capability string) bool { return slices.Contains(m.Capabilities, capability) }

// hasEffects reports whether calls of the plugin may change something outside of the exchange.
func (m *Manifest) hasEffects() bool {
	return m.has(abi.CapabilityState) || m.has(abi.CapabilityCall) || m.has(abi.CapabilityNotify)
}

// kinds are the plugin kinds that a manifest may name.
var kinds = []string{abi.KindDetector, abi.KindStage, abi.KindRego, abi.KindExtism, abi.KindHTTP}

// isStage reports whether plugins of a kind return verdicts. The others report findings, which the link's settings act on.
func isStage(kind string) bool {
	return kind == abi.KindStage || kind == abi.KindRego || kind == abi.KindHTTP
}

// IsStage reports whether the plugin returns verdicts. A detector reports findings, which its link's settings act on.
func (m *Manifest) IsStage() bool { return isStage(m.Kind) }

func (m *Manifest) checkStage() error {
	switch {
	case m.Kind == abi.KindRego && len(m.Capabilities) > 0:
		return errors.New("manifest: a policy of kind rego has no capabilities")
	case m.MaxMatch != 0 || m.Token || m.Remember:
		return errors.New("manifest: max_match, token and remember are for detectors")
	case m.Streams != "" && m.Streams != StreamsWithhold && m.Streams != StreamsPass:
		return errors.New("manifest: streams must be withhold or pass")
	case len(m.Samples) > 0:
		return errors.New("manifest: samples are for detectors")
	}
	for _, p := range m.Phases {
		if _, ok := abi.ParsePhase(p); !ok {
			return errors.New("manifest: phases of a stage are request, target, response, stream_end and finish")
		}
	}
	for _, c := range m.Capabilities {
		if !slices.Contains(capabilities, c) {
			return fmt.Errorf("manifest: capabilities of a stage are %s", strings.Join(capabilities, ", "))
		}
	}
	if m.Kind == abi.KindHTTP {
		return m.checkHTTP()
	}
	if m.has(abi.CapabilityBody) {
		if m.packPhases()&(1<<abi.PhaseResponse|1<<abi.PhaseStreamEnd) != 0 {
			return errors.New("manifest: phases of a stage with the capability body are request, target and finish; it reads the answer in finish")
		}
		if !m.Reads.buildView(m.Kind).seesAll() {
			return errors.New("manifest: a stage with the capability body sees all texts, so reads.text must list all sources")
		}
	}
	for _, l := range m.Labels {
		if strings.HasPrefix(l, "x-") {
			return errors.New("manifest: a stage's labels must not start with x-, which marks headers")
		}
	}
	return nil
}

// packPhases returns the phases in which a stage's hook is called, one bit per phase.
func (m *Manifest) packPhases() (bits uint8) {
	if len(m.Phases) == 0 {
		return 1<<abi.PhaseRequest | 1<<abi.PhaseResponse
	}
	for _, name := range m.Phases {
		if p, ok := abi.ParsePhase(name); ok {
			bits |= 1 << p
		}
	}
	return bits
}

// listStagePhases returns the phases of the chain in which a stage must be called. A stage with the phase finish only
// is also called for the request, because the chain notifies only stages that it has called before.
func (m *Manifest) listStagePhases() core.Phases {
	bits := m.packPhases()
	set := core.Phases(bits) & core.NewPhaseSet(core.Request, core.Target, core.Response)
	if bits&(1<<abi.PhaseStreamEnd) != 0 || m.has(abi.CapabilityBody) {
		set |= core.NewPhaseSet(core.Response)
	}
	if set == 0 {
		set = core.NewPhaseSet(core.Request)
	}
	return set
}
