package wasm

import (
	"context"
	"testing"
	"time"

	"github.com/headgate-dev/headgate/core"
)

// lookStage returns the stage of testdata/look.c.
func lookStage(b testing.TB, config string) *FullStage {
	b.Helper()
	v, err := Load(
		context.Background(),
		LoadOptions{Source: testModule(b, "look"), Name: "look.wasm", Config: []byte(config), Limits: Limits{Timeout: 10 * time.Second}},
	)
	if err != nil {
		b.Fatal(err)
	}
	st, err := NewPlugin(v, Options{Link: "look"})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = st.Close(context.Background()) })
	return st.(*FullStage)
}

// BenchmarkStagePull measures a stage that reads only the model's name, and one that reads all texts of a request of ten messages and 8
// KB.
func BenchmarkStagePull(b *testing.B) {
	texts := make([]string, 10)
	for k := range texts {
		texts[k] = prose(8 << 10 / len(texts))
	}
	x := exchangeOf(core.Segment{Role: core.RoleUser, Kind: core.KindText}, texts...)
	x.Head.Model = "gpt-4o"
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for _, c := range []struct{ name, config string }{{"metadata", ""}, {"8KB", `{"texts":true}`}} {
		b.Run(c.name, func(b *testing.B) {
			st := lookStage(b, c.config)
			b.ReportAllocs()
			for b.Loop() {
				if v, err := st.Check(ctx, x, core.Request, nil); err != nil || v.Action != core.Pass {
					b.Fatal(v.Action, err)
				}
			}
		})
	}
}

// BenchmarkImport measures one call of a host function, from a loop in the guest.
func BenchmarkImport(b *testing.B) {
	st := lookStage(b, "")
	x := exchangeOf(core.Segment{Role: core.RoleUser, Kind: core.KindText}, "a")
	i, err := st.v.acquire(context.Background(), newTimeAllowance(1<<40), caller{})
	if err != nil {
		b.Fatal(err)
	}
	defer st.v.release(i, nil)
	calls := i.mod.ExportedFunction("calls")
	i.talk.begin(st, x, &job{phase: 1, body: &x.Request})
	const each = 1000
	b.ReportAllocs()
	for n := 0; n < b.N; n += each {
		i.stack[0] = each
		if err := calls.CallWithStack(&i.call, i.stack[:1]); err != nil || uint32(i.stack[0]) != each {
			b.Fatal(i.stack[0], err)
		}
	}
	i.talk.end()
}

func TestAStageThatLooksAtMetadataAllocatesNothing(t *testing.T) {
	for _, config := range []string{"", `{"texts":true}`} {
		st := lookStage(t, config)
		x := exchangeOf(core.Segment{Role: core.RoleUser, Kind: core.KindText}, "one", "two")
		x.Head.Model = "gpt-4o"
		ctx := context.Background()
		check := func() {
			if v, err := st.Check(ctx, x, core.Request, nil); err != nil || v.Action != core.Pass {
				t.Fatal(v.Action, err)
			}
		}
		check()
		if n := testing.AllocsPerRun(100, check); n > 0 {
			t.Fatalf("%v allocations", n)
		}
	}
}
