package gemini

import (
	"strconv"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/hosted"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// readTools reads the tools, which must be functions that the caller runs. It rejects
// tools that Google runs, which the gateway cannot govern. An element without a function
// holds nothing but such tools.
func (r *request) readTools() {
	first, n, functions, list := r.CountHosted(), int32(0), 0, splice.Span{}
	for l := openList(r.S); l.moveToNext(); n++ {
		r.S.Kind()
		element, from, own := r.S.Pos(), r.CountHosted(), functions
		o := r.openObject("tools")
		for f, ok := o.readField(); ok; f, ok = o.readField() {
			switch {
			case f == fFunctionDeclarations:
				for d := openList(r.S); d.moveToNext(); functions++ {
					r.readDeclaration(n)
				}
			case r.S.Kind() == splice.Null:
				r.S.Null()
			default:
				r.readHosted(&o, "tools["+strconv.Itoa(int(n))+"].", n)
			}
		}
		r.rejectRepeated(&o)
		if n == 0 {
			list.Start = element
		}
		list.End = r.S.Pos()
		if own == functions {
			r.WidenHosted(from, splice.Span{Start: element, End: list.End})
		}
	}
	if functions == 0 {
		r.WidenHosted(first, list)
	}
}

// readHosted reads the settings of a tool that Google runs.
func (r *request) readHosted(o *object, path string, n int32) {
	name, start := convertToCamel(string(o.key)), o.start
	r.readUnknown(name, core.RoleSystem, core.KindDefinition, -1, n)
	short := scan.ShortenName(name)
	if r.RejectHosted(hosted.Tool{Type: name, Span: splice.Span{Start: start, End: r.S.Pos()}}, scan.NewUnsupportedError(path+short,
		"the tool "+strconv.Quote(short)+" is run by the vendor and is not supported; send functionDeclarations, or set `hosted_tools`")) {
		r.X.Head.Tools = append(r.X.Head.Tools, name)
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
		r.Fail(newMissingError("tools.functionDeclarations.name"))
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
				r.Fail(scan.NewUnsupportedError(param+".streamFunctionCallArguments",
					"arguments that are streamed in pieces are not supported; leave the field out"))
			}
		default:
			r.readUnknown(zerocopy.String(o.key), core.RoleSystem, core.KindOther, -1, -1)
		}
	}
	r.rejectRepeated(&o)
}
