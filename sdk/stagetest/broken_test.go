package stagetest

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/recall"
)

// probe is a test that may fail without failing the test that runs it.
type probe struct {
	testing.TB
	mu       sync.Mutex
	failed   bool
	cleanups []func()
}

func (p *probe) Helper() {}

func (p *probe) Errorf(string, ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failed = true
}

func (p *probe) FailNow() {
	p.Errorf("")
	runtime.Goexit()
}

func (p *probe) Cleanup(f func()) { p.cleanups = append(p.cleanups, f) }

// breaks reports whether a stage breaks a rule.
func breaks(t *testing.T, r rule, s *Suite) bool {
	p := &probe{TB: t}
	run := func(f func()) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			f()
		}()
		<-done
	}
	run(func() { r.check(p, s) })
	for i := len(p.cleanups) - 1; i >= 0; i-- {
		run(p.cleanups[i])
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.failed
}

// broken is a stage that cuts out a word as shout does, and breaks one rule.
type broken struct {
	check  func(ctx context.Context, x *core.Exchange, p core.Phase, kept any) (core.Verdict, error)
	filter func() core.StreamFilter
	finish func(kept any)
	close  func() error
	// recalls is true for a stage that was given a memory.
	recalls bool
}

var (
	_ core.StreamStage = (*broken)(nil)
	_ core.Finisher    = (*broken)(nil)
	_ core.Closer      = (*broken)(nil)
	_ recall.Stage     = (*broken)(nil)
)

func (b *broken) Check(ctx context.Context, x *core.Exchange, p core.Phase, kept any) (core.Verdict, error) {
	if b.check == nil {
		return shout{}.Check(ctx, x, p, kept)
	}
	return b.check(ctx, x, p, kept)
}

func (b *broken) Stream(context.Context, *core.Exchange, any) (core.StreamFilter, error) {
	if b.filter == nil {
		return s2{}, nil
	}
	return b.filter(), nil
}

func (b *broken) SetMemory(recall.Memory) { b.recalls = true }

func (b *broken) Finish(_ context.Context, _ *core.Exchange, kept any) {
	if b.finish != nil {
		b.finish(kept)
	}
}

func (b *broken) Close(context.Context) error {
	if b.close == nil {
		return nil
	}
	return b.close()
}

// changeVerdict is a stage whose verdicts are those of shout, changed.
func changeVerdict(change func(v *core.Verdict, text string)) func() *broken {
	return func() *broken {
		return &broken{check: func(ctx context.Context, x *core.Exchange, p core.Phase, kept any) (core.Verdict, error) {
			v, err := shout{}.Check(ctx, x, p, kept)
			text := ""
			if body := findBody(x, p); len(body.Segments) > 0 {
				text = body.ReadText(0)
			}
			change(&v, text)
			return v, err
		}}
	}
}

// newFiltered is a stage whose filters are functions.
func newFiltered(check func(w core.Window) (core.Verdict, int, error)) func() *broken {
	return func() *broken {
		return &broken{filter: func() core.StreamFilter { return filterFunc{check, nil} }}
	}
}

type filterFunc struct {
	check func(w core.Window) (core.Verdict, int, error)
	close func(ctx context.Context) error
}

func (f filterFunc) Check(_ context.Context, w core.Window) (core.Verdict, int, error) {
	return f.check(w)
}

func (f filterFunc) Close(ctx context.Context) error {
	if f.close == nil {
		return nil
	}
	return f.close(ctx)
}

var errBroken = errors.New("broken")

// hit reports whether the stage has something to say about a text.
func hit(text string) bool { return strings.Contains(text, "SHOUT") }

func suiteOf(make func() *broken) *Suite {
	return &Suite{
		New: func(testing.TB) core.Stage { return make() }, Texts: []string{one, "SHOU", "nothing"},
		Phases: []core.Phase{core.Request, core.Response}, Patience: 500 * time.Millisecond,
	}
}

func TestEachRuleOfTheContractCatchesAStageThatBreaksIt(t *testing.T) {
	for _, r := range rules {
		assert.NotEmpty(t, brokenStages[r.name], "no stage breaks the rule %q", r.name)
		for name, make := range brokenStages[r.name] {
			t.Run(r.name+": "+name, func(t *testing.T) {
				t.Parallel()
				assert.True(t, breaks(t, r, suiteOf(make)), "the rule does not see it")
			})
		}
	}
	assert.Len(t, brokenStages, len(rules), "a rule was renamed")
}

func TestAStageThatBreaksNoRulePassesAllOfThem(t *testing.T) {
	for _, r := range rules {
		assert.False(t, breaks(t, r, suiteOf(func() *broken { return &broken{} })), r.name)
	}
}
