package guardrail

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/stages/guardrail/learned"
)

func BenchmarkDefaultSet4KB(b *testing.B) {
	s, err := New(nil)
	require.NoError(b, err)
	st, ctx := s.(*Stage), context.Background()
	x := exchangeOf(b, prose)
	b.SetBytes(int64(len(prose)))
	b.ReportAllocs()
	for b.Loop() {
		v, err := st.Check(ctx, x, core.Request, nil)
		if err != nil || v.Action != core.Pass {
			b.Fatal(v.Action, err)
		}
		st.Finish(ctx, x, v.Keep)
	}
}

// BenchmarkDefaultSet8KB is the cost of a new message of 8 KiB. user-ns/op is the process's own CPU time, which other processes
// disturb less than the clock; the cell plain_8k of cmd/bench has the CPU time of a reverse proxy that copies as much.
func BenchmarkDefaultSet8KB(b *testing.B) {
	session := readSession(b)
	result := func(of string) string { // the middle of a file that the recorded agent has read
		return session[slices.IndexFunc(session, func(s turn) bool { return s.Arguments == of })].Result[8<<10 : 16<<10]
	}
	for name, text := range map[string]string{
		"prose": (prose + prose)[:8<<10], "words": ordinaryWords(8 << 10), "code": result("conn.go"), "changelog": result("CHANGELOG.md"),
	} {
		b.Run(name, func(b *testing.B) {
			s, err := New(nil)
			require.NoError(b, err)
			st, ctx := s.(*Stage), context.Background()
			x := exchangeOf(b, text)
			_, err = st.Check(ctx, x, core.Request, nil) // builds the lexicon
			require.NoError(b, err)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			before := userTime(b)
			for b.Loop() {
				v, err := st.Check(ctx, x, core.Request, nil)
				if err != nil || v.Action != core.Pass {
					b.Fatal(v.Action, err)
				}
				st.Finish(ctx, x, v.Keep)
			}
			b.ReportMetric(float64(userTime(b)-before)/float64(b.N), "user-ns/op")
		})
	}
}

// ordinaryWords returns n bytes of words of ordinary requests in no order, as loads of benchmarks have them.
func ordinaryWords(n int) string {
	words := strings.Fields("please review the customer message and write a short polite reply that answers every question about the order " +
		"which left our warehouse on monday while the invoice says friday so they want to know whether the refund for a damaged part was " +
		"sent to the bank account also list open actions from the meeting notes with an owner for each and the budget of june in october")
	r, b := rand.New(rand.NewPCG(7, 8)), strings.Builder{}
	for w := 1; b.Len() < n; w++ {
		b.WriteString(words[r.IntN(len(words))])
		switch {
		case w%23 == 0:
			b.WriteString(".\n")
		case w%9 == 0:
			b.WriteString(", ")
		default:
			b.WriteByte(' ')
		}
	}
	return b.String()[:n]
}

// userTime returns the CPU time that the process has used outside of the kernel.
func userTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano())
}

func BenchmarkAttackRules4KB(b *testing.B) {
	m, err := learned.Embedded()
	require.NoError(b, err)
	a, v := &attackScan{lex: attackWords(), auto: attackLiterals(), model: m}, new(view)
	steps := []struct {
		name string
		run  func()
	}{
		{"view", func() { v.read(prose) }},
		{"gate", func() { a.blocks = m.Gate().Scan(a.blocks[:0], v.norm) }},
		{"window", func() { m.Score(&a.reader, v.norm[:400], true) }},
		{"all", func() { v.read(prose); a.run(v) }},
	}
	for _, s := range steps {
		b.Run(s.name, func(b *testing.B) {
			b.SetBytes(int64(len(prose)))
			b.ReportAllocs()
			for b.Loop() {
				s.run()
			}
		})
	}
}

// BenchmarkStreamDelta is the cost of 20 bytes of an answer with the default set.
func BenchmarkStreamDelta(b *testing.B) {
	s, err := New(nil)
	require.NoError(b, err)
	st, ctx := s.(*Stage), context.Background()
	x := exchangeOf(b, "hello")
	f, err := st.Stream(ctx, x, nil)
	require.NoError(b, err)
	b.ReportAllocs()
	text, from, to := strings.Repeat(prose, 3), 0, 0 // the window is a piece of it, as the chain copies none either
	for b.Loop() {
		if to+20 > len(text) {
			from, to = from-len(prose), to-len(prose)
		}
		v, hold, err := f.Check(ctx, core.Window{Part: core.Part{Kind: core.KindText}, Text: text[from : to+20], New: to - from})
		if err != nil || v.Action != core.Pass {
			b.Fatal(v.Action, err)
		}
		to += 20
		from = to - hold
	}
}
