package dsl

import (
	"strings"
	"unicode/utf8"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"golang.org/x/text/unicode/norm"
)

// foldName returns a model's name as it is compared: in Unicode's form NFKC and in lower case.
func foldName(s string) string {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return lowerASCII(norm.NFKC.String(s))
		}
	}
	return lowerASCII(s)
}

// folds are the functions that foldNames puts around operands.
var folds = map[string]func(ref.Val) ref.Val{
	foldWhole: func(v ref.Val) ref.Val { return foldValue(v, trimAndFold) },
	foldKeys: func(v ref.Val) ref.Val {
		if m, ok := v.(traits.Mapper); ok {
			return foldElements(m.Iterator(), trimAndFold)
		}
		return foldValue(v, trimAndFold)
	},
	foldPart: func(v ref.Val) ref.Val { return foldValue(v, foldName) },
	foldPattern: func(v ref.Val) ref.Val {
		return foldValue(v, func(s string) string { return "(?i)" + s }) // lower case would turn \D into \d
	},
	foldMap: foldMapKeys,
}

// trimAndFold folds a whole name. Names of served models have no blanks around them.
func trimAndFold(s string) string { return foldName(strings.TrimSpace(s)) }

// declareFolds declares the functions that foldNames puts around operands.
func declareFolds() (options []cel.EnvOption) {
	for name, fold := range folds {
		options = append(options, cel.Function(name, cel.Overload(name[1:]+"_of_a_model", []*cel.Type{cel.DynType}, cel.DynType,
			cel.UnaryBinding(fold))))
	}
	return options
}

// foldValue folds a text, and each text in a list, a map or an optional. Keys of maps and other values are unchanged.
func foldValue(v ref.Val, fold func(string) string) ref.Val {
	switch v := v.(type) {
	case types.String:
		return types.String(fold(string(v)))
	case types.Bytes:
		return types.Bytes(fold(string(v)))
	case *types.Optional:
		if v.HasValue() {
			return types.OptionalOf(foldValue(v.GetValue(), fold))
		}
	case traits.Lister:
		return foldElements(v.Iterator(), fold)
	case traits.Mapper:
		values := map[ref.Val]ref.Val{}
		for it := v.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			values[key] = foldValue(v.Get(key), fold)
		}
		return types.NewRefValMap(types.DefaultTypeAdapter, values)
	}
	return v
}

func foldElements(it traits.Iterator, fold func(string) string) ref.Val {
	var list []ref.Val
	for it.HasNext() == types.True {
		list = append(list, foldValue(it.Next(), fold))
	}
	return types.NewRefValList(types.DefaultTypeAdapter, list)
}

// foldMapKeys folds the keys of a map in which a name is looked up. Two keys for the same model are an error unless
// they have the same value, because neither takes precedence.
func foldMapKeys(v ref.Val) ref.Val {
	if o, ok := v.(*types.Optional); ok && o.HasValue() {
		folded := foldMapKeys(o.GetValue())
		if types.IsError(folded) {
			return folded
		}
		return types.OptionalOf(folded)
	}
	m, ok := v.(traits.Mapper)
	if !ok {
		return v
	}
	values := map[ref.Val]ref.Val{}
	for it := m.Iterator(); it.HasNext() == types.True; {
		was := it.Next()
		key, value := foldValue(was, trimAndFold), m.Get(was)
		if other, twice := values[key]; twice && other.Equal(value) != types.True {
			return types.NewErr(sameKeys)
		}
		values[key] = value
	}
	return types.NewRefValMap(types.DefaultTypeAdapter, values)
}

// sameKeys is the error for a map in which the name of a model has two values.
const sameKeys = "two keys are the same model"
