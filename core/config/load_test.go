package config

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the expected files")

// known is what the binary has built in at this time.
var known = Known{Providers: []string{"mock", "openai", "azure-openai", "bedrock", "vertex"}, Stages: []string{"pii", "cache", "budget"}}

// environment is what the test files may name.
var environment = []string{
	"SET=from-env", "EMPTY=", "PORT=8081", "STRUCTURE=a: b # c", "PASSWORD=hunter2",
	"HEADGATE_DEV_KEY=gw_0123456789abcdef",
}

// load reads text as the file gateway.yaml would be.
func load(text string, more ...func(*Source)) (*Config, []Warning, error) {
	src := Source{Default: []byte(text), Name: "gateway.yaml", Known: known, Environ: environment}
	for _, f := range more {
		f(&src)
	}
	return Load(src)
}

func withSet(set ...string) func(*Source)  { return func(s *Source) { s.Set = set } }
func withEnv(vars ...string) func(*Source) { return func(s *Source) { s.Environ = vars } }

func lines(warnings []Warning) string {
	var b strings.Builder
	for _, w := range warnings {
		b.WriteString("warning: " + w.String() + "\n")
	}
	return b.String()
}

// Every bad file stands beside the problems it is expected to give, and every
// good file beside its warnings, where it has any.
func TestFilesGiveWhatStandsBesideThem(t *testing.T) {
	files, err := filepath.Glob("testdata/*.yaml")
	require.NoError(t, err)
	require.Greater(t, len(files), 10)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			_, warnings, err := Load(Source{Path: file, Known: known, Environ: environment})
			got := lines(warnings)
			if strings.HasSuffix(file, ".good.yaml") {
				require.NoError(t, err)
			} else {
				var problems *Problems
				require.ErrorAs(t, err, &problems)
				got = problems.Error() + "\n" + got
			}
			assert.NotContains(t, got, "hunter2", "a secret is shown")
			beside := strings.TrimSuffix(file, ".yaml") + ".txt"
			if *update {
				if got == "" {
					_ = os.Remove(beside)
					return
				}
				require.NoError(t, os.WriteFile(beside, []byte(got), 0o644))
			}
			want, err := os.ReadFile(beside)
			if errors.Is(err, os.ErrNotExist) && strings.HasSuffix(file, ".good.yaml") {
				err = nil
			}
			require.NoError(t, err)
			assert.Equal(t, string(want), got)
		})
	}
}

func TestAMinimalFileTakesEveryDefault(t *testing.T) {
	cfg, warnings, err := load("providers: {mock: {}}\nchain: [{stage: pii}]\n")
	require.NoError(t, err)
	assert.Empty(t, warnings)
	assert.Equal(t, "127.0.0.1:8080", cfg.Server.Listen)
	assert.Equal(t, "127.0.0.1:9090", cfg.Server.MetricsListen)
	assert.Empty(t, cfg.Server.PprofListen)
	assert.Equal(t, 32*MiB, cfg.Server.MaxBody)
	assert.Equal(t, LoopFast, cfg.Server.Loop)
	assert.Equal(t, "30s 10s 2m0s 30s", strings.Join([]string{
		cfg.Server.ShutdownTimeout.String(),
		cfg.Server.ReadHeaderTimeout.String(),
		cfg.Server.IdleTimeout.String(),
		cfg.Server.BodyTimeout.String(),
	}, " "))
	assert.Equal(t, Log{Level: LevelInfo, Format: LogJSON, Access: true}, cfg.Log)
	assert.Equal(t, "sqlite:headgate.db", cfg.Store.URL)
	assert.Equal(t, "memory:", cfg.State.URL)
	assert.Equal(t, Plugins{Dir: "plugins", Watch: true, Trust: TrustPinned, Removed: RemovedKeep}, cfg.Plugins)
	assert.Equal(t, int64(4096), cfg.Guardrail.DefaultMaxResponseTokens)
	assert.Equal(t, SyncBatch, cfg.Audit.Sync)
	assert.Equal(t, "720h0m0s", cfg.Vault.TTL.String())
	assert.Equal(
		t,
		Breaker{Failures: 5, FailurePercent: 50, Window: 30 * time.Second, OpenFor: 5 * time.Second, MaxOpen: 2 * time.Minute, Trials: 1},
		cfg.Routing.Breaker,
	)
	assert.Equal(
		t,
		Retry{
			Attempts:      2,
			Base:          200 * time.Millisecond,
			Max:           2 * time.Second,
			Budget:        5 * time.Second,
			MaxRetryAfter: 3 * time.Second,
			Lost:          true,
		},
		cfg.Routing.Retry,
	)
	assert.Equal(t, Latency{Smoothing: 20, Stale: 5 * time.Minute}, cfg.Routing.Latency)
	assert.Equal(t, Priority{ThresholdPercent: Thresholds{Premium: 100, Standard: 80, Bulk: 50}}, cfg.Routing.Priority)
	mock := cfg.Providers["mock"]
	assert.Equal(t, "mock", mock.Type)
	assert.Equal(t, TransportLean, mock.Transport)
	assert.Equal(t, "5s 2m0s 1m0s", mock.Timeouts.Connect.String()+" "+mock.Timeouts.FirstByte.String()+" "+mock.Timeouts.Idle.String())
	require.Len(t, cfg.Chain, 1)
	assert.Equal(t, Link{Stage: "pii", Name: "pii", Mode: Enforce, OnFault: FaultBlock, Isolate: IsolateTenant}, cfg.Chain[0])
	assert.True(t, cfg.Chain[0].Config.IsZero())
}

func TestKeysWithoutAValueKeepTheirDefault(t *testing.T) {
	cfg, _, err := load("server:\n  listen:\nproviders:\n  mock:\nchain:\nlog: ~\n")
	require.NoError(t, err)
	assert.Equal(t, "127.0.0.1:8080", cfg.Server.Listen)
	assert.Equal(t, "mock", cfg.Providers["mock"].Type)
	assert.Equal(t, LevelInfo, cfg.Log.Level)
	assert.Empty(t, cfg.Chain)
}

func TestEmptyTextTurnsAListenerOff(t *testing.T) {
	cfg, _, err := load(`{server: {metrics_listen: ""}, providers: {mock: {}}}`)
	require.NoError(t, err)
	assert.Empty(t, cfg.Server.MetricsListen)
}

func TestScopesLeftAwayAreTheDefaultAndAnEmptyListIsEverything(t *testing.T) {
	cfg, _, err := load("providers: {mock: {}}\ntenants: [{id: a, keys: [{name: one}, {name: two, scopes: []}]}]\n")
	require.NoError(t, err)
	keys := cfg.Tenants[0].Keys
	assert.Equal(t, []string{"completions:write"}, keys[0].Scopes)
	assert.NotNil(t, keys[1].Scopes)
	assert.Empty(t, keys[1].Scopes)
	assert.Equal(t, TierStandard, keys[0].Tier)
	assert.Equal(t, "a", cfg.Tenants[0].Name)
}

func TestAnchorsAndMergeKeysAreFollowed(t *testing.T) {
	cfg, _, err := load(`
x-base: &base {timeouts: {connect: 1s}, transport: http}
providers:
  mock: {<<: *base, http2: true}
  openai: {<<: [*base, {transport: lean, ca_file: ca.pem}], api_key: k}
`)
	require.NoError(t, err)
	assert.True(t, cfg.Providers["mock"].HTTP2)
	assert.Equal(t, "1s", cfg.Providers["openai"].Timeouts.Connect.String())
	assert.Equal(t, TransportHTTP, cfg.Providers["openai"].Transport, "the first of a merge list wins")
	assert.Equal(t, "ca.pem", cfg.Providers["openai"].CAFile)
}

func TestTheDigestTellsConfigurationsApart(t *testing.T) {
	digest := func(text string, more ...func(*Source)) string {
		cfg, _, err := load(text, more...)
		require.NoError(t, err)
		return cfg.Digest
	}
	const text = "providers: {mock: {}, openai: {api_key: '${SET}'}}\n"
	assert.Equal(t, digest(text), digest("# a comment\n"+text))
	assert.NotEqual(t, digest(text), digest(text, withEnv("SET=other")))
	assert.NotEqual(t, digest(text), digest(text, withSet("server.listen=127.0.0.1:1")))
	assert.NotEqual(t, digest(text+"chain: [{stage: pii}, {plugins: '*'}]"), digest(text+"chain: [{plugins: '*'}, {stage: pii}]"))
}

func TestAFileThatCannotBeReadIsNamed(t *testing.T) {
	_, _, err := Load(Source{Path: "testdata/nowhere.yaml"})
	require.EqualError(t, err, "testdata/nowhere.yaml: the file cannot be read: no such file or directory")
	_, _, err = Load(Source{Path: "testdata"})
	require.ErrorContains(t, err, "testdata: the file cannot be read")
}

func TestAnEmptyFileIsRefused(t *testing.T) {
	// An editor that truncates before it writes must not clear a running gateway.
	for name, text := range map[string]string{"nothing": "", "blanks": "\n\n", "a comment": "# later\n", "a null": "~\n", "a marker": "---\n"} {
		t.Run(name, func(t *testing.T) {
			_, _, err := load(text)
			require.ErrorContains(t, err, "the file is empty")
		})
	}
}

func TestTheFileIsBounded(t *testing.T) {
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'k'; c++ {
		prev := string(c - 1)
		bomb += string(c) + ": &" + string(c) + " [" + strings.TrimSuffix(strings.Repeat("*"+prev+",", 9), ",") + "]\n"
	}
	cases := map[string]struct{ text, want string }{
		"a file over 1 MiB":                {strings.Repeat("# long\n", 200_000), "larger than 1MiB"},
		"aliases that multiply":            {bomb, "more than 50000 values"},
		"lists within lists":               {"x-a: " + strings.Repeat("[", 500) + strings.Repeat("]", 500), "more than 32 levels"},
		"lists deeper than the parser":     {"x-a: " + strings.Repeat("[", 20_000), "this is not YAML"},
		"an alias within its anchor":       {"x-a: &a [*a]\n", "inside its own anchor"},
		"a merge key within its anchor":    {"x-a: &a {<<: *a}\n", "inside its own anchor"},
		"variables that add up":            {"x-a: '" + strings.Repeat("${BIG}", 5000) + "'\n", "add up to more than 4MiB"},
		"two documents":                    {"server: {}\n---\nlog: {}\n", "gateway.yaml:2:1: a second document begins here"},
		"an anchor that is not there":      {"x-a: 1\napi: *hunter2\n", "gateway.yaml:2: an alias names an anchor"},
		"a list in place of the file":      {"- a\n", "the file is a list"},
		"a key that is a list":             {"? [a]\n: b\n", "a key is not plain text"},
		"a control character in a key":     {"\"a\\u001fb\": 1\n", "control character"},
		"a tag of another program":         {"log: {level: !ruby/object x}\n", "unknown YAML tag"},
		"a binary value":                   {"log: {level: !!binary aGk=}\n", "unknown YAML tag"},
		"text that is not UTF-8":           {"log: {level: \"\xff\"}\n", "this is not YAML"},
		"a merge key without a mapping":    {"log: {<<: 5}\n", "<< wants a mapping"},
		"more problems than anybody reads": {strings.Repeat("y", 1) + ": 1\n" + manyKeys(300), "more problems are not shown"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, _, err := load(c.text, withEnv("BIG="+strings.Repeat("b", 4096)))
			require.ErrorContains(t, err, c.want)
			assert.NotContains(t, err.Error(), "hunter2")
			assert.Less(t, len(err.Error()), 64<<10)
		})
	}
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("key" + strings.Repeat("z", i%50) + string(rune('a'+i%26)) + string(rune('a'+i/26)) + ": 1\n")
	}
	return b.String()
}

func TestAValueGluedToItsKeyIsNotShown(t *testing.T) {
	_, _, err := load("providers: {mock: {api_key:hunter2}}\n")
	require.EqualError(t, err, "gateway.yaml:1:20: providers.mock.api_key: no space after the colon; write api_key: …")
}

func TestALinkKnowsItsKindAndWhetherItIsNarrowed(t *testing.T) {
	cfg, _, err := load("{providers: {mock: {}}, chain: [{stage: pii}, {wasm: a.wasm, for: {keys: [dev]}}, {plugins: '*'}]}")
	require.NoError(t, err)
	assert.Equal(t, []string{"stage", "wasm", "plugins"}, []string{cfg.Chain[0].Kind(), cfg.Chain[1].Kind(), cfg.Chain[2].Kind()})
	assert.True(t, cfg.Chain[0].For.IsZero())
	assert.False(t, cfg.Chain[1].For.IsZero())
	assert.Empty(t, Link{}.Kind())
}

func TestLongValuesAreCutInMessages(t *testing.T) {
	_, _, err := load("log: {level: " + strings.Repeat("é", 500) + "}\n")
	require.Error(t, err)
	assert.Less(t, len(err.Error()), 250)
	assert.True(t, utf8.ValidString(err.Error()))
}

func BenchmarkLoadSample(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := Load(Source{Path: "../../configs/gateway.yaml", Known: known}); err != nil {
			b.Fatal(err)
		}
	}
}

func TestTheAddressOfTheStateIsCheckedWithoutShowingIt(t *testing.T) {
	for address, says := range map[string]string{
		"memory:":              "",
		"redis://cache":        "",
		"redis://cache:6379/0": "",
		"redis://:hunter2@localhost:6379/0?protocol=3": "",
		"redis://:hunter2@localhost:99999/0":           "has an invalid port",
		"redis://:hunter2@localhost:6379/first":        "has a database that is not a number",
		"redis://:hunter2@/0":                          "names no host",
	} {
		_, _, err := Load(Source{Path: "../../configs/gateway.yaml", Known: known, Set: []string{"state.url=" + address}})
		if says == "" {
			assert.NoError(t, err, address)
			continue
		}
		require.Error(t, err, address)
		assert.Contains(t, err.Error(), says)
		assert.NotContains(t, err.Error(), "hunter2")
	}
}
