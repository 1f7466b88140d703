package dsl

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
)

// Limits of an expression: the length of its text in bytes, and the cost of one evaluation by the library's own count
// of steps and comparisons.
const (
	MaxWhen = 2 << 10
	maxCost = 20_000
)

// expression is a compiled CEL expression.
type expression struct {
	prog  cel.Program
	needs Attrs
}

// environment declares the variables. It is the same for all expressions.
var environment = sync.OnceValues(func() (*cel.Env, error) {
	options := []cel.EnvOption{cel.OptionalTypes(), cel.Variable("now", cel.TimestampType)}
	for name := range variables {
		options = append(options, cel.Variable(name, cel.MapType(cel.StringType, cel.DynType)))
	}
	return cel.NewEnv(append(options, declareFolds()...)...)
})

// compileWhen compiles a rule's expression.
func (r *reader) compileWhen(rule *Rule, e entry) {
	if len(rule.When) > MaxWhen {
		r.addInvalid(e.value, "when is longer than %d bytes; split the rule, or use named conditions", MaxWhen)
		return
	}
	if strings.TrimSpace(rule.When) == "" {
		r.addInvalid(e.value, "when is empty; leave it out")
		return
	}
	x, err := compileExpression(rule.When)
	if err != nil {
		r.addInvalid(e.value, "when: %v", err)
		return
	}
	rule.cel = x
}

func compileExpression(source string) (*expression, error) {
	env, err := environment()
	if err != nil {
		return nil, err
	}
	parsed, issues := env.Parse(source)
	if err := issues.Err(); err != nil {
		return nil, convertCELErrors(issues.Errors())
	}
	if err := foldNames(parsed.NativeRep()); err != nil {
		return nil, err
	}
	checked, issues := env.Check(parsed)
	if err := issues.Err(); err != nil {
		return nil, convertCELErrors(issues.Errors())
	}
	if t := checked.OutputType(); !t.IsExactType(cel.BoolType) && !t.IsExactType(cel.DynType) {
		return nil, fmt.Errorf("the expression returns %s; it must return true or false", t)
	}
	x := new(expression)
	if err := x.collectInputs(checked.NativeRep().Expr()); err != nil {
		return nil, err
	}
	// Partial evaluation costs a little, and distinguishes "unknown" from "absent".
	x.prog, err = env.Program(checked, cel.CostLimit(maxCost), cel.EvalOptions(cel.OptPartialEval))
	return x, err
}

// convertCELErrors returns the messages of the compiler, on one line.
func convertCELErrors(list []*cel.Error) error {
	texts := make([]string, 0, len(list))
	for _, e := range list {
		text, _, _ := strings.Cut(e.Message, "\n")
		texts = append(texts, fmt.Sprintf("%s (column %d)", text, e.Location.Column()+1))
	}
	return errors.New(strings.Join(texts, "; "))
}

// eval evaluates the expression. The error's text is the library's, and contains names but no values.
func (x *expression) eval(f *Facts) (Truth, error) {
	a, unknown := &activation{f: f}, x.needs&^f.Known
	if !f.Priced { // a cost without a price is unknown, not absent
		unknown |= x.needs & NewAttrSet(Cost)
	}
	if f.ContextWindow == 0 {
		unknown |= x.needs & NewAttrSet(ContextWindow)
	}
	out, _, err := x.prog.Eval(a.buildPartial(unknown))
	switch {
	case out != nil && types.IsUnknown(out):
		return Unknown, nil
	case err != nil:
		return Unknown, convertCELFault(err)
	}
	b, ok := out.Value().(bool)
	if !ok {
		return Unknown, errors.New("when: the expression did not return true or false")
	}
	return convertTruth(b), nil
}

// convertCELFault describes what failed, without the values that were compared.
func convertCELFault(err error) error {
	text := err.Error()
	switch {
	case strings.Contains(text, "cost limit exceeded"):
		return fmt.Errorf("when: the expression costs more than %d steps", maxCost)
	case strings.Contains(text, "no such key"):
		return errors.New("when: a key is missing; write .?key.orValue(…) or has(…) for what may be missing")
	case strings.Contains(text, sameKeys):
		return errors.New("when: two keys of a map are spellings of one model, with different values; keep one of them")
	case strings.Contains(text, "no such overload"):
		return errors.New("when: values of these kinds cannot be compared")
	}
	return errors.New("when: the expression failed")
}
