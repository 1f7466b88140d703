package plugins

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/wasm"
)

const file = "employee-id.wasm"

// sample returns the detector of the repository as version n: the same code with another manifest, so another digest.
func sample(t testing.TB, n int) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "sdk", "samples", "employee-id", file))
	require.NoError(t, err)
	if n == 0 {
		return b
	}
	b, err = wasm.WithManifest(
		b,
		fmt.Appendf(nil, `{"name":"employee-id","version":"%d","kind":"detector","labels":["employee_id"],"max_match":10,"token":true}`, n),
	)
	require.NoError(t, err)
	return b
}

// put writes a file atomically: under another name, then renamed.
func put(t testing.TB, dir, name string, body []byte) {
	t.Helper()
	tmp := filepath.Join(dir, "."+name+".tmp")
	require.NoError(t, os.WriteFile(tmp, body, 0o600))
	require.NoError(t, os.Rename(tmp, filepath.Join(dir, name)))
}

func openDir(t testing.TB, o Options) *Dir {
	t.Helper()
	if o.Trust == 0 {
		o.Trust = TrustOpen
	}
	d, err := Open(o)
	require.NoError(t, err)
	return d
}

// block is a link's config block, written as YAML.
type block string

func (b block) Decode(into any) error {
	if b == "" {
		return nil
	}
	d := yaml.NewDecoder(strings.NewReader(string(b)))
	d.KnownFields(true)
	return d.Decode(into)
}

func link(t testing.TB, d *Dir, b block) Plugin {
	t.Helper()
	st, err := d.OpenStage(context.Background(), file, b, wasm.Limits{Timeout: 5 * time.Second}, Deps{Name: "employees"})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, st.Close(context.Background())) })
	return st
}

func exchange(text string) *core.Exchange {
	x := &core.Exchange{}
	x.Request.Raw = []byte(text)
	x.Request.Segments = []core.Segment{{Role: core.RoleUser, Kind: core.KindText, Span: splice.Span{End: len(text)}}}
	return x
}

func findings(t testing.TB, st core.Stage, text string) int {
	t.Helper()
	v, err := st.Check(context.Background(), exchange(text), core.Request, nil)
	require.NoError(t, err)
	return len(v.Findings)
}

func TestADroppedModuleServesWithTheLinksSettings(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, file, sample(t, 0))
	d := openDir(t, Options{Dir: dir})
	st := link(t, d, "action: block\nmessage: no numbers, please")
	v, err := st.Check(context.Background(), exchange("EMP-123456"), core.Request, nil)
	require.NoError(t, err)
	assert.Equal(t, core.Block, v.Action)
	assert.Equal(t, "no numbers, please", v.Err.Public)
	assert.Empty(t, d.Problems())
}

func TestALinkWithBadSettingsIsRefused(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, file, sample(t, 0))
	d := openDir(t, Options{Dir: dir})
	for b, says := range map[block]string{
		"action: destroy":                  `unknown action "destroy"`,
		"labels: {person: block}":          `no label "person"`,
		"labels: {employee_id: zap}":       `employee_id: unknown action "zap"`,
		"sources: [users]":                 `sources: unknown source "users"`,
		"acton: block":                     "not found",
		"settings: {a: 1}":                 "takes none",
		"action: flag\nsettings: {a: [b]}": "takes none",
	} {
		_, err := d.OpenStage(context.Background(), file, b, wasm.Limits{}, Deps{Name: "x"})
		require.ErrorContains(t, err, says)
	}
	for _, name := range []string{"../employee-id.wasm", "/etc/passwd", "employee-id", "", "a/b.wasm"} {
		_, err := d.OpenStage(context.Background(), name, nil, wasm.Limits{}, Deps{})
		require.ErrorContains(t, err, "must be the name")
	}
	assert.Zero(t, instances(d), "a refused stage is closed")
}

func instances(d *Dir) (n int) {
	for _, s := range d.Stats() {
		n += s.Instances
	}
	return n
}

func TestWhatHasNotChangedIsSharedWhenTheChainIsBuiltAnew(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, file, sample(t, 0))
	d := openDir(t, Options{Dir: dir})
	a, b, c := link(t, d, "action: redact"), link(t, d, "action: block"), link(t, d, "")
	assert.Same(t, a.Version(), b.Version(), "the module does not see the operator's settings")
	assert.Same(t, a.Version(), c.Version())
	require.NoError(t, a.Close(context.Background()))
	require.NoError(t, a.Close(context.Background()), "a second Close does nothing")
	require.Equal(t, 1, findings(t, b, "EMP-123456"))
	require.NoError(t, b.Close(context.Background()))
	require.NoError(t, c.Close(context.Background()))
	<-c.Version().CloseSignal()
	e := link(t, d, "")
	assert.NotSame(t, a.Version(), e.Version(), "a version that closed is loaded again")
	require.Equal(t, 1, findings(t, e, "EMP-123456"))

	stats := d.Stats()
	require.Len(t, stats, 1)
	assert.Equal(t, uint64(2), stats[0].Calls, "counters outlive their version")
	assert.Equal(t, uint64(2), stats[0].Findings)
}

func TestABrokenModuleLeavesTheLastGoodOneServing(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, file, sample(t, 1))
	d := openDir(t, Options{Dir: dir})
	first := link(t, d, "action: redact")

	put(t, dir, file, []byte("not a module"))
	second := link(t, d, "action: redact")
	assert.Same(t, first.Version(), second.Version())
	problems := d.Problems()
	require.Len(t, problems, 1)
	assert.Equal(t, file, problems[0].File)
	assert.Equal(t, DigestBytes([]byte("not a module")), problems[0].Digest)
	assert.Equal(t, DigestBytes(sample(t, 1)), problems[0].Serving)
	assert.Contains(t, problems[0].Reason, "refused")
	assert.NotContains(t, problems[0].Reason, dir)

	require.NoError(t, first.Close(context.Background()))
	require.NoError(t, second.Close(context.Background()))
	third := link(t, d, "action: block")
	assert.Equal(t, 1, findings(t, third, "EMP-123456"), "even after all its stages are closed")
	assert.Equal(t, problems[0].Since, d.Problems()[0].Since, "a problem keeps its age")

	put(t, dir, file, sample(t, 2))
	assert.Equal(t, "2", link(t, d, "").Version().Manifest.Version)
	assert.Empty(t, d.Problems())
}

func TestAMissingFileKeepsServingAndIsReported(t *testing.T) {
	dir := t.TempDir()
	d := openDir(t, Options{Dir: dir})
	_, err := d.OpenStage(context.Background(), file, nil, wasm.Limits{}, Deps{Name: "x"})
	require.ErrorContains(t, err, "missing", "at the first start a named file must be there")

	put(t, dir, file, sample(t, 0))
	link(t, d, "")
	assert.Empty(t, d.Problems())
	require.NoError(t, os.Remove(filepath.Join(dir, file)))
	assert.Equal(t, 1, findings(t, link(t, d, ""), "EMP-123456"))
	require.Len(t, d.Problems(), 1)
	assert.Contains(t, d.Problems()[0].Reason, "missing")
	assert.Empty(t, d.Names())
}

func TestBadSettingsAreNotTakenForABrokenModule(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, file, sample(t, 0))
	d := openDir(t, Options{Dir: dir})
	link(t, d, "")
	_, err := d.OpenStage(context.Background(), file, block("labels: {unknown: block}"), wasm.Limits{}, Deps{Name: "x"})
	require.ErrorContains(t, err, `no label "unknown"`)
}

func TestAManifestBesideTheModuleServesWhenNoneIsInIt(t *testing.T) {
	dir := t.TempDir()
	bare := bareModule(t)
	put(t, dir, file, bare)
	d := openDir(t, Options{Dir: dir})
	_, err := d.OpenStage(context.Background(), file, nil, wasm.Limits{}, Deps{Name: "x"})
	require.ErrorIs(t, err, wasm.ErrNoManifest)

	manifest := "name: employees\nkind: detector\nlabels: [employee_id]\nmax_match: 10\nsamples:\n  - {text: EMP-123456, labels: [employee_id]}\n"
	put(t, dir, "employee-id.wasm.yaml", []byte(manifest))
	st := link(t, d, "")
	assert.Equal(t, "employees", st.Version().Manifest.Name)
	assert.Equal(t, 1, findings(t, st, "EMP-123456"))
	require.Len(t, d.Files(), 1)
	require.NoError(t, d.Files()[0].Err)

	put(t, dir, "employee-id.wasm.yaml", []byte(manifest+"nonsense: 1\n"))
	_, err = d.OpenStage(context.Background(), file, nil, wasm.Limits{}, Deps{Name: "x"})
	require.NoError(t, err, "the last good one serves")
	require.Len(t, d.Problems(), 1)

	packed, err := Pack(bare, []byte(manifest))
	require.NoError(t, err)
	again, err := Pack(packed, []byte(manifest))
	require.NoError(t, err)
	assert.Equal(t, packed, again, "a manifest replaces the previous one")
	_, err = Pack([]byte("no module"), []byte(manifest))
	require.Error(t, err)
	_, err = Pack(bare, []byte("name: x"))
	require.Error(t, err)
}

// bareModule returns the sample without its manifest, which is its last section.
func bareModule(t testing.TB) []byte {
	t.Helper()
	b := sample(t, 0)
	at := strings.Index(string(b), "headgate.manifest")
	require.Positive(t, at)
	for ; !(b[at] == 0 && at < len(b)-100); at-- {
	}
	require.False(t, wasm.HasManifest(b[:at]))
	return b[:at:at]
}

func TestFilesTellsWhatLiesInTheFolder(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "b.wasm", sample(t, 7))
	put(t, dir, "a.wasm", []byte("nonsense"))
	put(t, dir, "notes.txt", []byte("x"))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "c.wasm"), 0o700))
	got := openDir(t, Options{Dir: dir}).Files()
	require.Len(t, got, 2)
	assert.Equal(t, "a.wasm", got[0].File)
	require.Error(t, got[0].Err)
	assert.Equal(t, "b.wasm", got[1].File)
	require.NoError(t, got[1].Err)
	assert.Equal(t, "7", got[1].Manifest.Version)
	assert.True(t, got[1].Phases.Has(core.Request) && got[1].Phases.Has(core.Response) && !got[1].Phases.Has(core.Target))
	assert.Equal(t, DigestBytes(sample(t, 7)), got[1].Digest)
	assert.Empty(t, openDir(t, Options{Dir: filepath.Join(dir, "none")}).Files())
}
