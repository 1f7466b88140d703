package main

import (
	_ "embed"
	"fmt"
	"go/ast"
	"regexp"
	"strings"
)

// knownVerbs lists the verbs that functions of this tree begin with. A new function takes one of them, or adds the verb
// that says better what it does.
//
//go:embed verbs.txt
var verbList string

var knownVerbs = splitWords(verbList)

// conventional lists first words that Go's own conventions ask for: the interfaces of the standard library, iterators and
// clocks, functional options, and predicates with a second result.
var conventional = splitWords(`string error unwrap len less main init with next now is has can must may needs should dry`)

// unbound lists the interfaces of libraries: sqlx, go-plugin, hclog, context, goose.
var unbound = splitWords(`QueryxContext NamedExecContext PluginToHost Named Value GRPCServer GRPCClient AfterFunc`)

// idioms lists names that say what they do without a verb.
var idioms = splitWords(`nilIfZero nilIfEmpty valueOrZero orElse nameOrNone nameOrDefault dashIfEmpty realMain preciseSleep forEachSleep prefixError
	keyByFault wasRecorded`)

var firstWord = regexp.MustCompile(`^([A-Z]+)(?:[A-Z][a-z]|$|[0-9])|^([A-Za-z][a-z]*)`)

// countVerbless counts functions that do not begin with a verb. Left out are accessors, which are named by what they
// return: methods without parameters, and those that templates of the console call; functions that report a bool; and
// the exported names of the SDK and the ABI, which plugin authors call.
func countVerbless(t *tree) (int, []string) {
	var places []string
	for _, f := range t.files {
		if f.test || strings.HasPrefix(f.folder, "sdk/guest") {
			continue
		}
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || isPredicate(fn) || isAccessor(fn, f.folder) {
				continue
			}
			name := fn.Name.Name
			if unbound[name] || idioms[name] || fn.Name.IsExported() && isPublic(f.folder) {
				continue
			}
			if w := cutFirstWord(name); !knownVerbs[w] && !conventional[w] {
				places = append(places, fmt.Sprintf("%s:%d: %s", f.name, t.fset.Position(fn.Pos()).Line, name))
			}
		}
	}
	return len(places), places
}

// isAccessor reports whether a method only returns what its receiver has.
func isAccessor(fn *ast.FuncDecl, folder string) bool {
	if fn.Recv == nil {
		return false
	}
	return fn.Type.Params.NumFields() == 0 || fn.Name.IsExported() && strings.HasPrefix(folder, "core/manage/")
}

// isPublic reports whether others import a folder.
func isPublic(folder string) bool {
	return strings.HasPrefix(folder, "sdk/") || folder == "wasm/abi"
}

// cutFirstWord returns the first word of a name in camel case, in lower case.
func cutFirstWord(name string) string {
	m := firstWord.FindStringSubmatch(name)
	if m == nil {
		return ""
	}
	return strings.ToLower(m[1] + m[2])
}
