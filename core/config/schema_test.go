package config

import (
	"encoding/json"
	"go/ast"
	goparser "go/parser"
	"go/token"
	"io/fs"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// schemaFile is what editors are pointed at.
const schemaFile = "../../configs/gateway.schema.json"

// schema builds the JSON Schema of the file from the types of this package:
// their tags give keys, defaults and bounds, their comments the descriptions.
// It stands in a test so that the binary does not carry a Go parser.
type schema struct {
	docs map[string]string // Type and Type.Field -> comment
	defs map[string]any
}

// comments reads the doc comments of the package's types and fields.
func comments(t *testing.T) map[string]string {
	t.Helper()
	docs := map[string]string{}
	entries, err := fs.Glob(os.DirFS("."), "*.go")
	require.NoError(t, err)
	for _, name := range entries {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := goparser.ParseFile(token.NewFileSet(), name, nil, goparser.ParseComments)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			decl, ok := n.(*ast.GenDecl)
			if !ok || decl.Tok != token.TYPE {
				return true
			}
			for _, s := range decl.Specs {
				spec := s.(*ast.TypeSpec)
				docs[spec.Name.Name] = oneLine(decl.Doc.Text())
				body, ok := spec.Type.(*ast.StructType)
				if !ok {
					continue
				}
				for _, f := range body.Fields.List {
					for _, name := range f.Names {
						docs[spec.Name.Name+"."+name.Name] = oneLine(f.Doc.Text())
					}
				}
			}
			return true
		})
	}
	return docs
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// variable admits ${…} where a value is not text.
const variableRef = "#/$defs/variable"

func (s *schema) describeType(t reflect.Type, f field) map[string]any {
	switch {
	case t == blockType || t.Kind() == reflect.Interface:
		if t == blockType {
			return map[string]any{"type": "object"}
		}
		return map[string]any{}
	case t == timeType:
		return map[string]any{"type": "string"}
	case t == durationType:
		return map[string]any{"type": "string", "pattern": `^([0-9.]+(ns|us|µs|ms|s|m|h))+$|^0$|\$\{`}
	case t == amountType:
		return orVariable(map[string]any{"type": "number"})
	case t == sizeType:
		return map[string]any{"type": []string{"string", "integer"}, "pattern": `^[0-9]+ ?(B|kB|KB|KiB|MB|MiB|GB|GiB)?$|\$\{`}
	case t.Implements(choicesType):
		return orVariable(map[string]any{"enum": reflect.Zero(t).Interface().(choices).Values()})
	}
	switch t.Kind() {
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Bool:
		return orVariable(map[string]any{"type": "boolean"})
	case reflect.Int, reflect.Int64:
		number := map[string]any{"type": "integer"}
		for tag, key := range map[string]string{"min": "minimum", "max": "maximum"} {
			if n, err := strconv.ParseInt(f.tag.Get(tag), 10, 64); err == nil {
				number[key] = n
			}
		}
		return orVariable(number)
	case reflect.Float64:
		return orVariable(map[string]any{"type": "number"})
	case reflect.Slice:
		return map[string]any{"type": "array", "items": s.describeType(t.Elem(), f)}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": s.describeType(t.Elem(), field{})}
	case reflect.Struct:
		s.object(t)
		return map[string]any{"$ref": "#/$defs/" + t.Name()}
	}
	panic("a type without a schema: " + t.String())
}

func orVariable(one map[string]any) map[string]any {
	return map[string]any{"anyOf": []any{one, map[string]any{"$ref": variableRef}}}
}

// object defines a struct type once. A key without a value keeps its default,
// so every section may also be null.
func (s *schema) object(t reflect.Type) {
	if _, ok := s.defs[t.Name()]; ok {
		return
	}
	def := map[string]any{"description": s.docs[t.Name()], "type": []string{"object", "null"}, "additionalProperties": false}
	s.defs[t.Name()] = def
	properties, required := map[string]any{}, []string{}
	for _, f := range listFields(t) {
		one := s.describeType(f.typ, f)
		name := t.FieldByIndex(f.index).Name
		one["description"] = "`" + f.name + "`" + strings.TrimPrefix(s.docs[t.Name()+"."+name], name) // users know the key, not the field
		if text, ok := f.tag.Lookup("default"); ok {
			one["default"] = defaultOf(f, text)
		}
		properties[f.name] = one
		if f.tag.Get("required") == "true" {
			required = append(required, f.name)
		}
	}
	def["properties"] = properties
	if len(required) > 0 {
		def["required"] = required
	}
	if t == reflect.TypeFor[Link]() {
		one := []any{}
		for _, kind := range []string{"stage", "wasm", "plugins", "webhook", "guard", "process", "guardrail_plugins"} {
			one = append(one, map[string]any{"required": []string{kind}})
		}
		def["oneOf"] = one
	}
}

// defaultOf gives a default as JSON has it: text stays text.
func defaultOf(f field, text string) any {
	v := (setting{text: text}).readValue(&report{}, address{typ: f.typ})
	if k := f.typ.Kind(); k == reflect.String || f.typ == durationType || f.typ == sizeType {
		return v.text
	}
	return v.convertToPlain()
}

func (s *schema) root() map[string]any {
	s.object(reflect.TypeFor[Config]())
	root := s.defs["Config"].(map[string]any)
	delete(s.defs, "Config")
	s.defs["variable"] = map[string]any{"type": "string", "pattern": `\$\{`, "description": "A variable: ${NAME} or ${NAME:-default}."}
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "Headgate configuration file"
	root["type"] = "object"
	root["$defs"] = s.defs
	root["patternProperties"] = map[string]any{
		"^x-":                       map[string]any{"description": "Ignored: a home for YAML anchors."},
		`^(headgate|gateway)(\.|$)`: map[string]any{"description": "A property by its name in the specification, nested or dotted."},
	}
	return root
}

func generate(t *testing.T) []byte {
	t.Helper()
	s := &schema{docs: comments(t), defs: map[string]any{}}
	out, err := json.MarshalIndent(s.root(), "", "  ")
	require.NoError(t, err)
	return append(out, '\n')
}

func TestSchemaIsThatOfTheTypes(t *testing.T) {
	got := generate(t)
	if *update {
		require.NoError(t, os.WriteFile(schemaFile, got, 0o644))
	}
	want, err := os.ReadFile(schemaFile)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got), "run go generate ./core/config")
}

func TestSchemaDescribesEveryKey(t *testing.T) {
	var root map[string]any
	require.NoError(t, json.Unmarshal(generate(t), &root))
	defs := root["$defs"].(map[string]any)
	defs["Config"] = root
	require.Greater(t, len(defs), 15)
	for name, def := range defs {
		properties, _ := def.(map[string]any)["properties"].(map[string]any)
		if name != "Config" {
			assert.NotEmpty(t, def.(map[string]any)["description"], name)
		}
		for key, one := range properties {
			assert.NotEmpty(t, one.(map[string]any)["description"], "%s.%s has no comment", name, key)
		}
	}
}
