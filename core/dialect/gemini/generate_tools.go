package gemini

import (
	"strconv"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// tools reads the tools on offer: functions that the caller runs. Any other tool
// is run by the vendor, out of the gateway's sight, and is refused, never dropped.
func (r *request) tools() {
	n := int32(0)
	for l := each(r.S); l.next(); n++ {
		o := r.open("tools")
		for f, ok := o.next(); ok; f, ok = o.next() {
			switch {
			case f == fFunctionDeclarations:
				for d := each(r.S); d.next(); {
					r.declaration(n)
				}
			case r.S.Kind() == splice.Null:
				r.S.Null()
			default:
				name := camel(string(o.key))
				r.S.Skip()
				r.Fail(scan.Unsupported("tools["+strconv.Itoa(int(n))+"]."+scan.ShortName(name),
					"the tool "+strconv.Quote(scan.ShortName(name))+" is run by the vendor and is not supported; send functionDeclarations"))
			}
		}
		r.shut(&o)
	}
}

// declaration reads a function's name and the texts that describe it.
func (r *request) declaration(n int32) {
	named := false
	o := r.open("tools.functionDeclarations")
	for f, ok := o.next(); ok; f, ok = o.next() {
		if f != fName {
			r.unknown(scan.View(o.key), core.RoleSystem, core.KindDefinition, -1, n)
			continue
		}
		named = true
		r.X.Head.Tools = append(r.X.Head.Tools, strings.Clone(r.ReadText("tools.functionDeclarations.name")))
	}
	r.shut(&o)
	if !named {
		r.Fail(missing("tools.functionDeclarations.name"))
	}
}

func (r *request) toolConfig() {
	o := r.open("toolConfig")
	for f, ok := o.next(); ok; f, ok = o.next() {
		if f == fFunctionCallingConfig {
			r.callingConfig()
		} else {
			r.unknown(scan.View(o.key), core.RoleSystem, core.KindOther, -1, -1)
		}
	}
	r.shut(&o)
}

func (r *request) callingConfig() {
	const param = "toolConfig.functionCallingConfig"
	o := r.open(param)
	for f, ok := o.next(); ok; f, ok = o.next() {
		switch f {
		case fMode:
			r.ReadText(param + ".mode")
		case fStreamFunctionCallArguments:
			// Its fragments address places inside the arguments: nothing could be
			// checked before it is sent.
			if r.ReadBool(param + ".streamFunctionCallArguments") {
				r.Fail(scan.Unsupported(param+".streamFunctionCallArguments", "arguments that are streamed in pieces are not supported; leave the field out"))
			}
		default:
			r.unknown(scan.View(o.key), core.RoleSystem, core.KindOther, -1, -1)
		}
	}
	r.shut(&o)
}
