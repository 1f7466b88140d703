package compatibility

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const modulePath = "github.com/headgate-dev/headgate/"

// authorPackages are the packages that authors of plugins and receivers import.
var authorPackages = []string{
	"sdk/guest", "sdk/guest/stream", "sdk/process", "sdk/process/light",
	"sdk/stagetest", "sdk/stagetest/cases", "sdk/stagetest/shared", "sdk/webhook",
}

// toolPackages are used by the gateway's own verbs and tests. compatibility.md promises nothing about them.
var toolPackages = []string{
	"sdk", "sdk/project", "sdk/project/guests", "sdk/samples", "sdk/stagetest/equal", "sdk/stagetest/play",
}

func TestExportedNamesOfTheSDKDoNotChange(t *testing.T) {
	deps := readExportFiles(t)
	var exist []string
	for _, path := range authorPackages {
		exist = append(exist, listExportedNames(t, deps, path, build.Default)...)
	}
	requireKept(t, "Go packages", "go-sdk.txt", exist)
}

// Authors compile sdk/guest for wasip1, where other files of it are built. Names that only the trial of a guest has, which
// runs outside WebAssembly, are missing there.
func TestGuestsFindTheSameNamesInWebAssembly(t *testing.T) {
	deps := readExportFiles(t)
	wasm := build.Default
	wasm.GOOS, wasm.GOARCH, wasm.CgoEnabled = "wasip1", "wasm", false
	for _, path := range []string{"sdk/guest", "sdk/guest/stream"} {
		inside, outside := listExportedNames(t, deps, path, wasm), listExportedNames(t, deps, path, build.Default)
		assert.Subset(t, outside, inside)
		for _, line := range outside {
			assert.True(t, slices.Contains(inside, line) || ofTrials.MatchString(line), "not in WebAssembly: %s", line)
		}
	}
}

// ofTrials matches what tests of a guest use: a trial, and the denial that it reports.
var ofTrials = regexp.MustCompile(`\b(Trial\w*|Denial)\b`)

func TestEachPackageOfTheSDKIsPromisedOrATool(t *testing.T) {
	var found []string
	require.NoError(t, filepath.WalkDir("../../sdk", func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !d.IsDir():
			return nil
		case slices.Contains([]string{"clients", "testdata", "templates"}, d.Name()):
			return filepath.SkipDir
		}
		if p, err := build.ImportDir(path, 0); err == nil && p.Name != "main" {
			found = append(found, filepath.ToSlash(strings.TrimPrefix(path, "../../")))
		}
		return nil
	}))
	assert.ElementsMatch(t, slices.Concat(authorPackages, toolPackages), found)
}

// readExportFiles returns the files with the compiled types of the packages that the SDK imports, by import path.
func readExportFiles(t *testing.T) map[string]string {
	t.Helper()
	deps, err := exportFiles()
	require.NoError(t, err)
	return deps
}

var exportFiles = sync.OnceValues(func() (map[string]string, error) {
	c := exec.CommandContext(context.Background(), "go", "list", "-export", "-deps", "-json=ImportPath,Export", "./sdk/guest/stream",
		"./sdk/process", "./sdk/process/light", "./sdk/stagetest/...", "./sdk/webhook")
	c.Dir = "../.."
	var problems bytes.Buffer
	c.Stderr = &problems
	text, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("list the packages of the SDK: %w: %s", err, &problems)
	}
	deps := map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var p struct{ ImportPath, Export string }
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return deps, nil
		} else if err != nil {
			return nil, err
		}
		deps[p.ImportPath] = p.Export
	}
})

// listExportedNames describes all that importers of the package can use, one line each.
func listExportedNames(t *testing.T, deps map[string]string, path string, files build.Context) []string {
	t.Helper()
	dir := filepath.Join("../..", path)
	parts, err := files.ImportDir(dir, 0)
	require.NoError(t, err)
	fset := token.NewFileSet()
	var sources []*ast.File
	for _, name := range parts.GoFiles {
		file, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		sources = append(sources, file)
	}
	check := types.Config{
		IgnoreFuncBodies: true,
		Importer: importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
			return os.Open(deps[path])
		}),
	}
	p, err := check.Check(modulePath+path, fset, sources, nil)
	require.NoError(t, err)
	l := lister{path: path, self: p}
	for _, name := range p.Scope().Names() {
		if o := p.Scope().Lookup(name); o.Exported() {
			l.addObject(o)
		}
	}
	return l.lines
}

// lister collects the lines of one package.
type lister struct {
	path  string
	self  *types.Package
	lines []string
}

func (l *lister) add(format string, args ...any) {
	l.lines = append(l.lines, l.path+": "+fmt.Sprintf(format, args...))
}

// typeOf writes a type without the names of parameters, which callers do not depend on.
func (l *lister) typeOf(t types.Type) string {
	return types.TypeString(dropParameterNames(t), func(p *types.Package) string {
		if p == l.self {
			return ""
		}
		return strings.TrimPrefix(p.Path(), modulePath)
	})
}

func (l *lister) addObject(o types.Object) {
	switch o := o.(type) {
	case *types.Const:
		l.add("const %s %s = %s", o.Name(), l.typeOf(o.Type()), o.Val().ExactString())
	case *types.Var:
		l.add("var %s %s", o.Name(), l.typeOf(o.Type()))
	case *types.Func:
		l.add("func %s%s", o.Name(), strings.TrimPrefix(l.typeOf(o.Type()), "func"))
	case *types.TypeName:
		l.addType(o)
	}
}

func (l *lister) addType(o *types.TypeName) {
	if o.IsAlias() {
		l.add("type %s = %s", o.Name(), l.typeOf(types.Unalias(o.Type())))
		return
	}
	named := o.Type().(*types.Named)
	switch under := named.Underlying().(type) {
	case *types.Struct:
		l.add("type %s struct", o.Name())
		for i := range under.NumFields() {
			if f := under.Field(i); f.Exported() {
				l.add("field %s.%s %s", o.Name(), f.Name(), strings.TrimSpace(l.typeOf(f.Type())+" "+under.Tag(i)))
			}
		}
	default: // an interface with all its methods: a further method breaks those who implement it
		l.add("type %s %s", o.Name(), l.typeOf(under))
	}
	for m := range named.Methods() {
		if m.Exported() {
			receiver := l.typeOf(m.Signature().Recv().Type())
			l.add("method (%s).%s%s", receiver, m.Name(), strings.TrimPrefix(l.typeOf(m.Type()), "func"))
		}
	}
}

func dropParameterNames(t types.Type) types.Type {
	switch t := t.(type) {
	case *types.Signature:
		if t.TypeParams().Len() > 0 {
			return t
		}
		return types.NewSignatureType(nil, nil, nil, dropNames(t.Params()), dropNames(t.Results()), t.Variadic())
	case *types.Pointer:
		return types.NewPointer(dropParameterNames(t.Elem()))
	case *types.Slice:
		return types.NewSlice(dropParameterNames(t.Elem()))
	case *types.Map:
		return types.NewMap(dropParameterNames(t.Key()), dropParameterNames(t.Elem()))
	case *types.Interface:
		var methods []*types.Func
		for m := range t.Methods() {
			methods = append(methods, types.NewFunc(0, m.Pkg(), m.Name(), dropParameterNames(m.Type()).(*types.Signature)))
		}
		if t.NumEmbeddeds() > 0 && !t.IsMethodSet() {
			return t // constraints of type parameters
		}
		return types.NewInterfaceType(methods, nil).Complete()
	}
	return t
}

func dropNames(vars *types.Tuple) *types.Tuple {
	var bare []*types.Var
	for v := range vars.Variables() {
		bare = append(bare, types.NewParam(0, v.Pkg(), "", dropParameterNames(v.Type())))
	}
	return types.NewTuple(bare...)
}
