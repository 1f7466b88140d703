package wire

import (
	"encoding/json"

	"github.com/headgate-dev/headgate/core/body/splice"
)

// anyObject is the schema of arguments that are not described.
const anyObject = `{"type":"object"}`

// AppendToolSchema appends the schema of a tool's arguments for providers that require it to be the type "object". Others
// also take {} and schemas without a type, which mean the same: arguments are always an object. schema is optional.
func AppendToolSchema(dst []byte, schema json.RawMessage) []byte {
	if schema == nil {
		return append(dst, anyObject...)
	}
	var s splice.Scanner
	s.Reset(schema)
	if s.Kind() != splice.Object {
		return append(dst, schema...)
	}
	s.Enter()
	from, empty := s.Pos(), true
	for s.Next() {
		if string(s.Key()) == "type" {
			return append(dst, schema...)
		}
		empty = false
		s.Skip()
	}
	dst = append(append(dst, schema[:from]...), anyObject[1:len(anyObject)-1]...)
	if !empty {
		dst = append(dst, ',')
	}
	return append(dst, schema[from:]...)
}
