package gemini

import (
	"bytes"
	"strings"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// readGoogleSchema reads a Schema as Google's API describes one, and makes it JSON
// Schema; null gives nil.
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

// appendSchema writes the schema that comes next as JSON Schema: its types in
// lower case, nullable as a type of its own, counts as numbers, and without what
// JSON Schema does not have. A value that is no object, as additionalProperties
// may be, stays as it is.
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
		switch name := schemaName(key); {
		case name == "type" && s.Kind() == splice.String:
			typ = strings.ToLower(scan.Text(s, doc))
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

// schemaName is the camel case spelling of a member; names that begin with a
// dollar sign or are JSON Schema's own stay.
func schemaName(key string) string {
	if strings.HasPrefix(key, "$") {
		return key
	}
	return toCamel(key)
}

// appendType writes the type at the end: whether it may be null can come after it.
func appendType(dst []byte, typ string, nullable bool) []byte {
	switch {
	case typ == "" || typ == "type_unspecified":
		return dst
	case nullable && typ != "null":
		return append(splice.AppendEscaped(append(appendKey(dst, "type"), `["`...), typ), `","null"]`...)
	}
	return append(splice.AppendEscaped(append(appendKey(dst, "type"), '"'), typ), '"')
}

// appendKey writes a key, with a comma unless it is the first of its object.
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
