package gemini

import (
	"strconv"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// readTools reads the tools, which must be functions that the caller runs. It rejects
// tools that Google runs, which the gateway cannot govern.
func (r *request) readTools() {
	n := int32(0)
	for l := eachValue(r.S); l.next(); n++ {
		o := r.openObject("tools")
		for f, ok := o.readField(); ok; f, ok = o.readField() {
			switch {
			case f == fFunctionDeclarations:
				for d := eachValue(r.S); d.next(); {
					r.readDeclaration(n)
				}
			case r.S.Kind() == splice.Null:
				r.S.Null()
			default:
				name := toCamel(string(o.key))
				r.S.Skip()
				r.Fail(scan.Unsupported("tools["+strconv.Itoa(int(n))+"]."+scan.ShortName(name),
					"the tool "+strconv.Quote(scan.ShortName(name))+" is run by the vendor and is not supported; send functionDeclarations"))
			}
		}
		r.rejectRepeated(&o)
	}
}

// readDeclaration reads the name of a function and the texts that describe it.
func (r *request) readDeclaration(n int32) {
	named := false
	o := r.openObject("tools.functionDeclarations")
	for f, ok := o.readField(); ok; f, ok = o.readField() {
		if f != fName {
			r.readUnknown(zerocopy.String(o.key), core.RoleSystem, core.KindDefinition, -1, n)
			continue
		}
		named = true
		r.X.Head.Tools = append(r.X.Head.Tools, strings.Clone(r.ReadText("tools.functionDeclarations.name")))
	}
	r.rejectRepeated(&o)
	if !named {
		r.Fail(missing("tools.functionDeclarations.name"))
	}
}

func (r *request) readToolConfig() {
	o := r.openObject("toolConfig")
	for f, ok := o.readField(); ok; f, ok = o.readField() {
		if f == fFunctionCallingConfig {
			r.readCallingConfig()
		} else {
			r.readUnknown(zerocopy.String(o.key), core.RoleSystem, core.KindOther, -1, -1)
		}
	}
	r.rejectRepeated(&o)
}

func (r *request) readCallingConfig() {
	const param = "toolConfig.functionCallingConfig"
	o := r.openObject(param)
	for f, ok := o.readField(); ok; f, ok = o.readField() {
		switch f {
		case fMode:
			r.ReadText(param + ".mode")
		case fStreamFunctionCallArguments:
			// Its fragments address places inside the arguments, so they could not be
			// checked before they are sent.
			if r.ReadBool(param + ".streamFunctionCallArguments") {
				r.Fail(scan.Unsupported(param+".streamFunctionCallArguments",
					"arguments that are streamed in pieces are not supported; leave the field out"))
			}
		default:
			r.readUnknown(zerocopy.String(o.key), core.RoleSystem, core.KindOther, -1, -1)
		}
	}
	r.rejectRepeated(&o)
}
