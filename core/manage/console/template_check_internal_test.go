package console

import (
	"fmt"
	"html/template"
	"maps"
	"reflect"
	"slices"
	"text/template/parse"
)

// shape is the type of a value in a template. The zero shape is a value whose type is only known at run time.
type shape struct {
	t     reflect.Type
	names map[string]shape // of a dict
	data  *shape           // of .Data, if t is *page
}

func shapeOf(v any) shape { return shape{t: reflect.TypeOf(v)} }

func pageShape(data shape) shape { return shape{t: reflect.TypeFor[*page](), data: &data} }

// key identifies a shape.
func (s shape) key() string {
	k := fmt.Sprint(s.t)
	for _, name := range slices.Sorted(maps.Keys(s.names)) {
		k += " " + name + "=" + s.names[name].key()
	}
	if s.data != nil {
		k += " of " + s.data.key()
	}
	return k
}

// element returns the shape of a key and an element of a list or a map.
func (s shape) element() (key, of shape) {
	if s.t == nil {
		return shape{}, shape{}
	}
	switch t := s.t; t.Kind() {
	case reflect.Slice, reflect.Array:
		return shapeOf(0), typeShape(t.Elem())
	case reflect.Map:
		return typeShape(t.Key()), typeShape(t.Elem())
	case reflect.Pointer:
		return typeShape(t.Elem()).element()
	}
	return shape{}, shape{}
}

// typeShape returns the shape of a static type. Values of an interface may have more fields than it.
func typeShape(t reflect.Type) shape {
	if t.Kind() == reflect.Interface {
		return shape{}
	}
	return shape{t: t}
}

// templateCheck resolves the fields of the templates of a set.
type templateCheck struct {
	set      *template.Template
	funcs    template.FuncMap
	seen     map[string]bool
	current  string
	resolved int
	faults   []string
}

func newTemplateCheck(set *template.Template, funcs template.FuncMap) *templateCheck {
	return &templateCheck{set: set, funcs: funcs, seen: map[string]bool{}}
}

// call checks a template with a dot.
func (c *templateCheck) call(name string, dot shape) {
	k := name + " " + dot.key()
	tpl := c.set.Lookup(name)
	if tpl == nil {
		c.faults = append(c.faults, "there is no template "+name)
	}
	if c.seen[k] || tpl == nil || tpl.Tree == nil {
		return
	}
	c.seen[k] = true
	before := c.current
	c.current = name
	c.walk(tpl.Tree.Root, dot, map[string]shape{"$": dot})
	c.current = before
}

// walk checks a node. Variables that it declares are seen by the nodes after it.
func (c *templateCheck) walk(n parse.Node, dot shape, vars map[string]shape) {
	switch n := n.(type) {
	case *parse.ListNode:
		if n != nil {
			for _, of := range n.Nodes {
				c.walk(of, dot, vars)
			}
		}
	case *parse.ActionNode:
		c.pipe(n.Pipe, dot, vars)
	case *parse.IfNode:
		in := maps.Clone(vars)
		c.pipe(n.Pipe, dot, in)
		c.branches(&n.BranchNode, dot, dot, in)
	case *parse.WithNode:
		in := maps.Clone(vars)
		c.branches(&n.BranchNode, c.pipe(n.Pipe, dot, in), dot, in)
	case *parse.RangeNode:
		in := maps.Clone(vars)
		decl := n.Pipe.Decl
		n.Pipe.Decl = nil // the fields of an element, not of the list
		key, of := c.pipe(n.Pipe, dot, in).element()
		n.Pipe.Decl = decl
		switch len(decl) {
		case 1:
			in[decl[0].Ident[0]] = of
		case 2:
			in[decl[0].Ident[0]], in[decl[1].Ident[0]] = key, of
		}
		c.branches(&n.BranchNode, of, dot, in)
	case *parse.TemplateNode:
		var of shape
		if n.Pipe != nil {
			of = c.pipe(n.Pipe, dot, vars)
		}
		c.call(n.Name, of)
	}
}

func (c *templateCheck) branches(n *parse.BranchNode, inside, outside shape, vars map[string]shape) {
	c.walk(n.List, inside, maps.Clone(vars))
	c.walk(n.ElseList, outside, maps.Clone(vars))
}

// pipe returns the shape of a pipeline.
func (c *templateCheck) pipe(p *parse.PipeNode, dot shape, vars map[string]shape) (out shape) {
	for _, cmd := range p.Cmds {
		out = c.command(cmd, dot, vars)
	}
	for _, v := range p.Decl {
		vars[v.Ident[0]] = out
	}
	return out
}

func (c *templateCheck) command(cmd *parse.CommandNode, dot shape, vars map[string]shape) shape {
	var args []shape
	for _, a := range cmd.Args[1:] {
		args = append(args, c.value(a, dot, vars))
	}
	id, ok := cmd.Args[0].(*parse.IdentifierNode)
	if !ok {
		out := c.value(cmd.Args[0], dot, vars)
		if f, ok := cmd.Args[0].(*parse.FieldNode); ok && f.Ident[len(f.Ident)-1] == "CopyWith" || isCopyOfVariable(cmd.Args[0]) {
			return pageShape(args[0])
		}
		return out
	}
	switch id.Ident {
	case "dict":
		d := shape{t: reflect.TypeFor[map[string]any](), names: map[string]shape{}}
		for i := 0; i+1 < len(args); i += 2 {
			d.names[cmd.Args[i+1].(*parse.StringNode).Text] = args[i+1]
		}
		return d
	case "index":
		_, of := args[0].element()
		return of
	}
	if f, ok := c.funcs[id.Ident]; ok {
		return typeShape(reflect.TypeOf(f).Out(0))
	}
	return shape{}
}

func isCopyOfVariable(n parse.Node) bool {
	v, ok := n.(*parse.VariableNode)
	return ok && v.Ident[len(v.Ident)-1] == "CopyWith"
}

// value returns the shape of an operand.
func (c *templateCheck) value(n parse.Node, dot shape, vars map[string]shape) shape {
	switch n := n.(type) {
	case *parse.DotNode:
		return dot
	case *parse.FieldNode:
		return c.resolve(dot, n.Ident, n)
	case *parse.VariableNode:
		return c.resolve(vars[n.Ident[0]], n.Ident[1:], n)
	case *parse.ChainNode:
		return c.resolve(c.value(n.Node, dot, vars), n.Field, n)
	case *parse.PipeNode:
		return c.pipe(n, dot, vars)
	case *parse.StringNode:
		return shapeOf("")
	}
	return shape{}
}

// resolve follows names from a shape.
func (c *templateCheck) resolve(s shape, names []string, at parse.Node) shape {
	for _, name := range names {
		if s.t == nil {
			return shape{}
		}
		next, ok := s.member(name)
		if !ok {
			c.faults = append(c.faults, fmt.Sprintf("%s: %s: %s has no %s", c.current, at, s.t, name))
			return shape{}
		}
		c.resolved++
		s = next
	}
	return s
}

// member returns the shape of a field, a method's result or a map's element.
func (s shape) member(name string) (shape, bool) {
	if s.data != nil && name == "Data" {
		return *s.data, true
	}
	if s.names != nil {
		of, ok := s.names[name]
		return of, ok
	}
	t := s.t
	for _, of := range []reflect.Type{t, reflect.PointerTo(t)} {
		if m, ok := of.MethodByName(name); ok {
			return typeShape(m.Type.Out(0)), true
		}
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Struct:
		if f, ok := t.FieldByName(name); ok && f.IsExported() {
			return typeShape(f.Type), true
		}
	case reflect.Map:
		return typeShape(t.Elem()), true
	}
	return shape{}, false
}
