package gemini

import (
	"strconv"
	"strings"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

func (d *decoder) readTools() {
	for l := openList(&d.s); l.moveToNext(); {
		o := openObject(&d.s)
		for f, ok := o.readField(); ok; f, ok = o.readField() {
			if f != fFunctionDeclarations {
				if d.s.Kind() != splice.Null {
					name := scan.ShortenName(convertToCamel(string(o.key)))
					says := "only Google's models have the tool " + strconv.Quote(name) + "; send functionDeclarations"
					d.fail(scan.NewUnsupportedError("tools."+name, says))
				}
				d.s.Skip()
				continue
			}
			for g := openList(&d.s); g.moveToNext(); {
				d.readDeclaration()
			}
		}
	}
}

func (d *decoder) readDeclaration() {
	var t llm.Tool
	o := openObject(&d.s)
	for f, ok := o.readField(); ok; f, ok = o.readField() {
		switch f {
		case fName:
			t.Name = scan.ReadText(&d.s, d.doc)
		case fDescription:
			t.Description = scan.ReadText(&d.s, d.doc)
		case fParameters:
			t.Schema = d.readGoogleSchema()
		case fParametersJSONSchema:
			t.Schema = scan.ReadRaw(&d.s, d.doc)
		default:
			d.drop("tools.functionDeclarations." + scan.ShortenName(convertToCamel(string(o.key))))
		}
	}
	d.r.Tools = append(d.r.Tools, t)
}

func (d *decoder) readToolConfig() {
	o := openObject(&d.s)
	for f, ok := o.readField(); ok; f, ok = o.readField() {
		if f == fFunctionCallingConfig {
			d.readChoice()
		} else {
			d.drop("toolConfig." + scan.ShortenName(convertToCamel(string(o.key))))
		}
	}
}

// readChoice reads functionCallingConfig. VALIDATED leaves the decision to the model,
// like AUTO.
func (d *decoder) readChoice() {
	var c llm.Choice
	o := openObject(&d.s)
	for f, ok := o.readField(); ok; f, ok = o.readField() {
		switch f {
		case fMode:
			c.Mode = modes[strings.ToUpper(scan.ReadText(&d.s, d.doc))]
		case fAllowedFunctionNames:
			for l := openList(&d.s); l.moveToNext(); {
				c.Names = append(c.Names, scan.ReadText(&d.s, d.doc))
			}
		case fStreamFunctionCallArguments:
			d.s.Skip()
		default:
			d.drop("toolConfig.functionCallingConfig." + scan.ShortenName(convertToCamel(string(o.key))))
		}
	}
	if len(c.Names) > 0 {
		if c.Mode == llm.ChooseRequired {
			c.Mode = llm.ChooseNamed
		} else {
			d.r.RecordDropped("toolConfig.functionCallingConfig.allowedFunctionNames")
			c.Names = nil
		}
	}
	d.r.Choice = c
}

var modes = map[string]llm.ChoiceMode{
	"AUTO": llm.ChooseAuto, "VALIDATED": llm.ChooseAuto, "ANY": llm.ChooseRequired, "NONE": llm.ChooseNone,
}
