package wasm

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// Ways to remember the first character of the last text and to reveal it: the guest reports it as a finding in the next text.
var leaks = map[string]guest{
	"in its memory": {detect: remembering(
		cat(i32c(2048), []byte{0x2d, 0, 0}),
		func(v []byte) []byte { return cat(i32c(2048), v, []byte{0x3a, 0, 0}) },
	)},
	"in a global": {globals: []byte{0x7f, 1, 0x41, 0, 0x0b}, detect: remembering(
		[]byte{0x23, 0},
		func(v []byte) []byte { return cat(v, []byte{0x24, 0}) },
	)},
	"in the size of its memory": {detect: remembering(
		cat([]byte{0x3f, 0}, i32c(4), []byte{0x6b}),
		func(v []byte) []byte { return cat(v, []byte{0x3f, 0}, i32c(4), []byte{0x6b, 0x6b, 0x40, 0, 0x1a}) },
	)},
	"in its table": {table: 1, detect: remembering(
		cat([]byte{0xfc, 0x10, 0}, i32c(1), []byte{0x6b}),
		func(v []byte) []byte {
			return cat([]byte{0xd0, 0x70}, v, []byte{0xfc, 0x10, 0}, i32c(1), []byte{0x6b, 0x6b, 0xfc, 0x0f, 0, 0x1a})
		},
	)},
}

// remembering returns the body of hg_detect: it reveals the value it has, and keeps the first byte of the text. It reports a span whose
// length is the remembered byte less 64: A is 1.
func remembering(have []byte, keep func([]byte) []byte) []byte {
	first := cat([]byte{0x20, 0, 0x2d, 0, 0}, i32c(64), []byte{0x6b})
	return cat(
		[]byte{0x20, 1}, i32c(100), []byte{0x47, 0x04, 0x40}, i64c(0), []byte{0x0f, 0x0b}, // only texts of 100 bytes
		have, []byte{0x21, 3},
		keep(first),
		[]byte{0x20, 3, 0x45, 0x04, 0x40}, i64c(0), []byte{0x0f, 0x0b}, // nothing to reveal
		i32c(spansAt), i32c(0), []byte{0x36, 2, 0},
		i32c(spansAt), []byte{0x20, 3, 0x36, 2, 4},
		i32c(spansAt), i32c(0), []byte{0x36, 2, 8},
		i32c(spansAt), i32c(0x3f800000), []byte{0x36, 2, 12},
		i64c(spansAt<<32|16),
	)
}

// secret returns a text of 100 bytes that starts with a letter.
func secret(letter byte) string {
	b := make([]byte, 100)
	for k := range b {
		b[k] = letter
	}
	return string(b)
}

func TestAGuestThatLeaksIsHeldBackByIsolation(t *testing.T) {
	for how, g := range leaks {
		g.locals = 1
		for _, isolate := range []Isolation{IsolateNone, IsolateTenant, IsolateCall} {
			t.Run(how+", isolate "+isolate.String(), func(t *testing.T) {
				v := loadModule(
					t,
					LoadOptions{Source: g.bytes(), Name: "leak.wasm", Limits: Limits{Instances: 1, Isolate: isolate, Timeout: 10 * time.Second}},
				)
				require.True(t, v.Acquire())
				st, err := NewStage(v, "link", Settings{})
				require.NoError(t, err)
				defer func() { assert.NoError(t, st.Close(context.Background())) }()
				told := func(tenant, text string) int {
					x := exchangeOf(core.Segment{Role: core.RoleUser, Kind: core.KindText}, text)
					x.Principal = &core.Principal{Tenant: tenant}
					got, err := st.Check(context.Background(), x, core.Request, nil)
					require.NoError(t, err)
					if len(got.Findings) == 0 {
						return 0
					}
					return got.Findings[0].End
				}
				assert.Zero(t, told("a", secret('G')))
				same := told("a", secret('H'))
				other := told("b", secret('I'))
				back := told("a", secret('J'))
				switch isolate {
				case IsolateNone:
					assert.Equal(t, []int{'G' - 64, 'H' - 64, 'I' - 64}, []int{same, other, back}, "without isolation the guest leaks")
				case IsolateTenant:
					assert.Equal(t, []int{'G' - 64, 0, 0}, []int{same, other, back})
				case IsolateCall:
					assert.Equal(t, []int{0, 0, 0}, []int{same, other, back})
				}
				assert.LessOrEqual(t, v.Stats().Instances, 1)
			})
		}
	}
}

func TestAStreamIsIsolatedLikeABody(t *testing.T) {
	g := leaks["in its memory"]
	g.locals = 1
	v := loadModule(
		t,
		LoadOptions{Source: g.bytes(), Name: "leak.wasm", Limits: Limits{Instances: 1, Isolate: IsolateTenant, Timeout: 10 * time.Second}},
	)
	require.True(t, v.Acquire())
	st, err := NewStage(v, "link", Settings{})
	require.NoError(t, err)
	defer func() { assert.NoError(t, st.Close(context.Background())) }()
	told := func(tenant, text string) int {
		f, err := st.Stream(context.Background(), &core.Exchange{Principal: &core.Principal{Tenant: tenant}}, nil)
		require.NoError(t, err)
		got, _, err := f.Check(context.Background(), core.Window{Part: core.Part{Kind: core.KindText}, Text: text, Last: true})
		require.NoError(t, err)
		require.NoError(t, f.Close(context.Background()))
		return len(got.Findings)
	}
	assert.Zero(t, told("a", secret('G')))
	assert.Equal(t, 1, told("a", secret('H')))
	assert.Zero(t, told("b", secret('I')))
}

func TestWhatAGuestWasConfiguredWithOutlivesIsolation(t *testing.T) {
	g := guest{
		locals: 1,
		config: cat(i32c(3000), []byte{0x20, 1, 0x3a, 0, 0}, i32c(0)), // the length of its settings
		detect: cat(i32c(spansAt), i32c(0), []byte{0x36, 2, 0},
			i32c(spansAt), i32c(3000), []byte{0x2d, 0, 0, 0x36, 2, 4},
			i32c(spansAt), i32c(0), []byte{0x36, 2, 8}, i32c(spansAt), i32c(0x3f800000), []byte{0x36, 2, 12},
			[]byte{0x20, 1}, i32c(100), []byte{0x47, 0x04, 0x7e}, i64c(0), []byte{0x05}, i64c(spansAt<<32|16), []byte{0x0b}),
	}
	v := loadModule(
		t,
		LoadOptions{
			Source: g.bytes(),
			Name:   "set.wasm",
			Config: []byte(`{"a":1}`),
			Limits: Limits{Instances: 1, Isolate: IsolateCall, Timeout: 10 * time.Second},
		},
	)
	for range 3 {
		got, err := v.Detect(context.Background(), nil, secret('A'), 0)
		require.NoError(t, err)
		require.Len(t, got, 1)
		assert.Equal(t, 7, got[0].End)
	}
	i, err := v.newInstance(context.Background(), 10*time.Second)
	require.NoError(t, err)
	defer i.close()
	assert.True(t, i.reset(), "an instance created later is reset to the same snapshot")
	assert.Equal(t, v.snapshot.memory[3000], byte(7))
}

func TestIsolationsHaveNames(t *testing.T) {
	for _, l := range []Isolation{IsolateNone, IsolateTenant, IsolateCall} {
		got, err := ParseIsolation(l.String())
		require.NoError(t, err)
		assert.Equal(t, l, got)
	}
	_, err := ParseIsolation("all")
	require.ErrorContains(t, err, "none, tenant or call")
	_, err = Limits{Isolate: 9}.withDefaults()
	require.Error(t, err)
}

func TestAStageIsIsolatedLikeADetector(t *testing.T) {
	// It fails if it was called before: by this instance, since it was created or reset.
	g := guest{
		nodetect: true, globals: []byte{0x7f, 1, 0x41, 0, 0x0b},
		funcs:    []fn{{typ: typII, code: cat([]byte{0x23, 0}, i32c(1), []byte{0x24, 0})}},
		extra:    []export{{abi.ExportStage, 0}},
		manifest: `{"name":"once","kind":"stage","phases":["request"]}`,
	}
	failed := core.FaultError
	for isolate, want := range map[Isolation][]core.Fault{
		IsolateNone:   {failed, 0, failed, failed}, // an instance that has served clients is replaced, and the call repeated
		IsolateTenant: {0, failed, 0, 0},
		IsolateCall:   {0, 0, 0, 0},
	} {
		t.Run(isolate.String(), func(t *testing.T) {
			v := loadModule(
				t,
				LoadOptions{Source: g.bytes(), Name: "once.wasm", Limits: Limits{Instances: 1, Isolate: isolate, Timeout: 10 * time.Second}},
			)
			require.True(t, v.Acquire())
			st, err := NewPlugin(v, Options{Link: "once"})
			require.NoError(t, err)
			defer func() { assert.NoError(t, st.Close(context.Background())) }()
			var got []core.Fault
			for _, tenant := range []string{"a", "a", "b", "a"} {
				x := exchangeOf(core.Segment{Role: core.RoleUser, Kind: core.KindText}, "text")
				x.Principal = &core.Principal{Tenant: tenant}
				before := v.Stats().Faults[failed]
				_, _ = st.Check(context.Background(), x, core.Request, nil)
				if v.Stats().Faults[failed] > before {
					got = append(got, failed)
				} else {
					got = append(got, 0)
				}
			}
			assert.Equal(t, want, got)
		})
	}
}
