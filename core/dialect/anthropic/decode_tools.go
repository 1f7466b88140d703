package anthropic

import (
	"strconv"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

func (d *decoder) readTools() {
	if !d.enter(splice.Array) {
		return
	}
	for d.s.Next() {
		if d.enter(splice.Object) {
			d.readTool()
		}
	}
}

// readTool reads a function. It rejects Anthropic's own tool types: other models do not
// know them, and the conversation needs its tools.
func (d *decoder) readTool() {
	var t llm.Tool
	for d.s.Next() {
		switch key := d.s.Key(); string(key) {
		case "name":
			t.Name = d.readText()
		case "description":
			t.Description = d.readText()
		case "input_schema":
			t.Schema = d.readRaw()
		case "strict":
			t.Strict = d.readFlag()
		case "type":
			if typ := d.readText(); typ != "" && typ != "custom" {
				d.fail(scan.NewUnsupportedError("tools",
					"only Anthropic's models know tools of the type "+strconv.Quote(typ)+"; "+
						"declare it with an input_schema, or route the model to a provider of the Messages shape"))
			}
		default:
			d.drop(nameToolField(key))
		}
	}
	d.r.Tools = append(d.r.Tools, t)
}

// nameToolField names a dropped field of a tool.
func nameToolField(key []byte) string {
	if string(key) == cacheControl {
		return cacheControl
	}
	return "tools." + copyFieldName(key)
}

var choices = map[string]llm.ChoiceMode{
	"auto": llm.ChooseAuto, "any": llm.ChooseRequired, "tool": llm.ChooseNamed, "none": llm.ChooseNone,
}

func (d *decoder) readChoice() {
	if !d.enter(splice.Object) {
		return
	}
	for d.s.Next() {
		switch key := d.s.Key(); string(key) {
		case "type":
			typ := d.readText()
			mode, ok := choices[typ]
			if !ok {
				d.fail(scan.NewInvalid("tool_choice", `"tool_choice" must have the type auto, any, tool or none`))
			}
			d.r.Choice.Mode = mode
		case "name":
			if name := d.readText(); name != "" {
				d.r.Choice.Names = []string{name}
			}
		case "disable_parallel_tool_use":
			if v := d.readFlag(); v != nil {
				parallel := !*v
				d.r.Parallel = &parallel
			}
		default:
			d.drop("tool_choice." + copyFieldName(key))
		}
	}
	if d.r.Choice.Mode == llm.ChooseNamed && len(d.r.Choice.Names) == 0 {
		d.fail(scan.NewMissing("tool_choice.name"))
	}
}
