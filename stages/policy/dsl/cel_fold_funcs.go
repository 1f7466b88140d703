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
			return lower(norm.NFKC.String(s))
		}
	}
	return lower(s)
}

// folds are the functions that fold a text.
var folds = map[string]func(types.String) types.String{
	foldWhole:   trimAndFold,
	foldKeys:    trimAndFold,
	foldPart:    func(s types.String) types.String { return types.String(foldName(string(s))) },
	foldPattern: func(s types.String) types.String { return "(?i)" + s }, // lower case would turn \D into \d
}

// trimAndFold folds a whole name. No name that is served has blanks around it.
func trimAndFold(s types.String) types.String {
	return types.String(foldName(strings.TrimSpace(string(s))))
}

// foldFunctions declares the functions that foldNames puts around operands.
func foldFunctions() (options []cel.EnvOption) {
	for name, fold := range folds {
		options = append(options, cel.Function(name, cel.Overload(name[1:]+"_of_a_model", []*cel.Type{cel.DynType}, cel.DynType,
			cel.UnaryBinding(func(v ref.Val) ref.Val { return foldValue(v, fold, name == foldKeys) }))))
	}
	return options
}

// foldValue folds a text, each text of a list, and each key of a map if keys is set. Other values stay as they are.
func foldValue(v ref.Val, fold func(types.String) types.String, keys bool) ref.Val {
	switch v := v.(type) {
	case types.String:
		return fold(v)
	case traits.Lister:
		return foldEach(v.Iterator(), fold)
	case traits.Mapper:
		if keys {
			return foldEach(v.Iterator(), fold)
		}
	}
	return v
}

func foldEach(it traits.Iterator, fold func(types.String) types.String) ref.Val {
	var list []ref.Val
	for it.HasNext() == types.True {
		list = append(list, foldValue(it.Next(), fold, false))
	}
	return types.NewRefValList(types.DefaultTypeAdapter, list)
}
