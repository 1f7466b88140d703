package wasm

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero/api"

	"github.com/headgate-dev/headgate/plugins/foreign"
	"github.com/headgate-dev/headgate/wasm/abi"
	"github.com/headgate-dev/headgate/wasm/abi/description"
)

func describedABI(t *testing.T) *description.ABI {
	t.Helper()
	a, err := description.Read()
	require.NoError(t, err)
	return a
}

func TestTheNormativeTextNamesWhatIsNotGenerated(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "docs", "plugin-abi.md"))
	require.NoError(t, err)
	page := string(b)
	for p := abi.PhaseRequest; p <= abi.PhaseFinish; p++ {
		assert.Contains(t, page, fmt.Sprintf("| `%s` | %d |", abi.PhaseName(p), p))
	}
	codes := []string{abi.CodeContentFilter, abi.CodeInvalidValue, abi.CodePolicyDenied, abi.CodeRateLimit, abi.CodeQuota, abi.CodeOverloaded}
	for _, c := range append(codes, capabilities...) {
		assert.Contains(t, page, "`"+c+"`")
	}
	for _, own := range foreign.OwnHeaders {
		assert.Contains(t, page, "`"+strings.TrimSuffix(own, "-"))
	}
}

func typeNames(in []api.ValueType) (out []string) {
	for _, t := range in {
		out = append(out, api.ValueTypeName(t))
	}
	return out
}

func TestTheHostOffersTheImportsThatTheDescriptionHasAndNoOthers(t *testing.T) {
	a := describedABI(t)
	assert.Equal(t, abi.Version, a.Version)
	assert.Equal(t, abi.HostModule, a.Module)
	have := map[string]hostFunc{}
	for _, list := range []map[string]hostFunc{headgateFuncs, stageFuncs} {
		for name, f := range list {
			have[name] = f
		}
	}
	for _, f := range a.Imports {
		h, ok := have[f.Name]
		if !assert.True(t, ok, f.Name) {
			continue
		}
		delete(have, f.Name)
		params, results := f.Wasm()
		assert.Equal(t, params, typeNames(h.params), f.Name)
		assert.Equal(t, results, typeNames(h.results), f.Name)
		assert.Equal(t, f.Capability, h.capability, f.Name)
		assert.Equal(t, f.Stage, h.stage, f.Name)
		assert.Equal(t, f.Reads, strings.TrimPrefix(h.reads, "reads."), f.Name)
	}
	assert.Empty(t, have, "imports that the description does not have")
}

func TestTheHostChecksTheExportsThatTheDescriptionHas(t *testing.T) {
	a := describedABI(t)
	require.Len(t, a.Exports, len(signatures))
	for _, f := range a.Exports {
		s, ok := signatures[f.Name]
		require.True(t, ok, f.Name)
		params, results := f.Wasm()
		assert.Equal(t, params, typeNames(convertTypes(s.Params)), f.Name)
		assert.Equal(t, results, typeNames(convertTypes(s.Results)), f.Name)
	}
}

func TestTheNumbersOfTheHostAreThoseOfTheDescription(t *testing.T) {
	a := describedABI(t)
	var fields []string
	for _, f := range a.Fields {
		fields = append(fields, f.Name)
	}
	assert.Equal(t, abi.FieldNames(), fields)
	assert.Equal(t, capabilities, a.Capabilities)
	want := map[string]map[string]int64{
		"flag":      {"before": int64(abi.DetectBefore), "after": int64(abi.DetectAfter), "code": int64(abi.DetectCode)},
		"source":    {"unknown": 0},
		"role":      {"none": 0, "system": int64(abi.RoleSystem), "user": int64(abi.RoleUser), "assistant": int64(abi.RoleAssistant), "tool": int64(abi.RoleTool)},
		"level":     {"debug": int64(abi.LevelDebug), "info": int64(abi.LevelInfo), "warn": int64(abi.LevelWarn), "error": int64(abi.LevelError)},
		"phase":     {},
		"operation": {"open": int64(abi.StreamOpen), "push": int64(abi.StreamPush), "close": int64(abi.StreamClose)},
		"retry":     {"no_retry": int64(abi.NoRetry)},
		"limit":     {"rate": int64(abi.LimitRate), "concurrent": int64(abi.LimitConcurrent), "spend": int64(abi.LimitSpend)},
		"segment": {
			"text": int64(abi.SegText), "tool_args": int64(abi.SegToolArgs), "tool_result": int64(abi.SegToolResult),
			"reasoning": int64(abi.SegReasoning), "refusal": int64(abi.SegRefusal), "definition": int64(abi.SegDefinition), "other": int64(abi.SegOther),
		},
	}
	for s := abi.SourceSystem; s <= abi.SourceOther; s++ {
		want["source"][s.String()] = int64(s)
	}
	for p := abi.PhaseRequest; p <= abi.PhaseFinish; p++ {
		want["phase"][abi.PhaseName(p)] = int64(p)
	}
	got := map[string]map[string]int64{}
	for _, g := range a.Numbers {
		got[g.Name] = map[string]int64{}
		for _, v := range g.Values {
			got[g.Name][v.Name] = v.Value
		}
	}
	assert.Equal(t, want, got)
	results := map[string]int64{}
	for _, r := range a.Results {
		results[r.Name] = r.Value
	}
	assert.Equal(t, map[string]int64{
		"no_value": int64(abi.NoValue), "not_granted": int64(abi.NotGranted), "unavailable": int64(abi.Unavailable),
	}, results)
	bounds := map[string]int64{}
	for _, b := range a.Bounds {
		bounds[b.Name] = b.Value
	}
	assert.Equal(t, map[string]int64{
		"MaxMatch": abi.MaxMatch, "MaxStreamMatch": abi.MaxStreamMatch, "MaxStreamHold": abi.MaxStreamHold, "MaxSpans": abi.MaxSpans,
		"MaxKeep": abi.MaxKeep, "MaxCode": abi.MaxCode, "MaxMessage": abi.MaxMessage, "MaxAnnotations": abi.MaxAnnotations,
		"MaxKeyLen": abi.MaxKeyLen, "MaxAnnotation": abi.MaxAnnotation, "MaxEdits": abi.MaxEdits, "MaxWith": abi.MaxWith,
		"MaxModel": abi.MaxModel, "MaxAnswer": abi.MaxAnswer, "MaxLimits": abi.MaxLimits, "MaxHolds": abi.MaxHolds,
		"MaxStateKey": abi.MaxStateKey, "MaxStateValue": abi.MaxStateValue, "MaxTTL": abi.MaxTTL, "MaxPeriod": abi.MaxPeriod,
		"MaxBody": abi.MaxBody, "MaxRules": abi.MaxRules, "MaxRoutes": abi.MaxRoutes, "MaxWeight": abi.MaxWeight, "MaxRetry": abi.MaxRetry,
		"MaxRetryText": abi.MaxRetryText, "MaxThresholds": abi.MaxThresholds, "MaxCalls": abi.MaxCalls, "MaxCallBody": abi.MaxCallBody,
		"MaxCallAnswer": abi.MaxCallAnswer, "MaxPath": abi.MaxPath,
	}, bounds)
}

// breachesIn returns, by function of this package, the reasons that it passes to endWithBreach and the functions that it names.
func breachesIn(t *testing.T) (reasons, names map[string][]string, imports map[string]string) {
	t.Helper()
	reasons, names, imports = map[string][]string{}, map[string][]string{}, map[string]string{}
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		require.NoError(t, err)
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if !ofACall(d) {
					continue
				}
				collectBreaches(d, reasons, names)
			case *ast.GenDecl:
				ast.Inspect(d, func(n ast.Node) bool { // abi.ImportField: newStageFunc(handleField, …)
					e, ok := n.(*ast.KeyValueExpr)
					if !ok {
						return true
					}
					if key, ok := e.Key.(*ast.SelectorExpr); ok && strings.HasPrefix(key.Sel.Name, "Import") {
						ast.Inspect(e.Value, func(n ast.Node) bool {
							if id, ok := n.(*ast.Ident); ok && strings.HasPrefix(id.Name, "handle") {
								imports[key.Sel.Name] = id.Name
							}
							return true
						})
					}
					return true
				})
			}
		}
	}
	return reasons, names, imports
}

// ofACall reports whether a function is plain or a method of a guest's call: names of other types' methods mean other things.
func ofACall(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	star, ok := d.Recv.List[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	id, ok := star.X.(*ast.Ident)
	return ok && id.Name == "talk"
}

func collectBreaches(d *ast.FuncDecl, reasons, names map[string][]string) {
	ast.Inspect(d.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if method, ok := call.Fun.(*ast.SelectorExpr); ok {
			names[d.Name.Name] = append(names[d.Name.Name], method.Sel.Name)
		}
		if id, ok := call.Fun.(*ast.Ident); ok {
			names[d.Name.Name] = append(names[d.Name.Name], id.Name)
			if id.Name == "endWithBreach" {
				if lit, ok := call.Args[0].(*ast.BasicLit); ok {
					if text, err := strconv.Unquote(lit.Value); err == nil {
						reasons[d.Name.Name] = append(reasons[d.Name.Name], text)
					}
				}
			}
		}
		return true
	})
}

// importConstants maps the constants of package abi to the names of imports.
func importConstants(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join("abi", "doc.go"), nil, 0)
	require.NoError(t, err)
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.ValueSpec); ok && len(s.Values) == 1 && strings.HasPrefix(s.Names[0].Name, "Import") {
			if lit, ok := s.Values[0].(*ast.BasicLit); ok {
				out[s.Names[0].Name], _ = strconv.Unquote(lit.Value)
			}
		}
		return true
	})
	return out
}

// The description says of every import how a call of it can break the contract: what the source reaches from its function, no more and no
// less.
func TestTheBreachesOfEveryImportAreThoseOfTheDescription(t *testing.T) {
	a := describedABI(t)
	reasons, names, functions := breachesIn(t)
	constants := importConstants(t)
	have := map[string][]string{}
	for constant, function := range functions {
		seen := map[string]bool{}
		var all []string
		var visit func(string)
		visit = func(name string) {
			if seen[name] {
				return
			}
			seen[name] = true
			all = append(all, reasons[name]...)
			for _, next := range names[name] {
				visit(next)
			}
		}
		visit(function)
		if _, ok := stageFuncs[constants[constant]]; ok {
			visit("findTalk")
		}
		slices.Sort(all)
		have[constants[constant]] = slices.Compact(all)
	}
	for _, f := range a.Imports {
		var want []string
		for _, id := range f.Breaches {
			want = append(want, a.FindReason(id))
		}
		slices.Sort(want)
		assert.Equal(t, want, have[f.Name], f.Name)
	}
}
