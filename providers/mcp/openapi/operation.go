package openapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core/body/match"
	"github.com/headgate-dev/headgate/core/dialect/mcp"
)

// operation is one operation of the document as a tool.
type operation struct {
	tool, method, path string
	params             []param
	body               bodyForm
	bodyArg            string // the argument that holds the body
	needsBody          bool
	definition         []byte // the element of tools/list
}

// methods maps the methods of a path to the hints of their tools.
var methods = map[string]map[string]any{
	"get": {"readOnlyHint": true}, "head": {"readOnlyHint": true}, "options": {"readOnlyHint": true},
	"put": {"readOnlyHint": false, "idempotentHint": true}, "delete": {"readOnlyHint": false, "destructiveHint": true, "idempotentHint": true},
	"post": {"readOnlyHint": false}, "patch": {"readOnlyHint": false},
}

// MaxOperations limits the tools of one document.
const MaxOperations = 512

// readOperations returns the operations that the globs allow, by their names as tools, in the order of the globs. An operation
// that cannot be called is omitted if only globs match it, and an error if the list has its full name.
func (d *document) readOperations(allowed []string, reserved func(header string) bool) ([]*operation, error) {
	paths, _ := d.root["paths"].(map[string]any)
	found, matched := map[string]*operation{}, 0
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		item, err := d.readObject(paths[path])
		if err != nil || item == nil {
			continue
		}
		for _, method := range slices.Sorted(maps.Keys(item)) {
			node, ok := item[method].(map[string]any)
			if !ok || methods[method] == nil {
				continue
			}
			name := makeToolName(node, method, path)
			if !slices.ContainsFunc(allowed, func(glob string) bool { return match.MatchesGlob(glob, name) }) {
				continue
			}
			if matched++; matched > MaxOperations { // before any work on them: a document may have very many
				return nil, fmt.Errorf("more than %d operations are allowed; name fewer", MaxOperations)
			}
			o, err := d.readOperation(name, method, path, item, node, reserved)
			if found[name] != nil {
				err = errors.New("two operations have this name")
			}
			switch {
			case err == nil:
				found[name] = o
			case slices.Contains(allowed, name):
				return nil, fmt.Errorf("the operation %s: %w", name, err)
			}
		}
	}
	for _, name := range allowed {
		if !strings.ContainsAny(name, "*?") && found[name] == nil {
			return nil, fmt.Errorf("the document has no operation %s; write one of its operationIds", name)
		}
	}
	out := make([]*operation, 0, len(found))
	for _, name := range slices.Sorted(maps.Keys(found)) {
		out = append(out, found[name])
	}
	return out, nil
}

// makeToolName returns the name of an operation as a tool: its id, or else its method and path.
func makeToolName(node map[string]any, method, path string) string {
	name := readText(node["operationId"])
	if name == "" {
		name = method + "_" + strings.Trim(path, "/")
	}
	name = strings.Map(func(r rune) rune {
		if r < 0x80 && mcp.IsToolName(string(r)) {
			return r
		}
		return '_'
	}, name)
	return name[:min(len(name), 128)]
}

// readOperation reads one operation.
func (d *document) readOperation(
	name, method, path string, item, node map[string]any, reserved func(string) bool,
) (*operation, error) {
	if err := checkPath(path); err != nil {
		return nil, err
	}
	o := &operation{tool: name, method: strings.ToUpper(method), path: path}
	s := &schemas{doc: d, defs: map[string]any{}}
	properties, required := map[string]any{}, []string{}
	params, err := d.readParams(item, node, reserved)
	if err != nil {
		return nil, err
	}
	for i := range params {
		p := &params[i]
		schema, err := s.describe(p.schema, p.description)
		if err != nil {
			return nil, err
		}
		properties[p.arg] = schema
		if p.required {
			required = append(required, p.arg)
		}
	}
	o.params = params
	if err := o.checkPlaces(); err != nil {
		return nil, err
	}
	if err := o.readBody(d, s, node, properties); err != nil {
		return nil, err
	}
	if o.needsBody {
		required = append(required, o.bodyArg)
	}
	input := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		slices.Sort(required)
		input["required"] = required
	}
	if len(s.defs) > 0 {
		input["$defs"] = s.defs
	}
	tool := map[string]any{"name": name, "inputSchema": input, "annotations": methods[method]}
	text := strings.TrimSpace(readText(node["summary"]) + "\n\n" + readText(node["description"]))
	if text == "" {
		text = o.method + " " + path
	}
	tool["description"] = text
	o.definition, err = json.Marshal(tool)
	if err != nil {
		return nil, errors.New("the schema cannot be written as JSON")
	}
	return o, nil
}

// describe converts a schema and adds the description given beside it, if any.
func (s *schemas) describe(schema any, description string) (any, error) {
	converted, err := s.convert(schema, 0)
	if err != nil {
		return nil, err
	}
	object, ok := converted.(map[string]any)
	if !ok {
		object = map[string]any{}
	}
	if _, has := object["description"]; description != "" && !has {
		object["description"] = description
	}
	return object, nil
}
