package gemini

import (
	"bytes"
	"strings"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// readGoogleSchema reads Google's Schema and returns it as JSON Schema, or nil for null.
func (d *decoder) readGoogleSchema() []byte {
	if d.s.Kind() == splice.Null {
		d.s.Null()
		return nil
	}
	return appendSchema(nil, &d.s, d.doc)
}

// schemaLists and schemaMaps hold further schemas; schemaCounts are 64-bit
// integers, which Google writes in quotes.
var (
	schemaLists  = map[string]bool{"anyOf": true, "allOf": true, "oneOf": true, "prefixItems": true}
	schemaMaps   = map[string]bool{"properties": true, "defs": true, "$defs": true}
	schemaCounts = map[string]bool{
		"minItems": true, "maxItems": true, "minLength": true, "maxLength": true, "minProperties": true, "maxProperties": true,
	}
)

// appendSchema appends the next schema as JSON Schema: types in lower case, nullable as
// the type null, counts as numbers, without Google's own members. It copies a value that
// is not an object, such as a boolean additionalProperties.
func appendSchema(dst []byte, s *splice.Scanner, doc []byte) []byte {
	if s.Kind() != splice.Object {
		at := s.Skip()
		return append(dst, doc[at.Start:at.End]...)
	}
	var typ string
	nullable := false
	dst = append(dst, '{')
	s.Enter()
	for s.Next() {
		key := string(s.Key())
		switch name := convertSchemaKey(key); {
		case name == "type" && s.Kind() == splice.String:
			typ = strings.ToLower(scan.ReadText(s, doc))
		case name == "nullable":
			nullable = readTrue(s)
		case name == "propertyOrdering" || s.Kind() == splice.Null:
			s.Skip()
		case name == "items" || name == "additionalProperties":
			dst = appendSchema(appendKey(dst, name), s, doc)
		case schemaLists[name] && s.Kind() == splice.Array:
			dst = append(appendKey(dst, name), '[')
			s.Enter()
			for i := 0; s.Next(); i++ {
				dst = appendSchema(appendCommaAt(dst, i), s, doc)
			}
			dst = append(dst, ']')
		case schemaMaps[name] && s.Kind() == splice.Object:
			dst = append(appendKey(dst, name), '{')
			s.Enter()
			for i := 0; s.Next(); i++ {
				dst = append(splice.AppendEscaped(append(appendCommaAt(dst, i), '"'), string(s.Key())), `":`...)
				dst = appendSchema(dst, s, doc)
			}
			dst = append(dst, '}')
		default:
			at := s.Skip()
			value := doc[at.Start:at.End]
			switch {
			case name == "example":
				dst = append(append(append(appendKey(dst, "examples"), '['), value...), ']')
				continue
			case schemaCounts[name]:
				value = bytes.Trim(value, `"`)
			}
			dst = append(appendKey(dst, name), value...)
		}
	}
	return append(appendType(dst, typ, nullable), '}')
}

// convertSchemaKey returns a member name in camel case. Names with a dollar sign stay.
func convertSchemaKey(key string) string {
	if strings.HasPrefix(key, "$") {
		return key
	}
	return convertToCamel(key)
}

// appendType appends the type last, because nullable can follow it.
func appendType(dst []byte, typ string, nullable bool) []byte {
	switch {
	case typ == "" || typ == "type_unspecified":
		return dst
	case nullable && typ != "null":
		return append(splice.AppendEscaped(append(appendKey(dst, "type"), `["`...), typ), `","null"]`...)
	}
	return append(splice.AppendEscaped(append(appendKey(dst, "type"), '"'), typ), '"')
}

// appendKey appends a key, and a comma unless it is the first one.
func appendKey(dst []byte, name string) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	return append(splice.AppendEscaped(append(dst, '"'), name), `":`...)
}

func appendCommaAt(dst []byte, i int) []byte {
	if i > 0 {
		return append(dst, ',')
	}
	return dst
}
