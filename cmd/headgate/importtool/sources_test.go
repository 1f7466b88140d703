package importtool

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/plugins/outside"
	"github.com/headgate-dev/headgate/providers"
)

var update = flag.Bool("update", false, "write the golden files and the tables of docs/import.md")

// listFiles returns the source files of a gateway, and checks that SOURCES.tsv names each of them and nothing else.
func listFiles(t *testing.T, source string) []string {
	t.Helper()
	dir := filepath.Join("testdata", source)
	table, err := os.ReadFile(filepath.Join(dir, "SOURCES.tsv"))
	require.NoError(t, err)
	var named []string
	for line := range strings.Lines(string(table)) {
		if !strings.HasPrefix(line, "#") {
			named = append(named, strings.Split(line, "\t")[0])
		}
	}
	all, err := os.ReadDir(dir)
	require.NoError(t, err)
	var files []string
	for _, f := range all {
		if f.Name() != "SOURCES.tsv" {
			files = append(files, f.Name())
		}
	}
	slices.Sort(named)
	require.Equal(t, named, files)
	return files
}

// leafPaths lists the leaves of a file by the YAML library's own tree, as an oracle for the importer's.
func leafPaths(n *yaml.Node, path string, out *[]string) {
	switch n.Kind {
	case yaml.DocumentNode:
		leafPaths(n.Content[0], path, out)
	case yaml.AliasNode:
		leafPaths(n.Alias, path, out)
	case yaml.SequenceNode:
		for i, c := range n.Content {
			leafPaths(c, fmt.Sprintf("%s[%d]", path, i), out)
		}
	case yaml.MappingNode:
		own := map[string]bool{}
		for i := 0; i < len(n.Content); i += 2 {
			own[n.Content[i].Value] = true
		}
		for i := 0; i < len(n.Content); i += 2 {
			k, v := n.Content[i].Value, n.Content[i+1]
			if k == "<<" {
				for j := 0; j < len(v.Alias.Content); j += 2 {
					if name := v.Alias.Content[j].Value; !own[name] {
						leafPaths(v.Alias.Content[j+1], strings.TrimPrefix(path+"."+quoteKey(name), "."), out)
					}
				}
				continue
			}
			leafPaths(v, strings.TrimPrefix(path+"."+quoteKey(k), "."), out)
		}
	}
	if n.Kind == yaml.ScalarNode || n.Kind != yaml.AliasNode && len(n.Content) == 0 {
		*out = append(*out, path)
	}
}

// environ fills in the variables of a result as a user would.
func environ(r *result) []string {
	var out []string
	for _, v := range r.vars.listByName() {
		value := "value"
		switch n := v.name; {
		case strings.Contains(n, "BASE") || strings.Contains(n, "URL") || strings.Contains(n, "ENDPOINT"):
			value = "https://example.com"
		case strings.HasSuffix(n, "REGION"):
			value = "eu-central-1"
		case strings.HasSuffix(n, "PROJECT"):
			value = "my-project"
		case strings.HasSuffix(n, "COMMAND"):
			value = "/usr/local/bin/server"
		case strings.HasSuffix(n, "PORT"):
			value = "6379"
		case strings.HasSuffix(n, "HOST"):
			value = "localhost"
		}
		out = append(out, v.name+"="+value)
	}
	return out
}

func validate(t *testing.T, r *result, text []byte) {
	t.Helper()
	cfg, _, err := config.Load(config.Source{
		Default: text, Name: "gateway.yaml", Environ: environ(r),
		Known: config.Known{Providers: providers.ListNames(), Stages: []string{"cache", "guardrail", "ratelimit"}, Guards: outside.ListVendors()},
	})
	require.NoError(t, err, string(text))
	for name, p := range cfg.Providers { // the gateway makes its providers from these
		_, err := providers.New(providers.Settings{
			Name: name, Type: p.Type, APIKey: p.APIKey.Reveal(), BaseURL: p.BaseURL, APIVersion: p.APIVersion, Region: p.Region,
			AccessKeyID:     p.AccessKeyID.Reveal(),
			SecretAccessKey: p.SecretAccessKey.Reveal(), SessionToken: p.SessionToken.Reveal(), Project: p.Project,
			Env: func(name string) string {
				return map[string]string{"AWS_REGION": "eu-central-1", "AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "key"}[name]
			},
			Entra: providers.Entra{
				Identity: string(p.Entra.Identity), TenantID: p.Entra.TenantID, ClientID: p.Entra.ClientID,
				ClientSecret: p.Entra.ClientSecret.Reveal(),
			},
		})
		require.NoError(t, err, name)
	}
}

func TestEveryFieldOfRealConfigurationsHasOneFindingAndTheResultIsValid(t *testing.T) {
	real := map[string]int{}
	for source, least := range map[string]int{"litellm": 40, "bifrost": 0, "portkey": 0} { // of the last two all are ours
		for _, name := range listFiles(t, source) {
			if !strings.Contains(name, "_ours.") {
				real[source]++
			}
			t.Run(source+"/"+name, func(t *testing.T) {
				data, err := os.ReadFile(filepath.Join("testdata", source, name))
				require.NoError(t, err)
				r, err := convertSource(source, data)
				require.NoError(t, err)

				var tree yaml.Node
				require.NoError(t, yaml.Unmarshal(data, &tree))
				var want, got []string
				leafPaths(&tree, "", &want)
				for _, f := range r.findings {
					got = append(got, f.Path)
					assert.NotEmpty(t, f.Outcome, f.Path)
					assert.False(t, f.Outcome == Unsupported && f.Why == "", "%s says nothing", f.Path)
					assert.False(t, f.Outcome == Changed && f.Why == "" && f.Target == "", "%s says nothing", f.Path)
				}
				slices.Sort(want)
				slices.Sort(got)
				assert.Equal(t, want, got)

				text, err := r.formatFile(source)
				require.NoError(t, err)
				validate(t, r, text)
				said, err := json.Marshal(r.findings)
				require.NoError(t, err)
				for _, v := range r.vars.listByName() {
					if v.set && strings.HasPrefix(v.name, "IMPORTED_") {
						assert.NotContains(t, string(said)+string(text), v.value, v.name)
						assert.Contains(t, string(text), "${"+v.name+"}")
					}
				}
				assert.NotContains(t, string(said)+string(text), "secret-00")
			})
		}
		assert.GreaterOrEqual(t, real[source], least, source)
	}
}

func TestImportsEqualTheirGoldenFiles(t *testing.T) {
	for source, names := range map[string][]string{
		"litellm": {
			"full_ours.yaml", "proxy_config.yaml", "wildcard_config.yaml", "oai_misc_config.yaml", "otel_test_config.yaml",
			"super_secret_config_1_80_5.yaml",
		},
		"bifrost": {"governed_ours.json", "tools_ours.json"},
		"portkey": {"balance_ours.json", "guardrail_ours.json"},
	} {
		for _, name := range names {
			t.Run(source+"/"+name, func(t *testing.T) {
				data, err := os.ReadFile(filepath.Join("testdata", source, name))
				require.NoError(t, err)
				r, err := convertSource(source, data)
				require.NoError(t, err)
				text, err := r.formatFile(source)
				require.NoError(t, err)
				var b bytes.Buffer
				require.NoError(t, printFindings(&b, r.findings))
				golden := filepath.Join("testdata", "golden", source+"-"+strings.TrimSuffix(name, filepath.Ext(name)))
				for end, got := range map[string]string{".yaml": string(text), ".txt": b.String()} {
					if *update {
						require.NoError(t, os.WriteFile(golden+end, []byte(got), 0o600))
					}
					want, err := os.ReadFile(golden + end)
					require.NoError(t, err)
					assert.Equal(t, string(want), got)
				}
			})
		}
	}
}
