package openai

import (
	"slices"
	"strconv"
	"strings"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

// tools reads tools that are offered at the start, or brought by an item.
func (d *responsesDecoder) tools(param, namespace, about string) (names []string) {
	i := 0
	d.each(func() {
		names = append(names, d.tool(nth(param, i), namespace, about)...)
		i++
	})
	return names
}

// tool reads one tool, or those of a namespace. Their type and the namespace's
// name may come last, so what they hold is read at the end.
func (d *responsesDecoder) tool(param, namespace, about string) []string {
	t := llm.Tool{Namespace: namespace}
	typ, execution, described := "", "", ""
	var inner splice.Span
	d.reader.fields(func(key string) {
		switch key {
		case "type":
			typ = d.str()
		case "name":
			t.Name = d.str()
		case "description":
			described = d.str()
		case "parameters":
			t.Schema = d.raw()
		case "strict":
			t.Strict = d.flag()
		case "format":
			t.Grammar = d.grammar()
		case "execution":
			execution = d.str()
		case "tools":
			inner = d.s.Skip()
		default:
			d.drop("tools." + key)
		}
	})
	if d.s.Err() != nil {
		return nil
	}
	t.Description = described
	if about != "" { // no other shape has a place for the description of a namespace
		t.Description = strings.TrimSuffix(about+"\n\n"+described, "\n\n")
	}
	switch {
	case typ == toolFunction:
	case typ == toolCustom:
		t.Kind = llm.CustomTool
	case typ == toolNamespace && namespace == "":
		in := d.within(inner)
		names := in.tools(param+".tools", t.Name, described)
		d.err = in.err
		return names
	case typ == toolSearch && execution == "client":
		t.Kind, t.Name = llm.SearchTool, toolSearch
	default:
		d.refuse(param+".type", "tools of type "+strconv.Quote(scan.ShortName(typ)))
		return nil
	}
	d.offer(t)
	return []string{joinedName(t.Namespace, t.Name)}
}

// within reads a value once more, for the same request.
func (d *responsesDecoder) within(at splice.Span) *responsesDecoder {
	in := &responsesDecoder{r: d.r, provider: d.provider, err: d.err}
	in.reset(d.doc[at.Start:at.End])
	return in
}

// offer adds a tool. One that is brought again takes the place of the first.
func (d *responsesDecoder) offer(t llm.Tool) {
	for i := range d.r.Tools {
		if d.r.Tools[i].Namespace == t.Namespace && d.r.Tools[i].Name == t.Name {
			d.r.Tools[i] = t
			return
		}
	}
	d.r.Tools = append(d.r.Tools, t)
}

func (d *responsesDecoder) grammar() *llm.Grammar {
	typ, g := "", &llm.Grammar{}
	d.reader.fields(func(key string) {
		switch key {
		case "type":
			typ = d.str()
		case "syntax":
			g.Syntax = d.str()
		case "definition":
			g.Definition = d.str()
		default:
			d.drop("tools.format." + key)
		}
	})
	if typ != "grammar" {
		return nil
	}
	return g
}

// modes are the manners of choice that are words.
var modes = map[string]llm.ChoiceMode{"auto": llm.ChooseAuto, "none": llm.ChooseNone, "required": llm.ChooseRequired}

func (d *responsesDecoder) choice() {
	if d.s.Kind() == splice.String {
		word := d.str()
		mode, ok := modes[word]
		if !ok && d.err == nil && d.s.Err() == nil {
			d.err = scan.Invalid("tool_choice", strconv.Quote(scan.ShortName(word))+` is no choice; use "auto", "none", "required" or name a tool`)
		}
		d.r.Choice.Mode = mode
		return
	}
	if d.s.Kind() != splice.Object {
		d.s.Skip()
		return
	}
	typ, mode, name, namespace := "", "", "", ""
	d.reader.fields(func(key string) {
		switch key {
		case "type":
			typ = d.str()
		case "mode":
			mode = d.str()
		case "tools":
			d.each(func() { d.allowed = append(d.allowed, d.toolName()) })
		case "name":
			name = d.str()
		case "namespace":
			namespace = d.str()
		default:
			d.drop("tool_choice." + key)
		}
	})
	switch typ {
	case toolFunction, toolCustom:
		d.r.Choice = llm.Choice{Mode: llm.ChooseNamed, Names: []string{joinedName(namespace, name)}}
	case toolSearch:
		d.r.Choice = llm.Choice{Mode: llm.ChooseNamed, Names: []string{toolSearch}}
	case "allowed_tools": // what is not allowed is not offered
		d.restricted = true
		d.allowed = slices.Compact(d.allowed)
		d.r.Choice.Mode = modes[mode]
	default:
		d.refuse("tool_choice", "choices of type "+strconv.Quote(scan.ShortName(typ)))
	}
}

// toolName reads the name of a tool that may be called.
func (d *responsesDecoder) toolName() string {
	typ, name, namespace := "", "", ""
	d.reader.fields(func(key string) {
		switch key {
		case "type":
			typ = d.str()
		case "name":
			name = d.str()
		case "namespace":
			namespace = d.str()
		default:
			d.s.Skip()
		}
	})
	if typ == toolSearch {
		return toolSearch
	}
	return joinedName(namespace, name)
}
