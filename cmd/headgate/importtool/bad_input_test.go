package importtool

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/cmd/headgate/cli"
)

// run calls the verb as the program does.
func run(args ...string) (out, errOut string, err error) {
	var o, e bytes.Buffer
	root := &cobra.Command{Use: "headgate", SilenceUsage: true, SilenceErrors: true}
	root.AddCommand(NewCommand())
	root.SetOut(&o)
	root.SetErr(&e)
	root.SetArgs(append([]string{"import"}, args...))
	err = root.Execute()
	return o.String(), e.String(), err
}

func TestABadFileIsAClearErrorAndExitStatusTwo(t *testing.T) {
	t.Parallel()
	bomb := "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c <= 'k'; c++ {
		p := string(c - 1)
		bomb += string(c) + ": &" + string(c) + " [" + strings.Repeat("*"+p+", ", 9) + "*" + p + "]\n"
	}
	for _, c := range []struct{ name, source, text, says string }{
		{"an empty file", "litellm", "", "empty"},
		{"comments alone", "litellm", "# nothing\n", "empty"},
		{"broken YAML", "litellm", "model_list: [sk-secret-0001\nx: }", "neither YAML nor JSON"},
		{"a list", "litellm", "- sk-secret-0001\n", "not a mapping"},
		{"a text", "litellm", "sk-secret-0001", "not a mapping"},
		{"another program's file", "litellm", "services: {web: {image: x}}", "not a configuration of LiteLLM"},
		{"another program's file", "bifrost", `{"dependencies": {}}`, "not a configuration of Bifrost"},
		{"another program's file", "portkey", `{"dependencies": {}}`, "not a config of Portkey"},
		{"two documents", "litellm", "model_list: []\n---\nmodel_list: []\n", "more than one"},
		{"a key twice", "litellm", "model_list: []\nmodel_list: []\n", "line 2: a key occurs twice"},
		{"a key twice in JSON", "bifrost", `{"client": {}, "client": {}}`, "occurs twice"},
		{"a key that is a list", "litellm", "? [a]\n: b\nmodel_list: []\n", "a key is not a plain word"},
		{"a merge of a text", "litellm", "model_list: []\n<<: sk-secret-0001\n", "<< does not name a mapping"},
		{"a bomb of anchors", "litellm", bomb + "model_list: []\n", "expands to more than 100000 values"},
		{"deep YAML", "litellm", "model_list: " + strings.Repeat("[", 500) + strings.Repeat("]", 500), "levels deep"},
		{"deep JSON", "portkey", `{"targets": ` + strings.Repeat("[", 500) + strings.Repeat("]", 500) + "}", "levels deep"},
		{"a huge file", "litellm", "x: " + strings.Repeat("y", maxSource), "larger than 4 MiB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "source.yaml")
			require.NoError(t, os.WriteFile(path, []byte(c.text), 0o600))
			out, errOut, err := run(c.source, path)
			require.ErrorIs(t, err, cli.StatusError(2))
			assert.Empty(t, out)
			assert.Contains(t, errOut, c.says)
			assert.NotContains(t, errOut, "secret")
		})
	}
	_, errOut, err := run("litellm", filepath.Join(t.TempDir(), "missing.yaml"))
	require.ErrorIs(t, err, cli.StatusError(2))
	assert.Contains(t, errOut, "no such file")
	_, err = convertSource("other", nil)
	require.ErrorContains(t, err, "litellm, bifrost or portkey")
}

func TestOddValuesAreFindingsAndNoFaults(t *testing.T) {
	t.Parallel()
	for source, texts := range map[string][]string{
		"litellm": {
			"model_list: 7", "model_list: [7, [], {}, null, {model_name: [], litellm_params: []}]", "litellm_settings: null",
			"router_settings: []\nlitellm_settings: {fallbacks: {a: b}}",
			"model_list: [{model_name: a, litellm_params: {model: openai/x, api_key: {a: b}, api_base: [1], weight: -1, rpm: " +
				".inf, timeout: never, extra_headers: x, input_cost_per_token: 1e999999999}}]",
			"guardrails: [{guardrail_name: x}, 4, {litellm_params: {guardrail: presidio, mode: {a: b}}}]", "mcp_servers: {a: " +
				"1, b: {url: 'ftp://x'}, c__d: {url: 'https://x'}, e: {url: 'https://x', headers: [1]}}",
			"litellm_settings: {max_budget: 1e3, budget_duration: 3d, cache_params: 4, callbacks: {a: b}}", "general_settings: " +
				"{max_request_size_mb: -4, master_key: }\nenvironment_variables: {'a b': c, D: [1]}",
			"model_list: [{model_name: \"\\x1b[31m\", litellm_params: {model: \"openai/${HOME}\", api_key: \"a\\nb\"}}]",
		},
		"bifrost": {
			`{"providers": []}`, `{"providers": {"openai": 4, "azure": {"keys": {}}, "": {"keys": [4, null]}}}`,
			`{"governance": [], "mcp": 4}`, `{"governance": {"virtual_keys": [4, {"rate_limit": 3, "budget": []}]}}`,
			`{"plugins": [3, {}]}`, `{"client": 1}`,
		},
		"portkey": {
			`{"targets": 4}`, `{"targets": [4, {}, {"targets": []}, {"provider": {}}]}`,
			`{"strategy": {"mode": "conditional"}, "targets": [{}]}`, `{"cache": 4, "retry": {"attempts": "x"}}`,
			`{"provider": "openai", "override_params": []}`,
		},
	} {
		for _, text := range texts {
			r, err := convertSource(source, []byte(text))
			require.NoError(t, err, text)
			file, err := r.formatFile(source)
			require.NoError(t, err, text)
			assert.NotContains(t, string(file), "\x1b")
			validate(t, r, file)
			for _, f := range r.findings {
				assert.NotEmpty(t, f.Outcome, text)
				assert.NotContains(t, f.Path, "\x1b")
			}
		}
	}
}

func TestFilesAreWrittenOnceAndVariablesForTheirOwnerAlone(t *testing.T) {
	t.Parallel()
	source := filepath.Join("testdata", "litellm", "full_ours.yaml")
	path := filepath.Join(t.TempDir(), "gateway.yaml")
	out, findings, err := run("litellm", source, "--out", path)
	require.NoError(t, err)
	assert.Empty(t, out)
	env := strings.TrimSuffix(path, "yaml") + "env"
	assert.Contains(t, findings, "they are in "+env)
	info, err := os.Stat(env)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	text, err := os.ReadFile(env)
	require.NoError(t, err)
	assert.Contains(t, string(text), "IMPORTED_AZURE_API_KEY=azure-literal-secret-0001\n")
	assert.Contains(t, string(text), `IMPORTED_REDIS_PASSWORD='redis literal'\''s $ecret-0006'`+"\n")
	assert.Contains(t, string(text), "OPENAI_API_KEY=\n")
	file, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.NotContains(t, string(file)+findings, "secret-00")

	_, _, err = run("litellm", source, "--out", path)
	require.ErrorContains(t, err, "already exists")

	shown, errOut, err := run("litellm", source)
	require.NoError(t, err)
	assert.Equal(t, string(file), shown)
	assert.Contains(t, errOut, "mapped")

	other := filepath.Join(t.TempDir(), "other.yaml")
	shown, _, err = run("litellm", source, "--dry-run", "--out", other)
	require.NoError(t, err)
	assert.Contains(t, shown, "nobody_knows.this[0].deep")
	assert.NotContains(t, shown, "secret-00")
	assert.NoFileExists(t, other)

	shown, _, err = run("litellm", source, "--json")
	require.NoError(t, err)
	assert.Contains(t, shown, `"path": "model_list[0].model_name"`)
	assert.NotContains(t, shown, "secret-00")
}
