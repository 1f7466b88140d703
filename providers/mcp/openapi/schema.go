package openapi

import (
	"errors"
	"slices"
	"strings"
)

// schemas writes schemas of the document as JSON Schema, and collects the named schemas to which they refer.
type schemas struct {
	doc  *document
	defs map[string]any // by the name in $defs
	size int            // schemas written so far
}

// maxSchemas limits the schemas of one operation: references that are followed multiply them.
const maxSchemas = 20_000

var errSchemas = errors.New("the schemas are too large once references are followed")

// schemaRef is the prefix of references to named schemas.
const schemaRef = "#/components/schemas/"

// dropped lists members without a meaning in a tool's schema or in JSON Schema.
var dropped = []string{"example", "examples", "xml", "externalDocs", "discriminator", "nullable", "readOnly", "writeOnly", "deprecated"}

// convert translates a schema to JSON Schema. It writes each named schema once, so that a schema can refer to itself.
func (s *schemas) convert(v any, depth int) (any, error) {
	object, ok := v.(map[string]any)
	if !ok || depth > maxDepth {
		return v, nil // true, false, or deeper than any guard reads
	}
	if s.size++; s.size > maxSchemas {
		return nil, errSchemas
	}
	if ref, ok := object["$ref"].(string); ok {
		return s.refer(ref, depth)
	}
	out := make(map[string]any, len(object))
	for key, value := range object {
		var err error
		switch key {
		case "properties", "patternProperties":
			value, err = s.convertProperties(value, depth)
		case "items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames":
			value, err = s.convert(value, depth+1)
		case "allOf", "anyOf", "oneOf", "prefixItems":
			value, err = s.convertList(value, depth)
		default:
			if slices.Contains(dropped, key) || strings.HasPrefix(key, "x-") {
				continue
			}
		}
		if err != nil {
			return nil, err
		}
		out[key] = value
	}
	s.dropReadOnly(object, out)
	moderniseSchema(object, out)
	return out, nil
}

func (s *schemas) convertProperties(v any, depth int) (any, error) {
	object, ok := v.(map[string]any)
	if !ok {
		return v, nil
	}
	out := make(map[string]any, len(object))
	for name, value := range object {
		if p, ok := value.(map[string]any); ok && p["readOnly"] == true {
			continue // the API sets it
		}
		converted, err := s.convert(value, depth+1)
		if err != nil {
			return nil, err
		}
		out[name] = converted
	}
	return out, nil
}

func (s *schemas) convertList(v any, depth int) (any, error) {
	list, ok := v.([]any)
	if !ok {
		return v, nil
	}
	out := make([]any, len(list))
	for i := range list {
		converted, err := s.convert(list[i], depth+1)
		if err != nil {
			return nil, err
		}
		out[i] = converted
	}
	return out, nil
}

// refer returns a reference to a named schema, after writing that schema if necessary. It follows other references.
func (s *schemas) refer(ref string, depth int) (any, error) {
	target, err := s.doc.lookup(ref)
	if err != nil {
		return nil, err
	}
	name, ok := strings.CutPrefix(ref, schemaRef)
	if !ok || strings.Contains(name, "/") {
		return s.convert(target, depth+1)
	}
	if _, ok := s.defs[name]; !ok {
		s.defs[name] = true // it may refer to itself
		converted, err := s.convert(target, depth+1)
		if err != nil {
			return nil, err
		}
		s.defs[name] = converted
	}
	return map[string]any{"$ref": "#/$defs/" + name}, nil
}

// dropReadOnly removes the properties that only the API sets from those that are required.
func (s *schemas) dropReadOnly(object, out map[string]any) {
	required, _ := object["required"].([]any)
	properties, _ := object["properties"].(map[string]any)
	var kept []any
	for _, name := range required {
		if p, ok := properties[readText(name)].(map[string]any); !ok || p["readOnly"] != true {
			kept = append(kept, name)
		}
	}
	if len(kept) < len(required) {
		if out["required"] = kept; len(kept) == 0 {
			delete(out, "required")
		}
	}
}

// moderniseSchema converts members that are particular to OpenAPI 3.0 to JSON Schema.
func moderniseSchema(object, out map[string]any) {
	if kind, ok := object["type"].(string); ok && object["nullable"] == true {
		out["type"] = []any{kind, "null"}
		if values, ok := object["enum"].([]any); ok && !slices.Contains(values, nil) {
			out["enum"] = append(slices.Clone(values), nil)
		}
	}
	for _, end := range [...][2]string{{"exclusiveMinimum", "minimum"}, {"exclusiveMaximum", "maximum"}} {
		switch object[end[0]] {
		case true:
			out[end[0]] = object[end[1]]
			delete(out, end[1])
		case false:
			delete(out, end[0])
		}
	}
}
