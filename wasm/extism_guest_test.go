package wasm

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/wasm/abi"
)

var codenames = Manifest{Name: "codenames", Kind: "extism", Labels: []string{"codename"}, MaxMatch: 64}

func loadExtism(t testing.TB, source []byte, settings string) (*Version, error) {
	t.Helper()
	m := codenames
	v, err := Load(
		context.Background(),
		LoadOptions{Source: source, Name: "codenames.wasm", Manifest: &m, Config: []byte(settings), Limits: Limits{Timeout: time.Second}},
	)
	if err == nil {
		t.Cleanup(func() { v.Release(context.Background()) })
	}
	return v, err
}

func codenamesModule(t testing.TB) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "sdk", "samples", "codenames", "codenames.wasm"))
	require.NoError(t, err)
	return b
}

func TestAnExtismPlugInFindsWhatItLooksFor(t *testing.T) {
	v, err := loadExtism(t, codenamesModule(t), `{"words":"apollo, Zephyr"}`)
	require.NoError(t, err)
	for _, c := range []struct {
		text  string
		flags uint32
		want  [][2]int
	}{
		{"", 0, nil},
		{"Project Apollo and zephyr; apollonian, xapollo", 0, [][2]int{{8, 14}, {19, 25}}},
		{"grün apollo", 0, [][2]int{{6, 12}}},
		{"say apollo", abi.DetectAfter, nil},
		{"apollo", abi.DetectBefore, nil},
		{"apollo.", abi.DetectAfter, [][2]int{{0, 6}}},
	} {
		got, err := v.Detect(context.Background(), nil, c.text, abi.WithSource(c.flags, abi.SourceUser))
		require.NoError(t, err, c.text)
		var spans [][2]int
		for _, m := range got {
			assert.InDelta(t, 1, m.Score, 0)
			spans = append(spans, [2]int{m.Start, m.End})
		}
		assert.Equal(t, c.want, spans, c.text)
	}
}

func TestAnExtismPlugInTellsThatASettingIsMissing(t *testing.T) {
	var said []string
	m := codenames
	_, err := Load(context.Background(), LoadOptions{
		Source: codenamesModule(t), Name: "codenames.wasm", Manifest: &m,
		Log: func(_ abi.Level, text string, _ int) { said = append(said, text) },
	})
	require.ErrorContains(t, err, "it reported an error")
	require.NotEmpty(t, said)
	assert.Contains(t, said[0], "the setting words is missing")
	_, err = loadExtism(t, codenamesModule(t), `["a"]`)
	require.ErrorContains(t, err, "are a mapping")
}

func TestAnExtismPlugInLeavesNothingBehind(t *testing.T) {
	v, err := loadExtism(t, codenamesModule(t), `{"words":"apollo"}`)
	require.NoError(t, err)
	text := strings.Repeat("The apollo plan. ", 200)
	for range 300 {
		got, err := v.Detect(context.Background(), nil, text, 0)
		require.NoError(t, err)
		require.Len(t, got, 200)
	}
	i, err := v.acquire(context.Background(), forTime(startTime), caller{})
	require.NoError(t, err)
	defer v.release(i, nil)
	i.extism.memory.reset()
	for _, c := range i.extism.memory.bytes[:cap(i.extism.memory.bytes)] {
		require.Zero(t, c)
	}
	assert.LessOrEqual(t, i.mem.Size(), 4*v.usual.Load())
}

// extismGuestOf is a guest whose detect is the code.
func extismGuestOf(code []byte, imports ...importedFunc) []byte {
	g := guest{manifest: "none", imports: imports, funcs: []fn{{typ: typI, code: code}}, extra: []export{{name: "detect", fn: 0}}}
	return g.bytes()
}

func TestWhatAnExtismPlugInMayNotDoIsAFault(t *testing.T) {
	m := extismMemory{most: 1 << 10}
	assert.Zero(t, m.alloc(0))
	assert.Zero(t, m.alloc(math.MaxUint64))
	assert.Zero(t, m.alloc(1<<10))
	at := m.alloc(5)
	assert.Equal(t, uint64(8), at)
	copy(m.block(at), "hello")
	assert.Equal(t, "hello", string(m.block(at)))
	for _, c := range [][2]uint64{{16, 1}, {0, 17}, {math.MaxUint64, 1}, {8, math.MaxUint64}} {
		_, ok := m.slice(c[0], c[1])
		assert.False(t, ok, "%v", c)
	}
	assert.Empty(t, m.block(3))
	assert.Empty(t, m.block(math.MaxUint64))
	n := 0
	for m.alloc(1) != 0 {
		n++
	}
	assert.Less(t, n, 200)
}

func TestAModuleThatIsNoExtismPlugInIsRefused(t *testing.T) {
	_, err := loadExtism(t, extismGuestOf(i32c(0), importedFunc{module: extismModule, name: "http_request", typ: typNone}), "")
	require.ErrorContains(t, err, "http_request")
	_, err = loadExtism(t, extismGuestOf(i32c(7)), "")
	var e *Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, core.FaultError, e.Kind)
}

func BenchmarkExtism4KB(b *testing.B) {
	v, err := loadExtism(b, codenamesModule(b), `{"words":"apollo,zephyr"}`)
	require.NoError(b, err)
	text := strings.Repeat("The quick brown fox jumps. ", 152)
	i, err := v.acquire(context.Background(), forTime(startTime), caller{})
	require.NoError(b, err)
	defer v.release(i, nil)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		i.call.arm(context.Background(), forTime(startTime))
		if _, err := i.judge(text, 0); err != nil {
			b.Fatal(err)
		}
	}
}

func TestAnExtismPlugInKeepsNoLargeMemoryBetweenCalls(t *testing.T) {
	m := extismMemory{most: 16 << 20}
	require.NotZero(t, m.alloc(8<<20))
	m.reset()
	assert.LessOrEqual(t, cap(m.bytes), mostKept)
	at := m.alloc(100)
	require.NotZero(t, at)
	m.reset()
	assert.Positive(t, cap(m.bytes), "what is small stays")
}

func TestTheKernelsMemoryOfAnExtismGuestIsWithinItsLimit(t *testing.T) {
	l, err := Limits{Memory: 4 << 20}.withDefaults()
	require.NoError(t, err)
	own := int64(l.guestPages(abi.KindExtism)) * pageSize
	assert.Equal(t, int64(3<<20), own)
	assert.Equal(t, int64(4<<20), own+int64(l.mostShared())+int64(l.mostVars()))
	assert.Equal(t, uint32(64), l.guestPages(abi.KindDetector), "others have all for themselves")

	m := extismMemory{most: l.mostShared()}
	for m.alloc(10<<10) != 0 {
	}
	assert.LessOrEqual(t, uint64(cap(m.bytes)), l.mostShared()+8, "nor is more kept ready")

	// The guest's own memory grows to its part, and no further.
	grow := extismGuestOf(cat(i32c(48), []byte{0x40, 0}, i32c(-1), []byte{0x46, 0x04, 0x40, 0x00, 0x0b}, i32c(0)))
	manifest := codenames
	_, err = Load(context.Background(), LoadOptions{Source: grow, Name: "x.wasm", Manifest: &manifest, Limits: Limits{Memory: 4 << 20}})
	require.ErrorContains(t, err, "unreachable")
	v, err := Load(context.Background(), LoadOptions{Source: grow, Name: "x.wasm", Manifest: &manifest, Limits: Limits{Memory: 16 << 20}})
	require.NoError(t, err)
	v.Release(context.Background())
}
