package chain

import (
	"slices"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/match"
)

// Mode says whether a link's verdict counts.
type Mode uint8

// Modes.
const (
	_       Mode = iota
	Enforce      // the verdict is carried out
	Shadow       // the verdict is recorded and changes nothing
)

// OnFault says what happens when a stage fails.
type OnFault uint8

// What happens on a fault. The zero value is treated as FaultBlocks.
const (
	_           OnFault = iota
	FaultBlocks         // the exchange is refused
	FaultPasses         // the link is skipped, and the fault recorded
)

// Filter narrows a link to some exchanges. Empty lists match everything. Patterns are globs; see Glob. A key matches by
// its id, its name, and the id of the first key that it replaced. A model matches by the client's name, with and
// without a provider's prefix, and by the name of the routed model. A shape matches by its own name and by the name in
// Exchange.RelatedDialect.
type Filter struct {
	Tenants, Keys, Models, Dialects []string
}

// Matches reports whether the filter admits the exchange.
func (f *Filter) Matches(x *core.Exchange) bool {
	return f.admits(x.Principal) && (len(f.Models) == 0 || slices.ContainsFunc(f.Models, x.Names)) &&
		matchesAny(f.Dialects, x.Dialect, x.RelatedDialect)
}

// admits reports whether the filter admits the caller, if the model and the shape fit.
func (f *Filter) admits(p *core.Principal) bool {
	if p == nil {
		p = &core.Principal{}
	}
	return matchesAny(f.Tenants, p.Tenant, "") && (matchesAny(f.Keys, p.KeyID, p.KeyName) || matchesAny(f.Keys, p.Lineage, ""))
}

func matchesAny(patterns []string, a, b string) bool {
	if len(patterns) == 0 {
		return true
	}
	for _, p := range patterns {
		if match.MatchesGlob(p, a) || b != "" && match.MatchesGlob(p, b) {
			return true
		}
	}
	return false
}

// Link is a stage's place in the chain. Timeout is enforced by the adapters of
// foreign code; compiled-in stages get the request's own context.
type Link struct {
	Name    string
	Stage   core.Stage
	Phases  core.Phases
	Mode    Mode
	OnFault OnFault
	Timeout time.Duration
	// CPU limits the CPU time of one call of a compiled-in stage: so much, and so much again for every MiB of the body.
	// 0: no limit.
	CPU time.Duration
	For Filter
	// Refusal replaces the stage's own message for clients when the stage refuses. Optional.
	Refusal string
	// Redacts is true for a link that redacts requests and restores answers. Such links always see the lines of batch
	// files.
	Redacts bool
	// Personal is true for a link whose findings are values of personal data, whatever their labels are.
	Personal bool
	// Guards is true for a link that judges content. Such links see the lines of batch files if the configuration says
	// so.
	Guards bool
	// Counts is true for a link that counts what exchanges cost. Calls that guards make pass such links alone.
	Counts bool
	// Implied is true for a link that the configuration does not write: one for records.
	Implied bool
	// Watch is called with each verdict of the link in shadow mode about a whole body. It must not modify or retain x, body or v.
	// Optional.
	Watch func(x *core.Exchange, p core.Phase, body *core.Payload, v *core.Verdict)
}

func (l *Link) isNarrowed() bool {
	return len(l.For.Tenants)+len(l.For.Keys)+len(l.For.Models)+len(l.For.Dialects) > 0
}

// matchExchange reports whether the link takes part in an exchange. An error is a panic of its stage.
func (l *Link) matchExchange(x *core.Exchange) (on bool, err error) {
	if l.isNarrowed() && !l.For.Matches(x) {
		return false, nil
	}
	s, ok := l.Stage.(core.ConditionalStage)
	if !ok {
		return true, nil
	}
	defer func() {
		if r := recover(); r != nil {
			err = panicError{describePanic(r)}
		}
	}()
	return s.Applies(x), nil
}

func isTapper(s core.Stage) bool {
	_, ok := s.(core.Tapper)
	return ok
}

// Concluder is a stage that says more in the header of a whole answer once its usage and cost are known, which are then in
// the exchange. Conclude is called at most once, before Finish, and changes nothing but the values of x.Header. kept is
// what the stage's last Verdict.Keep had.
type Concluder interface {
	Conclude(x *core.Exchange, kept any)
}
