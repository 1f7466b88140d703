package wasm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// Manifest is the author's description of a plugin. It is JSON in the module's
// custom section headgate.manifest, or a YAML file beside the module.
type Manifest struct {
	Name    string `json:"name" yaml:"name"`
	Version string `json:"version,omitempty" yaml:"version"`
	Kind    string `json:"kind" yaml:"kind"`
	// Role is the compiled-in stage that the plugin stands in for: pii, policy, guardrail, ratelimit, budget or cache. The order rules of
	// that stage then hold for it. Optional.
	Role string `json:"role,omitempty" yaml:"role"`
	// Labels are the kinds of matches that a detector reports; a span's label is an index into them. For a stage they are the labels that
	// it may report.
	Labels []string `json:"labels,omitempty" yaml:"labels"`
	// MaxMatch is the length of the longest match in bytes, at most abi.MaxMatch, or abi.MaxStreamMatch for a guest with hg_stream. A
	// streamed answer may be delayed by this many bytes.
	MaxMatch int `json:"max_match,omitempty" yaml:"max_match"`
	// Token declares that a match never contains white space (blank, tab, line feed, carriage return), so that a stream need only wait
	// for the end of a word.
	Token bool `json:"token,omitempty" yaml:"token"`
	// Remember declares that the matches in a text depend only on the text, its source and the configuration, so that a text without
	// matches need not be judged again when it is sent again.
	Remember bool `json:"remember,omitempty" yaml:"remember"`
	// Phases are the phases in which the guest runs. The default is request and
	// response.
	Phases       []string `json:"phases,omitempty" yaml:"phases"`
	Capabilities []string `json:"capabilities,omitempty" yaml:"capabilities"`
	// Streams is pass for a stage that inspects answers but neither changes nor refuses streamed ones, so that they need not wait: it is
	// then called only at their end.
	Streams string `json:"streams,omitempty" yaml:"streams"`
	// Reads are the parts of an exchange that the guest asks for.
	Reads Reads `json:"reads,omitzero" yaml:"reads"`
	// MinMemory is the least memory, in bytes, that the guest needs.
	MinMemory int64 `json:"min_memory,omitempty" yaml:"min_memory"`
	// Entrypoint is the deciding rule of a compiled policy, in OPA's spelling: headgate/decision. It may be omitted if the policy has a
	// single entrypoint.
	Entrypoint string `json:"entrypoint,omitempty" yaml:"entrypoint"`
	Licence    string `json:"licence,omitempty" yaml:"licence"`
	// Samples are run before the module serves.
	Samples []Sample `json:"samples,omitempty" yaml:"samples"`
}

// Sample is a text and the labels that must be found in it, in order.
type Sample struct {
	Text string `json:"text" yaml:"text"`
	// For a stage they are the labels that it may report.
	Labels []string `json:"labels,omitempty" yaml:"labels"`
}

// Bounds of a manifest.
const (
	maxManifest = 64 << 10
	maxLabels   = 1024
	maxSamples  = 64
)

// ErrNoManifest is returned for a module without a manifest, neither in the module nor in a separate file.
var ErrNoManifest = errors.New("the module has no manifest: pack one into it, or put it beside it as <file>.wasm.yaml")

// ParseManifest parses a manifest in JSON. It fails on unknown keys and on values out of bounds.
func ParseManifest(b []byte) (*Manifest, error) {
	if len(b) > maxManifest {
		return nil, fmt.Errorf("the manifest has %d bytes, at most %d are allowed", len(b), maxManifest)
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	m := new(Manifest)
	if err := d.Decode(m); err != nil {
		return nil, fmt.Errorf("read the manifest: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("read the manifest: data follows it")
	}
	if err := m.Check(); err != nil {
		return nil, err
	}
	return m, nil
}

// roles are the compiled-in stages that a plugin may stand in for.
var roles = []string{"pii", "policy", "guardrail", "ratelimit", "budget", "cache"}

// Check returns an error if the manifest is invalid.
func (m *Manifest) Check() error {
	switch {
	case !isPlainName(m.Name):
		return errors.New("manifest: name must be 1 to 64 letters, digits, dots, dashes or underscores")
	case len(m.Version) > 64 || len(m.Licence) > 64 || stripControls(m.Version+m.Licence, 200) != m.Version+m.Licence:
		return errors.New("manifest: version and licence must be short plain text")
	case !slices.Contains(kinds, m.Kind):
		return fmt.Errorf("manifest: kind must be one of %s", strings.Join(kinds, ", "))
	case m.Role != "" && !slices.Contains(roles, m.Role):
		return fmt.Errorf("manifest: role must be one of %s", strings.Join(roles, ", "))
	case m.Entrypoint != "" && m.Kind != abi.KindRego:
		return errors.New("manifest: entrypoint is for policies of kind rego")
	case len(m.Labels) > maxLabels:
		return fmt.Errorf("manifest: at most %d labels are allowed", maxLabels)
	case m.MinMemory < 0:
		return errors.New("manifest: min_memory must not be negative")
	case len(m.Samples) > maxSamples:
		return fmt.Errorf("manifest: at most %d samples are allowed", maxSamples)
	}
	for i, l := range m.Labels {
		if !isPlainName(l) || slices.Contains(m.Labels[:i], l) {
			return fmt.Errorf("manifest: label %d must be 1 to 64 letters, digits, dots, dashes or underscores, and must not repeat another label", i)
		}
	}
	if err := m.Reads.check(m.Kind); err != nil {
		return err
	}
	if m.IsStage() {
		return m.checkStage()
	}
	return m.checkDetector()
}

// capabilities are the names of all capabilities.
var capabilities = []string{
	abi.CapabilityNow, abi.CapabilityRandom, abi.CapabilityState, abi.CapabilityRedact, abi.CapabilityPatch,
	abi.CapabilityNotify, abi.CapabilityCall, abi.CapabilityRestore, abi.CapabilityBody,
}

func (m *Manifest) checkDetector() error {
	switch {
	case m.Streams != "":
		return errors.New("manifest: streams is for stages")
	case len(m.Labels) == 0:
		return fmt.Errorf("manifest: a detector has 1 to %d labels", maxLabels)
	case m.MaxMatch < 1 || m.MaxMatch > abi.MaxStreamMatch:
		return fmt.Errorf("manifest: max_match must be 1 to %d bytes, or to %d with %s", abi.MaxMatch, abi.MaxStreamMatch, abi.ExportStream)
	}
	for _, p := range m.Phases {
		if _, ok := parsePhase(p); !ok {
			return errors.New("manifest: phases of a detector are request, target and response")
		}
	}
	for _, c := range m.Capabilities {
		switch c {
		case abi.CapabilityNow, abi.CapabilityRandom:
		case abi.CapabilityState, abi.CapabilityRedact, abi.CapabilityPatch, abi.CapabilityNotify, abi.CapabilityCall, abi.CapabilityRestore,
			abi.CapabilityBody:
			return fmt.Errorf("manifest: the capability %s is for stages", c)
		default:
			return errors.New("manifest: capabilities of a detector are now and random")
		}
	}
	for i, s := range m.Samples {
		if !utf8.ValidString(s.Text) {
			return fmt.Errorf("manifest: the text of sample %d is not UTF-8", i)
		}
		for _, l := range s.Labels {
			if !slices.Contains(m.Labels, l) {
				return fmt.Errorf("manifest: sample %d expects a label that the manifest does not have", i)
			}
		}
	}
	return nil
}

// PhaseSet returns the phases of the chain in which the guest runs.
func (m *Manifest) PhaseSet() core.Phases {
	if m.IsStage() {
		return m.listStagePhases()
	}
	if len(m.Phases) == 0 {
		return core.NewPhaseSet(core.Request, core.Response)
	}
	var set core.Phases
	for _, name := range m.Phases {
		if p, ok := parsePhase(name); ok {
			set |= core.NewPhaseSet(p)
		}
	}
	return set
}

func parsePhase(name string) (core.Phase, bool) {
	for _, p := range []core.Phase{core.Request, core.Target, core.Response} {
		if p.String() == name {
			return p, true
		}
	}
	return 0, false
}

func isPlainName(s string) bool {
	if s == "" || len(s) > 64 {
		return false
	}
	return strings.IndexFunc(s, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '.' || r == '-' || r == '_')
	}) < 0
}
