package config

import (
	"encoding"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/headgate-dev/headgate/core/records/meter/money"
)

// field is one key of a configuration type, with what its tags say:
//
//	yaml      the key
//	default   the value of a key that is not written, as YAML
//	required  "true": the key must be written
//	eg        an example, for hints and the schema
//	min, max  bounds of a number, size or duration, in the type's own spelling
//	secret    "true": the value is never shown
type field struct {
	name  string
	index []int
	typ   reflect.Type
	tag   reflect.StructTag
}

var fieldCache sync.Map // reflect.Type -> []field

// listFields lists the keys of a struct type in the order of its declaration.
func listFields(t reflect.Type) []field {
	if known, ok := fieldCache.Load(t); ok {
		return known.([]field)
	}
	out := listInlineFields(t, nil, 0)
	fieldCache.Store(t, out)
	return out
}

func listInlineFields(t reflect.Type, prefix []int, depth int) []field {
	var out []field
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if name == "-" || !f.IsExported() {
			continue
		}
		index := append(prefix[:len(prefix):len(prefix)], i)
		if strings.Contains(options, "inline") && f.Type.Kind() == reflect.Struct && depth < 8 {
			out = append(out, listInlineFields(f.Type, index, depth+1)...)
			continue
		}
		if name == "" {
			name = strings.ToLower(f.Name)
		}
		out = append(out, field{name: name, index: index, typ: f.Type, tag: f.Tag})
	}
	return out
}

func listNames(fields []field) []string {
	out := make([]string, len(fields))
	for i, f := range fields {
		out[i] = f.name
	}
	return out
}

// choices is implemented by types of a closed set of words.
type choices interface{ Values() []string }

var (
	blockType    = reflect.TypeFor[Block]()
	sizeType     = reflect.TypeFor[ByteSize]()
	durationType = reflect.TypeFor[time.Duration]()
	amountType   = reflect.TypeFor[money.Amount]()
	timeType     = reflect.TypeFor[time.Time]()
	choicesType  = reflect.TypeFor[choices]()
	textType     = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// isLeaf reports whether a type is decoded from one scalar, or kept whole.
func isLeaf(t reflect.Type) bool {
	return t == blockType || t == timeType || reflect.PointerTo(t).Implements(textType)
}
