package wasm

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/wasm/abi"
	"github.com/headgate-dev/headgate/wasm/extism"
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
	i, err := v.acquire(context.Background(), newTimeAllowance(startTime), caller{})
	require.NoError(t, err)
	defer v.release(i, nil)
	m := &i.extism.memory
	for range 1 << 10 {
		for _, c := range m.Block(m.AllocateBytes(100)) {
			require.Zero(t, c)
		}
	}
	assert.LessOrEqual(t, i.mem.Size(), 4*v.usual.Load())
}

// extismGuestOf returns a guest whose export detect runs code.
func extismGuestOf(code []byte, imports ...importedFunc) []byte {
	g := guest{manifest: "none", imports: imports, funcs: []fn{{typ: typI, code: code}}, extra: []export{{name: "detect", fn: 0}}}
	return g.bytes()
}

func TestAModuleThatIsNoExtismPlugInIsRefused(t *testing.T) {
	_, err := loadExtism(t, extismGuestOf(i32c(0), importedFunc{module: extism.Module, name: "http_request", typ: typNone}), "")
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
	i, err := v.acquire(context.Background(), newTimeAllowance(startTime), caller{})
	require.NoError(b, err)
	defer v.release(i, nil)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		i.call.arm(context.Background(), newTimeAllowance(startTime))
		if _, err := i.judge(text, 0); err != nil {
			b.Fatal(err)
		}
	}
}

func TestTheKernelsMemoryOfAnExtismGuestIsWithinItsLimit(t *testing.T) {
	l, err := Limits{Memory: 4 << 20}.withDefaults()
	require.NoError(t, err)
	own := int64(l.countGuestPages(abi.KindExtism)) * pageSize
	assert.Equal(t, int64(3<<20), own)
	assert.Equal(t, int64(4<<20), own+int64(l.computeSharedLimit())+int64(l.computeVarsLimit()))
	assert.Equal(t, uint32(64), l.countGuestPages(abi.KindDetector), "guests of other kinds get all of it")

	// The guest's own memory grows to its share, and no further.
	grow := extismGuestOf(cat(i32c(48), []byte{0x40, 0}, i32c(-1), []byte{0x46, 0x04, 0x40, 0x00, 0x0b}, i32c(0)))
	manifest := codenames
	_, err = Load(context.Background(), LoadOptions{Source: grow, Name: "x.wasm", Manifest: &manifest, Limits: Limits{Memory: 4 << 20}})
	require.ErrorContains(t, err, "unreachable")
	v, err := Load(context.Background(), LoadOptions{Source: grow, Name: "x.wasm", Manifest: &manifest, Limits: Limits{Memory: 16 << 20}})
	require.NoError(t, err)
	v.Release(context.Background())
}
