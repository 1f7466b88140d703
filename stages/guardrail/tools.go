package guardrail

import (
	"fmt"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/match"
)

// toolPolicy finds requests that offer forbidden tools. Names are globs.
type toolPolicy struct {
	allow, deny []string
	max         int
}

func newToolPolicy(d *detectorSettings, _ *engine) (detector, error) {
	if len(d.Allow)+len(d.Deny)+d.Max == 0 {
		return nil, fmt.Errorf("no rule: write allow, deny or max")
	}
	return &toolPolicy{d.Allow, d.Deny, d.Max}, nil
}

func (*toolPolicy) detect(_ *check, dst []finding) []finding { return dst }

func (t *toolPolicy) judge(x *core.Exchange) float32 {
	if t.max > 0 && len(x.Head.Tools) > t.max {
		return 1
	}
	for _, name := range x.Head.Tools {
		if matchesAny(t.deny, name) || len(t.allow) > 0 && !matchesAny(t.allow, name) {
			return 1
		}
	}
	return 0
}

func matchesAny(globs []string, name string) bool {
	for _, g := range globs {
		if match.MatchesGlob(g, name) {
			return true
		}
	}
	return false
}
