package openai

import (
	"slices"
	"strconv"
	"strings"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

// readTools reads the tools of the request or of an item.
func (d *responsesDecoder) readTools(param, namespace, about string) (names []string) {
	i := 0
	d.visitElements(func() {
		names = append(names, d.readTool(formatIndexedPath(param, i), namespace, about)...)
		i++
	})
	return names
}

// readTool reads one tool, or those of a namespace. The type and the name of a namespace
// can come last, so its tools are read at the end.
func (d *responsesDecoder) readTool(param, namespace, about string) []string {
	t := llm.Tool{Namespace: namespace}
	typ, execution, described := "", "", ""
	var inner splice.Span
	d.reader.visitMembers(func(key string) {
		switch key {
		case "type":
			typ = d.readText()
		case "name":
			t.Name = d.readText()
		case "description":
			described = d.readText()
		case "parameters":
			t.Schema = d.readRaw()
		case "strict":
			t.Strict = d.readFlag()
		case "format":
			t.Grammar = d.readGrammar()
		case "execution":
			execution = d.readText()
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
	if about != "" { // no other dialect describes a namespace
		if d.repeated += len(about); d.repeated > maxRepeated {
			if d.err == nil {
				d.err = scan.NewInvalid("tools", "the descriptions of namespaces are repeated with each tool for the provider of this model, and take more than "+
					strconv.Itoa(maxRepeated)+" bytes; shorten them")
			}
			return nil
		}
		t.Description = strings.TrimSuffix(about+"\n\n"+described, "\n\n")
	}
	switch {
	case typ == toolFunction:
	case typ == toolCustom:
		t.Kind = llm.CustomTool
	case typ == toolNamespace && namespace == "":
		in := d.newDecoderAt(inner)
		names := in.readTools(param+".tools", t.Name, described)
		d.err, d.repeated = in.err, in.repeated
		return names
	case typ == toolSearch && execution == "client":
		t.Kind, t.Name = llm.SearchTool, toolSearch
	default:
		d.refuse(param+".type", "tools of type "+strconv.Quote(scan.ShortenName(typ)))
		return nil
	}
	d.addTool(t)
	return []string{joinName(t.Namespace, t.Name)}
}

// newDecoderAt returns a decoder for a value that was skipped before.
func (d *responsesDecoder) newDecoderAt(at splice.Span) *responsesDecoder {
	in := &responsesDecoder{r: d.r, provider: d.provider, err: d.err, tools: d.tools, repeated: d.repeated}
	in.reset(d.doc[at.Start:at.End])
	return in
}

// addTool adds a tool, or replaces the one of the same name. A function may bear the name of the tool search.
func (d *responsesDecoder) addTool(t llm.Tool) {
	key := toolKey{t.Namespace, t.Name, t.Kind == llm.SearchTool}
	if i, again := d.tools[key]; again {
		d.r.Tools[i] = t
		return
	}
	d.tools[key] = len(d.r.Tools)
	d.r.Tools = append(d.r.Tools, t)
}

// toolKey identifies a tool.
type toolKey struct {
	namespace, name string
	search          bool
}

func (d *responsesDecoder) readGrammar() *llm.Grammar {
	typ, g := "", &llm.Grammar{}
	d.reader.visitMembers(func(key string) {
		switch key {
		case "type":
			typ = d.readText()
		case "syntax":
			g.Syntax = d.readText()
		case "definition":
			g.Definition = d.readText()
		default:
			d.drop("tools.format." + key)
		}
	})
	if typ != "grammar" {
		return nil
	}
	return g
}

// modes are the tool choices that are words.
var modes = map[string]llm.ChoiceMode{"auto": llm.ChooseAuto, "none": llm.ChooseNone, "required": llm.ChooseRequired}

func (d *responsesDecoder) readChoice() {
	if d.s.Kind() == splice.String {
		word := d.readText()
		mode, ok := modes[word]
		if !ok && d.err == nil && d.s.Err() == nil {
			d.err = scan.NewInvalid("tool_choice", strconv.Quote(scan.ShortenName(word))+` is not a choice; use "auto", "none", "required" or name a tool`)
		}
		d.r.Choice.Mode = mode
		return
	}
	if d.s.Kind() != splice.Object {
		d.s.Skip()
		return
	}
	typ, mode, name, namespace := "", "", "", ""
	d.reader.visitMembers(func(key string) {
		switch key {
		case "type":
			typ = d.readText()
		case "mode":
			mode = d.readText()
		case "tools":
			d.visitElements(func() { d.allowed = append(d.allowed, d.readToolName()) })
		case "name":
			name = d.readText()
		case "namespace":
			namespace = d.readText()
		default:
			d.drop("tool_choice." + key)
		}
	})
	switch typ {
	case toolFunction, toolCustom:
		d.r.Choice = llm.Choice{Mode: llm.ChooseNamed, Names: []string{joinName(namespace, name)}}
	case toolSearch:
		d.r.Choice = llm.Choice{Mode: llm.ChooseNamed, Names: []string{toolSearch}}
	case "allowed_tools": // only the allowed tools are offered
		d.restricted = true
		d.allowed = slices.Compact(d.allowed)
		d.r.Choice.Mode = modes[mode]
	default:
		d.refuse("tool_choice", "choices of type "+strconv.Quote(scan.ShortenName(typ)))
	}
}

// readToolName reads the name of an allowed tool.
func (d *responsesDecoder) readToolName() string {
	typ, name, namespace := "", "", ""
	d.reader.visitMembers(func(key string) {
		switch key {
		case "type":
			typ = d.readText()
		case "name":
			name = d.readText()
		case "namespace":
			namespace = d.readText()
		default:
			d.s.Skip()
		}
	})
	if typ == toolSearch {
		return toolSearch
	}
	return joinName(namespace, name)
}
