package core_test

import (
	"go/build"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/headgate-dev/headgate"

// layers lists the layers, lowest first. A package belongs to the longest prefix that it starts with. It imports
// packages of its layer and of lower ones, never of a higher one.
var layers = []struct {
	name     string
	packages string
}{
	{
		"leaves",
		"configs wasm/abi wasm/meter plugins/process/pb sdk/webhook core/circuit core/records/meter/money " +
			"core/records/meter/pdf core/manage/console/chart",
	},
	{"body", "core/body"},
	{"llm", "core/llm"},
	{"core", "core core/recall"}, // "core" matches that package alone: a new folder must be named
	{"dialect", "core/dialect"},
	{"chain", "core/chain"},
	{"records", "core/records"},
	{"services", "core/config core/telemetry"},
	{"auth", "core/auth"},
	{"gateway", "core/gateway"},
	{"manage", "core/manage"},
	{"server", "core/server"},
	{"extensions", "stages wasm plugins providers sdk"},
	{"binary", "cmd docs"}, // docs holds tests of promises
}

// only says which packages may import a module: each has one home.
var only = map[string][]string{
	"github.com/aws/aws-sdk-go-v2":             {"providers", "core/dialect/bedrock"},
	"github.com/coder/websocket":               {"core/gateway/socket", "core/gateway/upstream"},
	"github.com/danielgtaylor/huma":            {"core/manage/admin/rest"},
	"github.com/gin-gonic/gin":                 {"core/server", "core/gateway/proxy", "core/manage/admin", "core/manage/console"},
	"github.com/tetratelabs/wazero":            {"wasm"},
	"github.com/minio/highwayhash":             {"core/chain"},
	"github.com/mattn/go-sqlite3":              {"core/records/store"},
	"github.com/jackc/pgx":                     {"core/records/store"},
	"github.com/klauspost/compress":            {"core/records/store"},
	"github.com/jmoiron/sqlx":                  {"core/records/store"},
	"github.com/pressly/goose":                 {"core/records/store"},
	"github.com/golang-jwt/jwt":                {"core/auth/sso"},
	"github.com/crewjam/saml":                  {"core/auth/saml"},
	"github.com/russellhaering/goxmldsig":      {"core/auth/saml"},
	"github.com/beevik/etree":                  {"core/auth/saml"},
	"github.com/hashicorp/go-plugin":           {"plugins/process", "sdk/process"},
	"github.com/knadh/koanf":                   {"core/config"},
	"github.com/rs/zerolog":                    {"core/telemetry"},
	"github.com/santhosh-tekuri/jsonschema/v6": {"stages/schema", "stages/guardrail"},
	"github.com/spf13/cobra":                   {"cmd"},
	"github.com/tiktoken-go/tokenizer":         {}, // for tests: it would be 5 MB of the binary
	"github.com/modelcontextprotocol/go-sdk":   {}, // peers of tests: it encodes each message again
	"github.com/dlclark/regexp2":               {},
	"github.com/redis/go-redis":                {"core/records/state"},
	"go.opentelemetry.io/otel":                 {"core/telemetry"},
	"codeberg.org/go-pdf/fpdf":                 {"core/records/meter/pdf"},
	"oras.land/oras-go":                        {"plugins/oci"},
}

// root is the module's folder.
func root(t *testing.T) string {
	dir, err := os.Getwd()
	require.NoError(t, err)
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		require.NotEqual(t, up, dir, "no go.mod above the test")
		dir = up
	}
}

// imports lists what each package of the module imports, its tests aside.
func imports(t *testing.T) map[string][]string {
	top, out := root(t), map[string][]string{}
	require.NoError(t, filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		name := d.Name()
		if path != top {
			if strings.HasPrefix(name, ".") || name == "testdata" {
				return filepath.SkipDir
			}
			if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil {
				return filepath.SkipDir // its own module
			}
		}
		p, err := build.ImportDir(path, 0)
		if err == nil {
			rel, err := filepath.Rel(top, path)
			require.NoError(t, err)
			out[filepath.ToSlash(rel)] = p.Imports
		}
		return nil
	}))
	require.Greater(t, len(out), 10)
	return out
}

func within(pkg, prefix string) bool {
	return pkg == prefix || strings.HasPrefix(pkg, strings.TrimSuffix(prefix, "/")+"/") ||
		strings.HasSuffix(prefix, "/") && strings.HasPrefix(pkg, prefix)
}

// layer returns the index of the layer of a package, or -1 if it has none.
func layer(pkg string) int {
	longest, at := "", -1
	for i, l := range layers {
		for prefix := range strings.FieldsSeq(l.packages) {
			if (pkg == prefix || prefix != "core" && within(pkg, prefix)) && len(prefix) > len(longest) {
				longest, at = prefix, i
			}
		}
	}
	return at
}

func TestAPackageImportsOnlyItsOwnLayerAndLowerOnes(t *testing.T) {
	for pkg, imps := range imports(t) {
		own := layer(pkg)
		if !assert.GreaterOrEqual(t, own, 0, "%s has no layer: add it here and to docs/architecture.md", pkg) {
			continue
		}
		for _, imp := range imps {
			if name, ours := strings.CutPrefix(imp, module+"/"); ours && name != "" {
				other := layer(name)
				assert.LessOrEqual(t, other, own, "%s (%s) imports %s (%s)", pkg, layers[own].name, name, layers[max(other, 0)].name)
			}
		}
	}
}

func TestTheFoldersOfCoreAreFew(t *testing.T) {
	entries, err := os.ReadDir(filepath.Join(root(t), "core"))
	require.NoError(t, err)
	folders := 0
	for _, e := range entries {
		if e.IsDir() && e.Name() != "testdata" {
			folders++
		}
	}
	assert.LessOrEqual(t, folders, 14, "a reader should see the architecture in one look at core/")
}

func TestTheCoreKnowsNothingOfWhatIsPluggedIntoIt(t *testing.T) {
	for pkg, imps := range imports(t) {
		for _, imp := range imps {
			theirs := strings.TrimPrefix(imp, module+"/")
			if within(pkg, "core") && theirs != imp {
				assert.True(t, within(theirs, "core"), "%s imports %s; they meet in cmd", pkg, theirs)
			}
			switch pkg {
			case "core":
				std := !strings.Contains(strings.Split(imp, "/")[0], ".")
				allowed := within(theirs, "core/body") || theirs == "core/llm"
				assert.True(t, std || allowed, "core imports %s", imp)
			case "sdk/guest":
				assert.True(t, !strings.HasPrefix(imp, module) || theirs == "wasm/abi", "sdk/guest imports %s", imp)
			case "wasm/abi":
				assert.Fail(t, "wasm/abi imports nothing", imp)
			}
		}
	}
}

func TestEachModuleHasOneHome(t *testing.T) {
	for pkg, imps := range imports(t) {
		for _, imp := range imps {
			for prefix, homes := range only {
				if !within(imp, prefix) {
					continue
				}
				home := false
				for _, h := range homes {
					home = home || within(pkg, h)
				}
				assert.True(t, home, "%s imports %s, which lives in %v", pkg, imp, homes)
			}
		}
	}
}
