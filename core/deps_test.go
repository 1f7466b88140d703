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

// floors say how high in the house a package lives: it imports what is below it
// and nothing else. The longest path that a package begins with counts.
var floors = map[string]int{
	"sdk/project": 5, // builds plugins and packs them
	"core/splice": 1, "core/llm": 1, "core/llm/tokens": 2, "core/sse": 1, "core/placeholder": 1, "core/nested": 2, "core/config": 2, "core/license": 1,
	"core/upstream": 1, "core/pdf": 1, "core/pathless": 1, "core/money": 1, "configs": 1, "wasm/abi": 1, "wasm/meter": 1, "plugins/process/pb": 1, "sdk/webhook": 1, "plugins/remote": 1, "sdk/webhook/sample": 2,
	"core":      2,
	"sdk/guest": 2, "sdk/guest/stream": 3,
	"core/dialect/": 3, "core/route": 3, "core/state": 3, "core/store": 3, "core/store/storetest": 4, "stages/": 3, "wasm": 3, "plugins/process": 3,
	"plugins/webhook": 3, "sdk/process": 3, "sdk/process/samples": 4, "sdk/samples": 3, "sdk": 3,
	"core/recent": 3, "core/telemetry": 3, // its log lines and metrics are about exchanges
	"core/auth": 4, "core/audit": 4, "core/meter": 4, "core/snapshot": 4, "core/dialect": 4, "core/vault": 4, "core/policies": 4, "core/outbox": 4, "core/capture": 4, "core/replay": 5,
	"stages": 4, "stages/policy": 4, "stages/policy/dsl": 3, "providers": 4, "plugins": 4, "sdk/stagetest": 4,
	"core/fleet": 5, "core/proxy": 5, "core/admin": 5, "core/compliance": 5, "core/admin/rest": 6, "core/batch": 5, "core/auth/sso": 5, "core/auth/saml": 5,
	"sdk/project/guests":  6, // builds with it, for tests
	"sdk/stagetest/cases": 5, // reads bodies in the shapes of clients
	"core/downstream":     6, "core/console": 6, "core/console/chart": 1, "core/server": 7, "cmd": 8,
}

// beside are imports within one floor: a snapshot holds what a key gives, an operation makes reports, and all identity
// providers have addresses.
var beside = map[string]string{"core/snapshot": "core/auth", "core/admin": "core/compliance", "core/auth/saml": "core/auth/sso"}

// only says which packages may import a module: each has one home.
var only = map[string][]string{
	"github.com/aws/aws-sdk-go-v2":             {"providers", "core/dialect/bedrock"},
	"github.com/danielgtaylor/huma":            {"core/admin/rest"},
	"github.com/gin-gonic/gin":                 {"core/server", "core/proxy", "core/admin", "core/console"},
	"github.com/tetratelabs/wazero":            {"wasm"},
	"github.com/mattn/go-sqlite3":              {"core/store"},
	"github.com/jackc/pgx":                     {"core/store"},
	"github.com/jmoiron/sqlx":                  {"core/store"},
	"github.com/pressly/goose":                 {"core/store"},
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
	"github.com/dlclark/regexp2":               {},
	"github.com/sony/gobreaker":                {"plugins/webhook"},
	"github.com/redis/go-redis":                {"core/state"},
	"go.opentelemetry.io/otel":                 {"core/telemetry"},
	"codeberg.org/go-pdf/fpdf":                 {"core/pdf"},
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
				return filepath.SkipDir // a module of its own
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
	return pkg == prefix || strings.HasPrefix(pkg, strings.TrimSuffix(prefix, "/")+"/") || strings.HasSuffix(prefix, "/") && strings.HasPrefix(pkg, prefix)
}

func floor(pkg string) int {
	best, at := "", 0
	for prefix, f := range floors {
		if within(pkg, prefix) && (pkg == prefix || pkg != strings.TrimSuffix(prefix, "/")) && len(prefix) > len(best) {
			best, at = prefix, f
		}
	}
	return at
}

func TestAPackageImportsOnlyWhatIsBelowIt(t *testing.T) {
	for pkg, imps := range imports(t) {
		mine := floor(pkg)
		if !assert.NotZero(t, mine, "%s has no floor: give it one here, and in docs/architecture.md", pkg) {
			continue
		}
		for _, imp := range imps {
			theirs, ours := strings.CutPrefix(imp, module+"/")
			if !ours || imp == module {
				continue
			}
			below := floor(theirs) < mine || floor(theirs) == mine && (within(theirs, pkg) || beside[pkg] == theirs || mine == 8)
			assert.True(t, below, "%s (floor %d) imports %s (floor %d)", pkg, mine, theirs, floor(theirs))
		}
	}
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
				allowed := theirs == "core/scratch" || theirs == "core/sse" || theirs == "core/splice" || theirs == "core/llm" || theirs == "core/upstream"
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
