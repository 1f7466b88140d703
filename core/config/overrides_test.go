package config

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// layered is a file with something to lay over.
const layered = `
server: {listen: 127.0.0.1:1}
providers: {mock: {}, openai.eu: {type: openai, api_key: file}}
routes:
  - {model_pattern: "mock-*", providers: [{provider: mock}]}
tenants: [{id: a.b, keys: [{name: dev}]}]
chain:
  - stage: pii
  - {wasm: my.detector.wasm, timeout: 10ms, config: {action: redact, words: [x]}}
  - {plugins: "*"}
`

func TestFlagsWinOverVariablesAndVariablesOverTheFile(t *testing.T) {
	env := withEnv("HEADGATE_SERVER_LISTEN=127.0.0.1:2", "HEADGATE_LOG_LEVEL=warn")
	cfg, _, err := load(layered)
	require.NoError(t, err)
	assert.Equal(t, "127.0.0.1:1", cfg.Server.Listen)
	assert.Empty(t, cfg.Overrides)
	cfg, _, err = load(layered, env)
	require.NoError(t, err)
	assert.Equal(t, "127.0.0.1:2", cfg.Server.Listen)
	cfg, _, err = load(layered, env, withSet("server.listen=127.0.0.1:3", "server.listen=127.0.0.1:4"))
	require.NoError(t, err)
	assert.Equal(t, "127.0.0.1:4", cfg.Server.Listen, "the last flag wins")
	assert.Equal(t, LevelWarn, cfg.Log.Level)
	assert.Equal(t, []string{"log.level", "server.listen"}, cfg.Overrides)
}

func TestAFlagOrVariableReachesEveryKindOfKey(t *testing.T) {
	cases := map[string]struct {
		set, env string
		get      func(*Config) any
		want     any
	}{
		"a key with an underscore": {
			"server.max_body=2MiB", "HEADGATE_SERVER_MAX_BODY=2MiB",
			func(c *Config) any { return c.Server.MaxBody }, 2 * MiB,
		},
		"a key of a section that the file omits": {
			"guardrail.default_max_response_tokens=7", "HEADGATE_GUARDRAIL_DEFAULT_MAX_RESPONSE_TOKENS=7",
			func(c *Config) any { return c.Guardrail.DefaultMaxResponseTokens }, int64(7),
		},
		"empty text": {
			"server.metrics_listen=", "HEADGATE_SERVER_METRICS_LISTEN=",
			func(c *Config) any { return c.Server.MetricsListen }, "",
		},
		"quoted empty text": {
			`server.metrics_listen=""`, `HEADGATE_SERVER_METRICS_LISTEN=''`,
			func(c *Config) any { return c.Server.MetricsListen }, "",
		},
		"a switch": {
			"plugins.watch=false", "HEADGATE_PLUGINS_WATCH=false",
			func(c *Config) any { return c.Plugins.Watch }, false,
		},
		"a provider whose name holds a dot": {
			"providers.openai.eu.timeouts.first_byte=3s", "HEADGATE_PROVIDERS_OPENAI_EU_TIMEOUTS_FIRST_BYTE=3s",
			func(c *Config) any { return c.Providers["openai.eu"].Timeouts.FirstByte }, 3 * time.Second,
		},
		"a secret with structure in it": {
			"providers.openai.eu.api_key=a: b #c", "HEADGATE_PROVIDERS_OPENAI_EU_API_KEY=a: b #c",
			func(c *Config) any { return c.Providers["openai.eu"].APIKey.Reveal() }, "a: b #c",
		},
		"a secret with a quote at its beginning": {
			`providers.openai.eu.api_key="a: b`, `HEADGATE_PROVIDERS_OPENAI_EU_API_KEY="a: b`,
			func(c *Config) any { return c.Providers["openai.eu"].APIKey.Reveal() }, `"a: b`,
		},
		"a provider that the file does not have": {
			"providers.openai.api_key=k", "HEADGATE_PROVIDERS_OPENAI_API_KEY=k",
			func(c *Config) any { return c.Providers["openai"].APIKey.Reveal() + c.Providers["openai"].Type }, "kopenai",
		},
		"a provider written as {}": {
			"providers.mock.base_url=http://127.0.0.1:9", "HEADGATE_PROVIDERS_MOCK_BASE_URL=http://127.0.0.1:9",
			func(c *Config) any { return c.Providers["mock"].BaseURL }, "http://127.0.0.1:9",
		},
		"a map, key by key": {
			"providers={mock: {models: [m]}}", "HEADGATE_PROVIDERS={mock: {models: [m]}}",
			func(c *Config) any { return []any{c.Providers["mock"].Models, len(c.Providers)} },
			[]any{[]string{"m"}, 2},
		},
		"an element by index": {
			"routes[0].strategy=weighted", "HEADGATE_ROUTES_0_STRATEGY=weighted",
			func(c *Config) any { return c.Routes[0].Strategy }, Weighted,
		},
		"an element by index, dotted": {
			"routes.0.providers.0.weight=5", "HEADGATE_ROUTES_0_PROVIDERS_0_WEIGHT=5",
			func(c *Config) any { return c.Routes[0].Providers[0].Weight }, 5,
		},
		"a link by the name of its stage": {
			"chain.pii.on_fault=pass", "HEADGATE_CHAIN_PII_ON_FAULT=pass",
			func(c *Config) any { return c.Chain[0].OnFault }, FaultPass,
		},
		"a link by the name of its file, with a dot": {
			"chain.my.detector.timeout=50ms", "HEADGATE_CHAIN_MY_DETECTOR_TIMEOUT=50ms",
			func(c *Config) any { return c.Chain[1].Timeout }, 50 * time.Millisecond,
		},
		"a link by its default name": {
			"chain.plugins.mode=shadow", "HEADGATE_CHAIN_PLUGINS_MODE=shadow",
			func(c *Config) any { return c.Chain[2].Mode }, Shadow,
		},
		"a list as a whole": {
			"chain.pii.phases=[response]", "HEADGATE_CHAIN_PII_PHASES=[response]",
			func(c *Config) any { return c.Chain[0].Phases },
			[]Phase{PhaseResponse},
		},
		"a longer list in place of the chain": {
			"chain=[{stage: pii}, {wasm: a.wasm}, {wasm: b.wasm}, {stage: cache}]",
			"HEADGATE_CHAIN=[{stage: pii}, {wasm: a.wasm}, {wasm: b.wasm}, {stage: cache}]",
			func(c *Config) any { return []any{len(c.Chain), c.Chain[3].Name, c.Chain[1].Timeout} },
			[]any{4, "cache", time.Duration(0)},
		},
		"a shorter list in place of the chain": {
			"chain=[{wasm: a.wasm}]", "HEADGATE_CHAIN=[{wasm: a.wasm}]",
			func(c *Config) any { return []any{len(c.Chain), c.Chain[0].Name} },
			[]any{1, "a"},
		},
		"an empty list": {
			"chain=[]", "HEADGATE_CHAIN=[]",
			func(c *Config) any { return len(c.Chain) }, 0,
		},
		"a key of a tenant by its id and name": {
			"tenants.a.b.keys.dev.scopes=[]", "HEADGATE_TENANTS_A_B_KEYS_DEV_SCOPES=[]",
			func(c *Config) any { return len(c.Tenants[0].Keys[0].Scopes) }, 0,
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			cfg, warnings, err := load(layered, withEnv(), withSet(c.set))
			require.NoError(t, err)
			assert.Empty(t, warnings)
			assert.Equal(t, c.want, c.get(cfg), "as a flag")
			cfg, warnings, err = load(layered, withEnv(c.env))
			require.NoError(t, err)
			assert.Empty(t, warnings)
			assert.Equal(t, c.want, c.get(cfg), "as a variable")
		})
	}
}

func TestAFlagReachesIntoAnOpaqueBlock(t *testing.T) {
	cfg, _, err := load(layered, withSet("chain.my.detector.config.action=block", "chain.my.detector.config.deep.er=5",
		"chain.my.detector.config.words[0]=y", "chain.pii.config.types=[EMAIL]", "tenants[0].metadata.a=b"))
	require.NoError(t, err)
	got, err := cfg.Chain[1].Config.JSON()
	require.NoError(t, err)
	assert.JSONEq(t, `{"action":"block","words":["y"],"deep":{"er":5}}`, string(got))
	got, err = cfg.Chain[0].Config.JSON()
	require.NoError(t, err)
	assert.JSONEq(t, `{"types":["EMAIL"]}`, string(got))
	assert.Equal(t, map[string]any{"a": "b"}, cfg.Tenants[0].Metadata)
}

func TestNamesOfAReplacedListAreTheNewOnes(t *testing.T) {
	cfg, _, err := load(layered, withEnv("HEADGATE_CHAIN=[{wasm: new.wasm}]"), withSet("chain.new.timeout=1s"))
	require.NoError(t, err)
	require.Len(t, cfg.Chain, 1)
	assert.Equal(t, time.Second, cfg.Chain[0].Timeout)
	cfg, _, err = load(layered, withEnv("HEADGATE_CHAIN_PII_MODE=shadow"), withSet("chain=[{wasm: a.wasm}, {stage: pii}]"))
	require.NoError(t, err)
	assert.Equal(t, Enforce, cfg.Chain[0].Mode, "a flag replaces everything below its key")
	assert.Equal(t, Enforce, cfg.Chain[1].Mode)
}

func TestBadFlagsAreProblems(t *testing.T) {
	for set, want := range map[string]string{
		"server.lisen=x":             "--set: server.lisen: unknown key; did you mean server.listen?",
		"chain.pi.mode=shadow":       "--set: chain.pi.mode: unknown key; did you mean chain.pii.mode?",
		"routes[3].strategy=x":       "--set: routes[3].strategy: unknown key; did you mean routes.0.strategy?",
		"server.listen":              "--set: is not key=value",
		"=x":                         "--set: is not key=value",
		"server.=x":                  "unknown key",
		"server.listen.=x":           "unknown key",
		"chain=[":                    "--set: chain: this is not YAML",
		"server=5":                   "--set: server: is a single value where a mapping is wanted",
		"server.max_body=big":        `--set: server.max_body: "big" is not a size`,
		"server.max_body=":           `--set: server.max_body: "" is not a size`,
		"chain.pii.on_fault=ignore":  `--set: chain[0].on_fault: "ignore" is not one of block, pass; write on_fault: block`,
		"server.listen=nowhere":      "--set: server.listen: is not an address",
		"providers.mock.wrong=1":     "unknown key",
		"providers.new.type=unknown": `"unknown" is not a known provider type`,
		"guardrail={a: 1}":           "--set: guardrail.a: unknown key",
		"chain.pii.config=5":         "--set: chain[0].config: is a single value where a mapping is wanted",
	} {
		t.Run(set, func(t *testing.T) {
			_, _, err := load(layered, withSet(set))
			require.ErrorContains(t, err, want)
		})
	}
}

func TestUnknownVariablesAreWarningsAndSomeAreNot(t *testing.T) {
	_, warnings, err := load("providers: {mock: {}, openai: {api_key: '${HEADGATE_MINE}'}}\n", withEnv(
		"HEADGATE_MINE=used by the file",
		"HEADGATE_ENCRYPTION_MASTER_PASSWORD=hunter2",
		"HEADGATE_ACTUATOR_API_KEY=hunter2",
		"HEADGATE_DEV_KEY=gw_hunter2",
		"HEADGATE_SERVICE_HOST=10.0.0.1",
		"HEADGATE_SERVICE_PORT=8080",
		"HEADGATE_PORT=tcp://10.0.0.1:8080",
		"HEADGATE_PORT_8080_TCP_ADDR=10.0.0.1",
		"HEADGATE_OTHER=read by the binary",
		"HEADGATE_SERVER_LISEN=x",
		"HEADGATE_COLOUR=hunter2",
		"HEADGATE_PROVIDERS_MOCK=",
		"PATH=/bin",
	),
		func(s *Source) { s.Known.Variables = []string{"HEADGATE_OTHER"} })
	require.NoError(t, err)
	assert.Equal(t, "warning: HEADGATE_COLOUR: sets no known key and is not read\n"+
		"warning: HEADGATE_SERVER_LISEN: sets no known key and is not read; did you mean HEADGATE_SERVER_LISTEN?\n", lines(warnings))
}

func TestABadVariableIsAProblemWithItsName(t *testing.T) {
	_, _, err := load(layered, withEnv("HEADGATE_LOG_LEVEL=loud", "HEADGATE_ROUTES={", "HEADGATE_STORE_URL=postgres://hunter2@db"))
	require.ErrorContains(t, err, `HEADGATE_LOG_LEVEL: log.level: "loud" is not one of`)
	require.ErrorContains(t, err, "HEADGATE_ROUTES: routes: this is not YAML")
	require.ErrorContains(t, err, "HEADGATE_STORE_URL: store.url: names no database")
	assert.NotContains(t, err.Error(), "hunter2")
}

func TestTheAddressOfTheStoreIsChecked(t *testing.T) {
	for address, want := range map[string]string{
		"mysql://hunter2@db/x":       "has an unsupported URL scheme",
		"headgate.db":                "has an unsupported URL scheme",
		"sqlite:":                    "names no file",
		"postgres://hunter2:%zz@/x":  "is not a URL",
		"postgres:///x":              "names no host",
		"postgresql://u:hunter2@db/": "names no database",
	} {
		_, _, err := load(layered, withEnv("HEADGATE_STORE_URL="+address))
		require.ErrorContains(t, err, "HEADGATE_STORE_URL: store.url: "+want, address)
		assert.NotContains(t, err.Error(), "hunter2")
	}
	for address, want := range map[string]string{
		"postgres://u:hunter2@db/x":                     "certificate",
		"postgres://u:hunter2@db/x?sslmode=require":     "certificate",
		"postgres://u:hunter2@db/x?sslmode=verify-full": "",
		"postgres://u:hunter2@127.0.0.1:5432/x":         "",
		"postgres:///x?host=/run/postgresql":            "",
	} {
		_, warnings, err := load(layered, withEnv("HEADGATE_STORE_URL="+address))
		require.NoError(t, err, address)
		assert.Equal(t, want != "", strings.Contains(lines(warnings), "store.url"), address)
		assert.Contains(t, lines(warnings), want)
		assert.NotContains(t, lines(warnings), "hunter2")
	}
}

func TestVariablesInOverridesAreNotExpanded(t *testing.T) {
	cfg, _, err := load(layered, withEnv("HEADGATE_REGION_ID=${PATH}", "PATH=/bin"))
	require.NoError(t, err)
	assert.Equal(t, "${PATH}", cfg.Region.ID)
}

func TestAnEmptyFileSectionTakesOverrides(t *testing.T) {
	cfg, _, err := load(
		"{}",
		withEnv("HEADGATE_PROVIDERS_MOCK={}", "HEADGATE_CHAIN=[{stage: pii}]"),
		withSet("server.tls.cert_file=a", "server.tls.key_file=b"),
	)
	require.NoError(t, err)
	assert.Contains(t, cfg.Providers, "mock")
	assert.Len(t, cfg.Chain, 1)
	assert.True(t, cfg.Server.TLS.IsEnabled())
}
