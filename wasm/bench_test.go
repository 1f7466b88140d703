package wasm

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/headgate-dev/headgate/core"
)

// prose returns text without a match that contains the letters a scan looks for.
func prose(n int) string {
	const line = "Employees of the EMEA region - see the E-Mail of 2024-05-06 - met 17 times, and EMP is no number. "
	return strings.Repeat(line, n/len(line)+1)[:n]
}

func BenchmarkDetect(b *testing.B) {
	v := loadModule(b, LoadOptions{Limits: Limits{Timeout: time.Second}})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for _, size := range []struct {
		name string
		n    int
	}{{"16B", 16}, {"256B", 256}, {"4KB", 4 << 10}, {"100KB", 100 << 10}} {
		text := prose(size.n)
		b.Run(size.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, err := v.Detect(ctx, nil, text, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkStageCheck(b *testing.B) {
	v := loadModule(b, LoadOptions{Limits: Limits{Timeout: time.Second}})
	v.Acquire()
	st, err := NewStage(v, "employees", Settings{Action: "redact"})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = st.Close(context.Background()) }()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	with := prose(2<<10) + " EMP-123456 "
	for _, c := range []struct {
		name   string
		texts  []string
		action core.Action
	}{{"1KB", []string{prose(1 << 10)}, core.Pass}, {"8KB with hits", []string{with, with, with + with}, core.Rewrite}} {
		b.Run(c.name, func(b *testing.B) {
			x := exchangeOf(core.Segment{Role: core.RoleUser, Kind: core.KindText}, c.texts...)
			b.ReportAllocs()
			for b.Loop() {
				if v, err := st.Check(ctx, x, core.Request, nil); err != nil || v.Action != c.action {
					b.Fatal(v.Action, err)
				}
			}
		})
	}
}

func BenchmarkPool(b *testing.B) {
	v := loadModule(b, LoadOptions{})
	ctx := context.Background()
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			i, err := v.acquire(ctx, newTimeAllowance(time.Second), caller{})
			if err != nil {
				b.Error(err)
				return
			}
			v.release(i, nil)
		}
	})
}

func BenchmarkInstance(b *testing.B) {
	v := loadModule(b, LoadOptions{})
	b.ReportAllocs()
	for b.Loop() {
		i, err := v.newInstance(context.Background(), time.Second)
		if err != nil {
			b.Fatal(err)
		}
		i.close()
	}
}

func BenchmarkLoad(b *testing.B) {
	src := employeeID(b)
	b.ReportAllocs()
	for b.Loop() {
		v, err := Load(context.Background(), LoadOptions{Source: src, Name: "employee-id.wasm"})
		if err != nil {
			b.Fatal(err)
		}
		v.Release(context.Background())
	}
}

func BenchmarkStreamWindow(b *testing.B) {
	for _, action := range []string{"flag", "redact"} {
		b.Run(action, func(b *testing.B) {
			st := stageOf(b, employeeID(b), Settings{Action: action})
			f, err := st.Stream(context.Background(), nil, nil)
			if err != nil {
				b.Fatal(err)
			}
			text := prose(250)
			b.ReportAllocs()
			for b.Loop() {
				w := core.Window{Part: core.Part{Kind: core.KindText}, Text: text, Sent: 200, New: 200}
				if v, _, err := f.Check(context.Background(), w); err != nil || v.Action != core.Pass {
					b.Fatal(v.Action, err)
				}
			}
		})
	}
}
