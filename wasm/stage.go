package wasm

import (
	"context"
	"fmt"
	"sync"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/recall"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// Stage is a detector as a link of the chain. The guest reports matches; the stage carries out the operator's decision about them.
type Stage struct {
	v       *Version
	name    string
	budget  budget
	actions []action // by label
	types   []string // of placeholders, by label
	message string
	sources sourceSet
	holds   bool // at least one label is redacted or blocked
	longest int  // longest hit, in bytes
	memory  recall.Part
	once    sync.Once
}

var (
	_ core.StreamStage = (*Stage)(nil)
	_ core.Closer      = (*Stage)(nil)
)

// NewStage creates a link from a version. On success it takes over one reference of the version, which Close releases; after an error the
// caller keeps it.
func NewStage(v *Version, link string, s Settings) (*Stage, error) {
	actions, err := s.listActions(v.Manifest.Labels)
	if err != nil {
		return nil, err
	}
	sources, err := s.parseSources()
	if err != nil {
		return nil, err
	}
	st := &Stage{
		v:       v,
		name:    link,
		budget:  v.newBudget(),
		actions: actions,
		message: s.Message,
		sources: sources,
		longest: findMaxHitLength(&v.Manifest),
	}
	for i, label := range v.Manifest.Labels {
		st.types = append(st.types, makePlaceholderType(label))
		st.holds = st.holds || actions[i] != flag
	}
	return st, nil
}

// Version returns the module behind the stage.
func (s *Stage) Version() *Version { return s.v }

// Close releases the stage's reference of its version.
func (s *Stage) Close(ctx context.Context) error {
	s.once.Do(func() { s.v.Release(ctx) })
	return nil
}

// newRefusal returns the error for the client. place is that of a refused tool result, or "".
func (s *Stage) newRefusal(label int, p core.Phase, place string) *core.Error {
	text := s.message
	if text == "" {
		what := "this request"
		switch {
		case p == core.Response:
			what = "the answer"
		case place != "":
			what = "the tool result in " + place
		}
		text = fmt.Sprintf("the guard %q found %s in %s, which must not pass", s.name, s.v.Manifest.Labels[label], what)
	}
	return &core.Error{Kind: core.ContentFiltered, Code: core.CodeContentFilter, Public: text}
}

// classifySource returns the ABI's source of a text.
func classifySource(r core.Role, k core.SegmentKind) abi.Source {
	switch k {
	case core.KindToolArgs:
		return abi.SourceToolArgs
	case core.KindToolResult:
		return abi.SourceToolResult
	case core.KindReasoning:
		return abi.SourceReasoning
	case core.KindDefinition:
		return abi.SourceDefinition
	case core.KindOther:
		return abi.SourceOther
	case core.KindRefusal:
		return abi.SourceAssistant
	}
	switch r {
	case core.RoleSystem:
		return abi.SourceSystem
	case core.RoleUser:
		return abi.SourceUser
	case core.RoleAssistant:
		return abi.SourceAssistant
	case core.RoleTool:
		return abi.SourceToolResult
	}
	return abi.SourceUnknown
}

// ReleaseRequest implements chain.RequestReleaser: a detector sees texts of answers only.
func (*Stage) ReleaseRequest(context.Context, *core.Exchange, any) bool { return true }
