package config

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/configs"
)

func TestTheSampleLoadsWithoutAnyVariable(t *testing.T) {
	cfg, warnings, err := Load(Source{Default: configs.Gateway, Known: known})
	require.NoError(t, err)
	assert.Empty(t, warnings)
	assert.Equal(t, "built-in gateway.yaml", cfg.File)
	assert.Equal(t, "127.0.0.1:8080", cfg.Server.Listen)
	assert.Equal(t, TrustOpen, cfg.Plugins.Trust)
	assert.Empty(t, cfg.Providers["openai"].APIKey)
	key := cfg.Tenants[0].Keys[0]
	assert.Empty(t, key.Key)
	assert.Empty(t, key.Scopes)
	assert.NotNil(t, key.Scopes)
	var names []string
	for _, l := range cfg.Chain {
		names = append(names, l.Name)
	}
	assert.Equal(t, []string{"pii", "plugins", "employees"}, names)
	var detector struct {
		Action string `yaml:"action"`
	}
	require.NoError(t, cfg.Chain[2].Config.Decode(&detector))
	assert.Equal(t, "redact", detector.Action)
	for _, r := range cfg.Routes {
		assert.Equal(t, ModelPrefix, r.Strategy)
		assert.Equal(t, 1, r.Providers[0].Weight)
	}
}

func TestTheEmbeddedSampleIsTheFile(t *testing.T) {
	file, err := os.ReadFile("../../configs/gateway.yaml")
	require.NoError(t, err)
	assert.Equal(t, file, configs.Gateway)
	built, _, err := Load(Source{Default: configs.Gateway, Known: known})
	require.NoError(t, err)
	read, _, err := Load(Source{Path: "../../configs/gateway.yaml", Known: known})
	require.NoError(t, err)
	assert.Equal(t, built.Digest, read.Digest)
}

func TestEveryChainExampleLoads(t *testing.T) {
	files, err := filepath.Glob("../../configs/chains/*.yaml")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 4)
	stages := known
	stages.Stages = append(slices.Clone(stages.Stages), "guardrail")
	for _, file := range files {
		cfg, warnings, err := Load(Source{Path: file, Known: stages, Environ: []string{"GUARD_SECRET=0123456789abcdef"}})
		require.NoError(t, err)
		assert.Empty(t, warnings, file)
		assert.GreaterOrEqual(t, len(cfg.Chain), 2, file)
	}
}

// shape is the smallest configuration that uses every section.
const shape = `
server:    {listen: 127.0.0.1:8080, max_body: 32MiB}
store:     {url: "sqlite:headgate.db"}          # or postgres://…
state:     {url: "memory:"}                     # or redis://…
providers: {mock: {}, openai: {api_key: "${OPENAI_API_KEY:-}", base_url: "https://api.openai.com"}}
routes:    [{model_pattern: "gpt-*", strategy: model-prefix, providers: [{provider: openai, weight: 1}]}]
tenants:   [{id: default, name: Default, keys: [{name: dev, key: "${HEADGATE_DEV_KEY:-}", scopes: []}]}]
plugins:   {dir: plugins, watch: true, trust: open}      # open | pinned | signed
chain:
  - stage: pii
  - plugins: "*"                    # every module dropped in and not named elsewhere, in name order
  - wasm: employee-id.wasm
    name: employees
    phases: [request, response]
    mode: enforce                   # enforce | shadow
    on_fault: block                 # block | pass
    timeout: 50ms
    config: {action: redact}
`

func TestTheShapeOfIssue2Loads(t *testing.T) {
	cfg, warnings, err := load(shape, withEnv("OPENAI_API_KEY=sk-1"))
	require.NoError(t, err)
	assert.Empty(t, warnings)
	assert.Equal(t, "sk-1", cfg.Providers["openai"].APIKey.Reveal())
	link := cfg.Chain[2]
	link.Config = Block{}
	assert.Equal(t, Link{
		Wasm: "employee-id.wasm", Name: "employees", Phases: []Phase{PhaseRequest, PhaseResponse},
		Mode: Enforce, OnFault: FaultBlock, Timeout: 50 * time.Millisecond, Isolate: IsolateTenant,
	}, link)
}

// The good sample sets every key to a value other than the zero value, so a key
// that is not decoded shows as zero.
func TestEveryKeyIsDecoded(t *testing.T) {
	written := map[string]bool{}
	var walk func(rv reflect.Value, path string)
	walk = func(rv reflect.Value, path string) {
		switch {
		case rv.Kind() == reflect.Struct && !isLeaf(rv.Type()):
			for _, f := range listFields(rv.Type()) {
				walk(rv.FieldByIndex(f.index), joinPath(path, f.name))
			}
		case rv.Kind() == reflect.Slice:
			for i := range rv.Len() {
				walk(rv.Index(i), path)
			}
		case rv.Kind() == reflect.Map:
			for _, k := range rv.MapKeys() {
				walk(rv.MapIndex(k), path)
			}
		}
		written[path] = written[path] || !rv.IsZero()
	}
	good := func(file string) *Config {
		cfg, _, err := Load(Source{Path: "testdata/" + file, Known: known, Environ: environment})
		require.NoError(t, err)
		return cfg
	}
	walk(reflect.ValueOf(*good("sample.good.yaml")), "")
	walk(reflect.ValueOf(good("saml.good.yaml").Admin.Auth.SAML), "admin.auth.saml") // which excludes oidc
	require.Greater(t, len(written), 60)
	for path, set := range written {
		switch path {
		case "server.shutdown_timeout", "log.access", "plugins.watch", "guardrail", "guardrail.default_max_response_tokens":
			assert.False(t, set, "%s is written as its zero value", path)
		default:
			assert.True(t, set, path)
		}
	}
}

func TestTheSamplesOfFleetsLoad(t *testing.T) {
	stages := known
	stages.Stages = append(slices.Clone(stages.Stages), "ratelimit", "budget")
	env := []string{"HEADGATE_FLEET_SECRET=0123456789abcdef", "HEADGATE_REDIS=rediss://redis:6379/0"}
	side, warnings, err := Load(Source{Path: "../../configs/sidecar.yaml", Known: stages})
	require.NoError(t, err)
	assert.Empty(t, warnings)
	assert.Equal(t, TrustPinned, side.Plugins.Trust)
	control, warnings, err := Load(
		Source{
			Path:    "../../configs/fleet-control.yaml",
			Known:   stages,
			Environ: append(slices.Clone(env), "HEADGATE_DATABASE=postgres://u:p@db/h?sslmode=verify-full"),
		},
	)
	require.NoError(t, err)
	assert.Empty(t, warnings)
	assert.Equal(t, RoleControlPlane, control.Role)
	shared, err := control.MarshalShared()
	require.NoError(t, err)
	node, warnings, err := Load(
		Source{
			Path:    "../../configs/fleet-node.yaml",
			Known:   stages,
			Environ: append(slices.Clone(env), "HEADGATE_CONTROL_PLANE=https://control.example.com:8080"),
			Node:    true,
			Base:    shared,
		},
	)
	require.NoError(t, err)
	assert.Empty(t, warnings)
	assert.Equal(t, RoleGateway, node.Role)
	assert.Equal(t, control.Budgets, node.Budgets)
	assert.Len(t, node.Chain, 3)
}
