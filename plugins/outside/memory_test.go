package outside

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/recall"
	"github.com/headgate-dev/headgate/plugins/remote"
	"github.com/headgate-dev/headgate/sdk/stagetest"
)

// remembering is a link that the suite of stages tries with a memory.
type remembering struct{ *remote.Stage }

func (r remembering) SetMemory(m recall.Memory) { r.UseMemory(m) }

func TestRememberedVerdictsAreThoseOfTheVendor(t *testing.T) {
	for vendor, action := range map[string]remote.Action{
		"presidio": remote.Redact, "moderations": remote.Block, "lakera": remote.Flag, Judge: remote.Block,
	} {
		t.Run(vendor, func(t *testing.T) {
			stagetest.Conform(t, stagetest.Suite{
				New: func(t testing.TB) core.Stage {
					return remembering{serve(t, fakeOf(vendor)).link(t, func(o *Options) { o.Settings.Action = action })}
				},
				Texts: texts, Phases: []core.Phase{core.Request, core.Response},
			})
		})
	}
}

// turn returns a long text of an agent's session.
func turn(i int) string {
	return fmt.Sprintf("turn %d: %s", i, strings.Repeat("words of a file that was read ", 20))
}

// checkText returns how many calls a check of a text makes.
func (s *served) checkText(t *testing.T, st *remote.Stage, tenant, text string) (calls int, v core.Verdict) {
	s.mu.Lock()
	before := len(s.bodies)
	s.mu.Unlock()
	x := stagetest.Text{Text: text}.Exchange()
	x.Principal = &core.Principal{Tenant: tenant}
	v, err := st.Check(context.Background(), x, core.Request, nil)
	require.NoError(t, err)
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.bodies) - before, v
}

func TestAVendorIsNotAskedTwiceAboutOneText(t *testing.T) {
	for _, f := range fakes {
		s := serve(t, f)
		memory := chain.NewMemory(1 << 20)
		link := func(change func(*Options)) *remote.Stage {
			st := s.link(t, func(o *Options) { o.Settings.Action = remote.Flag }, change)
			st.UseMemory(memory)
			return st
		}
		same := func(*Options) {}
		st := link(same)
		for _, text := range []string{turn(1), turn(2) + "PROJECT-APOLLO"} {
			first, v := s.checkText(t, st, "acme", text)
			assert.Positive(t, first, f.vendor)
			again, w := s.checkText(t, st, "acme", text)
			assert.Zero(t, again, f.vendor)
			assert.Equal(t, v, w, f.vendor)
			shared, _ := s.checkText(t, link(same), "acme", text)
			assert.Zero(t, shared, "%s: after a reload", f.vendor)
			other, _ := s.checkText(t, st, "other", text)
			assert.Positive(t, other, "%s: another tenant", f.vendor)
			changed, _ := s.checkText(t, link(func(o *Options) { o.Settings.RequestWindow = 300 }), "acme", text)
			assert.Positive(t, changed, "%s: other settings", f.vendor)
			off, _ := s.checkText(t, link(func(o *Options) { o.Settings.Remember = 0 }), "acme", text)
			assert.Positive(t, off, "%s: remember: 0", f.vendor)
		}
	}
}

func TestABlockedTextIsJudgedAgain(t *testing.T) {
	s := serve(t, fakeOf("lakera"))
	st := s.link(t)
	st.UseMemory(chain.NewMemory(1 << 20))
	for range 2 {
		n, v := s.checkText(t, st, "acme", turn(1)+"PROJECT-APOLLO")
		assert.Equal(t, 1, n)
		assert.Equal(t, core.Block, v.Action)
	}
}

func TestARememberedVerdictEnds(t *testing.T) {
	s := serve(t, fakeOf("lakera"))
	st := s.link(t, func(o *Options) { o.Settings.Remember = time.Nanosecond })
	st.UseMemory(chain.NewMemory(1 << 20))
	for range 2 {
		n, _ := s.checkText(t, st, "acme", turn(1))
		assert.Equal(t, 1, n)
	}
}

func TestAnAgentSendsItsHistoryToAVendorOnce(t *testing.T) {
	s := serve(t, fakeOf("lakera"))
	st := s.link(t)
	st.UseMemory(chain.NewMemory(1 << 20))
	x := &core.Exchange{Principal: &core.Principal{Tenant: "acme"}}
	for i := range 10 {
		start := len(x.Request.Raw)
		x.Request.Raw = append(x.Request.Raw, turn(i)...)
		next := &core.Exchange{Principal: x.Principal}
		next.Request.Raw = x.Request.Raw
		seg := core.Segment{Role: core.RoleTool, Kind: core.KindToolResult, Message: int32(i), Part: -1}
		seg.Span.Start, seg.Span.End = start, len(x.Request.Raw)
		x.Request.Segments = append(x.Request.Segments, seg)
		for _, o := range x.Request.Segments {
			next.Request.Segments = append(next.Request.Segments, core.Segment{Role: o.Role, Kind: o.Kind, Message: o.Message, Part: -1, Span: o.Span})
		}
		v, err := st.Check(t.Context(), next, core.Request, nil)
		require.NoError(t, err)
		assert.Equal(t, core.Pass, v.Action)
	}
	assert.Len(t, s.bodies, 10, "each turn's new text once")
}
