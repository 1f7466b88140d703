// Package compatibility holds the promises of docs/compatibility.md: each list in testdata names
// what others build on, and a line that was released never goes and never changes.
package compatibility

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/headgate-dev/headgate/plugins/process/pb"
)

var update = flag.Bool("update", false, "add what is new to the lists in testdata")

// requireKept compares what exists with the list of what the row of docs/compatibility.md promises. With -update it adds
// new lines to the list; it never removes one.
func requireKept(t *testing.T, row, list string, exist []string) {
	t.Helper()
	page, err := os.ReadFile("../compatibility.md")
	require.NoError(t, err)
	require.Contains(t, string(page), "\n| "+row+" ", "docs/compatibility.md has no such row")
	path := filepath.Join("testdata", list)
	text, err := os.ReadFile(path)
	if !os.IsNotExist(err) {
		require.NoError(t, err)
	}
	promised := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if *update {
		all := slices.Concat(promised, exist)
		slices.Sort(all)
		all = slices.DeleteFunc(slices.Compact(all), func(line string) bool { return line == "" })
		require.NoError(t, os.WriteFile(path, []byte(strings.Join(all, "\n")+"\n"), 0o644))
		promised = all
	}
	have := map[string]bool{}
	for _, line := range exist {
		have[line] = true
	}
	for _, line := range promised {
		assert.True(t, have[line], "breaks the promise %q of docs/compatibility.md: testdata/%s has %q, which is gone or has changed", row, list, line)
		delete(have, line)
	}
	assert.Empty(t, have, row+": not promised yet: run go test ./docs/compatibility -update")
	assert.Greater(t, len(promised), 10)
}

func TestTheNumbersOfABI1DoNotChange(t *testing.T) {
	sources, err := filepath.Glob("../../wasm/abi/*.go")
	require.NoError(t, err)
	fset := token.NewFileSet()
	var files []*ast.File
	for _, source := range sources {
		if !strings.HasSuffix(source, "_test.go") {
			file, err := parser.ParseFile(fset, source, nil, 0)
			require.NoError(t, err)
			files = append(files, file)
		}
	}
	p, err := new(types.Config).Check("abi", fset, files, nil) // the package imports nothing
	require.NoError(t, err)
	var exist []string
	for _, name := range p.Scope().Names() {
		if c, ok := p.Scope().Lookup(name).(*types.Const); ok && c.Exported() {
			value := c.Val().ExactString()
			if c.Val().Kind() == constant.String {
				value = fmt.Sprintf("%q", constant.StringVal(c.Val()))
			}
			exist = append(exist, name+" = "+value)
		}
	}
	requireKept(t, "Wasm ABI 1", "abi-1.txt", exist)
}

func TestMessagesOfTheProcessProtocolKeepTheirFields(t *testing.T) {
	var exist []string
	var add func(messages protoreflect.MessageDescriptors)
	add = func(messages protoreflect.MessageDescriptors) {
		for i := range messages.Len() {
			m := messages.Get(i)
			for j := range m.Fields().Len() {
				f := m.Fields().Get(j)
				exist = append(exist, fmt.Sprintf("%s %d %s %s", m.FullName(), f.Number(), f.Cardinality(), f.Kind()))
			}
			add(m.Messages())
		}
	}
	file := pb.File_plugins_process_pb_process_proto
	add(file.Messages())
	for i := range file.Services().Len() {
		s := file.Services().Get(i)
		for j := range s.Methods().Len() {
			m := s.Methods().Get(j)
			exist = append(exist, fmt.Sprintf("%s(%s) %s", m.FullName(), m.Input().FullName(), m.Output().FullName()))
		}
	}
	requireKept(t, "Process protocol 1", "process-1.txt", exist)
}

func TestSettingsKeepTheirNames(t *testing.T) {
	text, err := os.ReadFile("../../configs/gateway.schema.json")
	require.NoError(t, err)
	var root map[string]any
	require.NoError(t, json.Unmarshal(text, &root))
	defs, _ := root["$defs"].(map[string]any)
	exist := map[string]bool{}
	var walk func(path string, node any, depth int)
	walk = func(path string, node any, depth int) {
		if depth > 24 {
			return // a type that holds itself
		}
		switch node := node.(type) {
		case []any:
			for _, n := range node {
				walk(path, n, depth)
			}
		case map[string]any:
			if ref, ok := node["$ref"].(string); ok {
				walk(path, defs[strings.TrimPrefix(ref, "#/$defs/")], depth+1)
			}
			for _, keyword := range []string{"anyOf", "oneOf", "allOf"} {
				walk(path, node[keyword], depth)
			}
			walk(path+"[]", node["items"], depth)
			walk(path+".*", node["additionalProperties"], depth)
			properties, _ := node["properties"].(map[string]any)
			for name, n := range properties {
				exist[strings.TrimPrefix(path+"."+name, ".")] = true
				walk(path+"."+name, n, depth+1)
			}
		}
	}
	walk("", root, 0)
	requireKept(t, "Configuration file, environment, flags", "settings.txt", slices.Collect(maps.Keys(exist)))
}

func TestReleasedMigrationsDoNotChange(t *testing.T) {
	files, err := filepath.Glob("../../core/records/store/migrations/*/*.sql")
	require.NoError(t, err)
	var exist []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		sum := sha256.Sum256(text)
		exist = append(exist, filepath.Base(filepath.Dir(file))+"/"+filepath.Base(file)+" "+hex.EncodeToString(sum[:]))
	}
	requireKept(t, "Database (SQLite and PostgreSQL)", "migrations.txt", exist)
}
