package conform

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/sdk/samples"
	"github.com/headgate-dev/headgate/wasm"
)

const plainManifest = `{"name":"x","kind":"detector","labels":["a"],"max_match":4}`

// run holds a module against the rules; its limits suit a busy machine.
func run(t *testing.T, o Options) *Report {
	t.Helper()
	o.File = "x.wasm"
	o.Limits.Timeout = 20 * time.Second
	r, err := Run(t.Context(), o)
	require.NoError(t, err)
	return r
}

// listBroken returns the broken rules and what broke them.
func listBroken(r *Report) (rules []string, detail string) {
	for _, c := range r.Results {
		if c.State == Broken {
			rules = append(rules, c.Rule)
			detail += c.Detail
		}
	}
	return rules, detail
}

func TestASampleKeepsEveryRule(t *testing.T) {
	r := run(t, Options{Source: samples.EmployeeID, Texts: []string{"EMP-123456"}})
	assert.True(t, r.Conforms())
	for _, c := range r.Results {
		assert.Equal(t, Holds, c.State, c.Rule+c.Detail)
	}
	var b strings.Builder
	require.NoError(t, r.Write(&b, true))
	assert.Contains(t, b.String(), "detector employee-id 1.0.0, sha256 d8d72624")
	assert.Contains(t, b.String(), "15 rules hold, 0 broken, 0 say nothing about it\n")
}

func TestOnlyAStageThatChoosesAScopeIsGrantedOne(t *testing.T) {
	stage, err := os.ReadFile(filepath.Join("..", "testdata", "stage.wasm"))
	require.NoError(t, err)
	m := &wasm.Manifest{Name: "scripted", Kind: "stage", Labels: []string{"odd"}, Capabilities: []string{"state", "redact", "patch", "notify", "call", "restore"}}
	m.Reads.Fields, m.Reads.Text = []string{"model"}, []string{"user"}
	for want, o := range map[string]wasm.LoadOptions{
		"platform": {Source: stage, Manifest: m, Config: []byte(`{"script":"1 c;"}`)}, "": {Source: samples.EmployeeID},
	} {
		o.Name, o.Limits.Timeout = "x.wasm", 20*time.Second
		v, err := wasm.Load(t.Context(), o)
		require.NoError(t, err)
		assert.Equal(t, want, strings.Join(chooseGrant(v).Scopes, ""))
		v.Release(t.Context())
	}
}

func TestABrokenRuleIsNamedWithWhatBrokeIt(t *testing.T) {
	good := module{detect: nothing}
	for name, c := range map[string]struct {
		source []byte
		rule   string
		says   string
	}{
		"no module":     {[]byte("GIF89a"), ruleModule, "not a Wasm module"},
		"no manifest":   {module{detect: nothing, manifest: "-"}.bytes(), ruleManifest, "manifest"},
		"a wrong kind":  {module{detect: nothing, manifest: `{"name":"x","kind":"oracle"}`}.bytes(), ruleManifest, "kind must be one of"},
		"another major": {module{detect: nothing, version: "hg_abi_2"}.bytes(), ruleExports, "speaks ABI 2"},
		"a misspelt hook": {
			module{detect: nothing, hook: "hg_detec"}.bytes(), ruleExports, `"hg_detec" is not part of ABI 1`,
		},
		"a match that is too long for a detector without hg_stream": {
			module{detect: nothing, manifest: `{"name":"x","kind":"detector","labels":["a"],"max_match":5000}`}.bytes(), ruleHooks, "max_match is 5000",
		},
		"an import that there is not": {module{detect: nothing, imports: "nope"}.bytes(), ruleImports, `"nope", which this host does not offer`},
		"an import without its capability": {
			module{detect: nothing, imports: "now_ms"}.bytes(), ruleImports, "with a wrong signature|does not list the capability",
		},
		"feature bits of the future": {module{detect: nothing, features: 1}.bytes(), ruleStarts, "features of ABI 1 that this host does not know"},
		"a trap on a broken character": {
			// if len > 0 and text[0] == 0x80: unreachable
			module{detect: cat(get(1), ifThen(cat(get(0), load8, i32(0x80), eq, ifThen(unreachable))), i64zero)}.bytes(), ruleOdd, `\x80`,
		},
		"an endless loop on long texts": {
			module{detect: cat(get(1), i32(60_000), gtU, ifThen(endless), i64zero)}.bytes(), ruleStarts, "timeout",
		},
		"a memory of earlier texts": {
			// every second call reports the first byte
			module{detect: cat(get(1), ifThen(cat(globalFlip, ifThen(report))), i64zero)}.bytes(), ruleMemory, "differs",
		},
		"a decision that depends on how much has arrived": {
			// reports [0, 1) if the text starts with T and is shorter than 30 bytes
			module{detect: cat(get(1), i32(30), ltU, ifThen(cat(get(0), load8, i32('T'), eq, ifThen(report))), i64zero)}.bytes(), ruleStreams, "differs",
		},
		"a log of texts": {
			module{detect: cat(i32(2), get(0), get(1), call(0), i64zero), imports: "log"}.bytes(), ruleSilent, "logged part of a text",
		},
		"work that grows with the square": {
			module{detect: cat(square, i64zero)}.bytes(), ruleWork, "units of fuel",
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := Options{Source: c.source}
			if c.rule == ruleWork {
				o.Limits.Fuel = 1 << 50
			}
			rules, detail := listBroken(run(t, o))
			assert.Contains(t, rules, c.rule, detail)
			said := false
			for _, want := range strings.Split(c.says, "|") {
				said = said || strings.Contains(detail, want)
			}
			assert.True(t, said, detail)
		})
	}
	rules, detail := listBroken(run(t, Options{Source: good.bytes()}))
	assert.Empty(t, rules, detail)
}

func TestAModuleThatIsNotLoadedIsNotTried(t *testing.T) {
	r := run(t, Options{Source: []byte("x")})
	assert.Len(t, r.Results, 15)
	assert.Equal(t, 1, r.Broken)
	for _, c := range r.Results[1:] {
		assert.Equal(t, None, c.State, c.Rule)
	}
}

func TestWrongSettingsNameTheFlagThatHelps(t *testing.T) {
	r := run(t, Options{Source: samples.EmployeeID, Config: []byte(`{"x":1}`)})
	rules, detail := listBroken(r)
	assert.Equal(t, []string{ruleStarts}, rules)
	assert.Contains(t, detail, "--settings FILE")
}

func TestAReportIsJSONWithStableKeys(t *testing.T) {
	b, err := json.Marshal(run(t, Options{Source: []byte("x")}))
	require.NoError(t, err)
	for _, key := range []string{`"file":"x.wasm"`, `"sha256":"`, `"rules":[{"rule":"`, `"state":"broken"`, `"broken":1`} {
		assert.Contains(t, string(b), key)
	}
}

func TestAnEndedContextEndsTheTrial(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Run(ctx, Options{Source: samples.EmployeeID, File: "x.wasm"})
	require.ErrorIs(t, err, context.Canceled)
}

// module is a small detector whose parts can be broken one by one.
type module struct {
	detect   []byte // the body of hg_detect(ptr, len, flags) -> i64
	manifest string // "" is a right one, "-" none
	version  string // the export that says the version; "" is hg_abi_1
	hook     string // "" is hg_detect
	imports  string // a function of the host with three parameters; "" none
	features byte
}

func (m module) bytes() []byte {
	or := func(s, otherwise string) string {
		if s == "" {
			return otherwise
		}
		return s
	}
	first := byte(0)
	out := []byte("\x00asm\x01\x00\x00\x00")
	// types: 0 (i32 i32 i32), 1 () -> i32, 2 (i32) -> i32, 3 (i32 i32 i32) -> i64
	out = append(out, section(1, vec(
		[]byte{0x60, 3, 0x7f, 0x7f, 0x7f, 0}, []byte{0x60, 0, 1, 0x7f}, []byte{0x60, 1, 0x7f, 1, 0x7f}, []byte{0x60, 3, 0x7f, 0x7f, 0x7f, 1, 0x7e},
	))...)
	if m.imports != "" {
		first = 1
		out = append(out, section(2, vec(cat(name("headgate"), name(m.imports), []byte{0, 0})))...)
	}
	out = append(out, section(3, []byte{3, 1, 2, 3})...)
	out = append(out, section(5, []byte{1, 0, 4})...)                   // 4 pages
	out = append(out, section(6, []byte{1, 0x7f, 1, 0x41, 0, 0x0b})...) // one variable global, 0
	out = append(out, section(7, vec(
		cat(name("memory"), []byte{2, 0}), cat(name(or(m.version, "hg_abi_1")), []byte{0, first}),
		cat(name("hg_alloc"), []byte{0, first + 1}), cat(name(or(m.hook, "hg_detect")), []byte{0, first + 2}),
	))...)
	// the buffer lies at 64, and has room for what fits into four pages
	alloc := cat(get(0), i32(196_608), gtU, []byte{0x04, 0x7f}, i32(0), []byte{0x05}, i32(64), []byte{0x0b})
	out = append(out, section(10, vec(body(0, i32(int(m.features))), body(0, alloc), body(2, m.detect)))...)
	if m.manifest != "-" {
		out = append(out, section(0, cat(name("headgate.manifest"), []byte(or(m.manifest, plainManifest))))...)
	}
	return out
}

func cat(parts ...[]byte) (out []byte) {
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

func leb(n int) (out []byte) {
	for ; n >= 0x80; n >>= 7 {
		out = append(out, byte(n)|0x80)
	}
	return append(out, byte(n))
}

func encodeSigned(n int) (out []byte) {
	for {
		b := byte(n & 0x7f)
		if n >>= 7; n == 0 && b&0x40 == 0 || n == -1 && b&0x40 != 0 {
			return append(out, b)
		}
		out = append(out, b|0x80)
	}
}

func name(s string) []byte { return append(leb(len(s)), s...) }

func section(id byte, content []byte) []byte { return cat([]byte{id}, leb(len(content)), content) }

func vec(items ...[]byte) []byte { return cat(append([][]byte{leb(len(items))}, items...)...) }

func body(locals byte, code []byte) []byte {
	declared := []byte{0}
	if locals > 0 {
		declared = []byte{1, locals, 0x7f}
	}
	all := cat(declared, code, []byte{0x0b})
	return append(leb(len(all)), all...)
}

func get(local byte) []byte   { return []byte{0x20, local} }
func i32(n int) []byte        { return append([]byte{0x41}, encodeSigned(n)...) }
func call(f byte) []byte      { return []byte{0x10, f} }
func ifThen(c []byte) []byte  { return cat([]byte{0x04, 0x40}, c, []byte{0x0b}) }
func set(local byte) []byte   { return []byte{0x21, local} }
func loop(code []byte) []byte { return cat([]byte{0x03, 0x40}, code, []byte{0x0b}) }

var (
	i64zero     = []byte{0x42, 0}
	nothing     = i64zero
	unreachable = []byte{0x00}
	load8       = []byte{0x2d, 0, 0}
	eq          = []byte{0x46}
	gtU         = []byte{0x4b}
	ltU         = []byte{0x49}
	add         = []byte{0x6a}
	endless     = loop([]byte{0x0c, 0})
	// globalFlip sets the global to 1 - global, and leaves it.
	globalFlip = cat(i32(1), []byte{0x23, 0, 0x6b, 0x24, 0, 0x23, 0})
	// report returns one span [0, 1) with label 0 and score 0, written at 16.
	report = cat(
		i32(16), i32(0), []byte{0x36, 2, 0}, i32(20), i32(1), []byte{0x36, 2, 0}, i32(24), i32(0), []byte{0x36, 2, 0}, i32(28), i32(0), []byte{0x36, 2, 0},
		[]byte{0x42}, encodeSigned(16<<32|16), []byte{0x0f},
	)
	// square loops len * len / 1024 times: for i < len { for j < len / 1024 {} }
	square = cat(
		i32(0), set(3),
		loop(cat(
			i32(0), set(4),
			loop(cat(get(4), i32(1024), add, []byte{0x22, 4}, get(1), ltU, []byte{0x0d, 0})),
			get(3), i32(1), add, []byte{0x22, 3}, get(1), ltU, []byte{0x0d, 0},
		)),
	)
)
