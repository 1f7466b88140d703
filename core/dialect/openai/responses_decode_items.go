package openai

import (
	"encoding/json"
	"strconv"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

// readInput reads the conversation.
func (d *responsesDecoder) readInput() {
	if d.s.Kind() == splice.String {
		d.addMessage(llm.User, llm.NewText(d.readText()))
		return
	}
	i := 0
	d.visitElements(func() {
		d.readInputItem(formatIndexedPath("input", i))
		i++
	})
}

// addMessage adds a message unless it is empty. This dialect splits a turn into items:
// calls join the assistant's text before and between them, and the results of a turn
// join each other.
func (d *responsesDecoder) addMessage(role llm.Role, parts ...llm.Part) {
	if len(parts) == 0 {
		return
	}
	if n := len(d.r.Messages); n > 0 && d.r.Messages[n-1].Role == role {
		last := &d.r.Messages[n-1]
		if role == llm.ToolRole || role == llm.Assistant && (hasCalls(parts) || hasCalls(last.Parts)) {
			last.Parts = append(last.Parts, parts...)
			return
		}
	}
	d.r.Messages = append(d.r.Messages, llm.Message{Role: role, Parts: parts})
}

// inputItem holds the members of an item, whose type can come last.
type inputItem struct {
	typ, role, callID, name, namespace, execution string
	content, output                               []llm.Part
	arguments                                     string
	tools                                         splice.Span
	input                                         string
	id                                            string
}

func (d *responsesDecoder) readInputItem(param string) {
	var it inputItem
	d.reader.visitMembers(func(key string) {
		switch key {
		case "type":
			it.typ = d.readText()
		case "role":
			it.role = d.readText()
		case "id":
			it.id = d.readText()
		case "call_id":
			it.callID = d.readText()
		case "name":
			it.name = d.readText()
		case "namespace":
			it.namespace = d.readText()
		case "execution":
			it.execution = d.readText()
		case "content":
			it.content = d.readContent(param+".content", it.typ == itemReasoning)
		case "output":
			it.output = d.readContent(param+".output", false)
		case "arguments":
			if d.s.Kind() == splice.String {
				it.arguments = d.readText()
			} else {
				it.arguments = string(d.readRaw())
			}
		case "input":
			it.input = d.readText()
		case "tools":
			it.tools = d.s.Skip()
		case "status", "encrypted_content", "summary":
			d.s.Skip()
		default:
			d.drop("input." + key)
		}
	})
	if d.s.Err() == nil && d.err == nil {
		d.addItem(param, it)
	}
}

// addItem adds the message of an item.
func (d *responsesDecoder) addItem(param string, it inputItem) {
	call := llm.Call{ID: it.callID, Name: it.name, Namespace: it.namespace, Input: it.arguments}
	result := llm.Result{CallID: it.callID, Name: joinName(it.namespace, it.name), Parts: it.output}
	switch {
	case it.typ == itemMessage, it.typ == "" && it.role != "":
		d.addMessage(llmRoles[it.role], it.content...)
	case it.typ == itemReasoning: // sealed for its own provider
		d.r.RecordDropped("input.reasoning")
	case it.typ == itemCall:
		d.addCall(call)
	case it.typ == itemCustom:
		call.Kind, call.Input = llm.CustomTool, it.input
		d.addCall(call)
	case it.typ == itemSearch && it.execution == "client":
		call.Kind, call.Name = llm.SearchTool, toolSearch
		d.addCall(call)
	case it.typ == itemOutput, it.typ == itemCustomOutput:
		if it.typ == itemCustomOutput {
			result.Kind = llm.CustomTool
		}
		d.addMessage(llm.ToolRole, llm.Part{Kind: llm.ResultPart, Result: &result})
	case it.typ == itemSearchOutput && it.execution == "client":
		result.Kind, result.Name = llm.SearchTool, toolSearch
		result.Parts = []llm.Part{llm.NewText(d.readBroughtTools(param, it.tools))}
		d.addMessage(llm.ToolRole, llm.Part{Kind: llm.ResultPart, Result: &result})
	case it.typ == itemTools:
		d.readBroughtTools(param, it.tools)
	case it.typ == "":
		d.refuse(param+".type", "items of type "+strconv.Quote(itemReference))
	default:
		d.refuse(param+".type", "items of type "+strconv.Quote(scan.ShortenName(it.typ)))
	}
}

// llmRoles maps the roles of a message.
var llmRoles = map[string]llm.Role{"system": llm.System, "developer": llm.System, "user": llm.User, "assistant": llm.Assistant}

func (d *responsesDecoder) addCall(c llm.Call) {
	if d.names == nil {
		d.names = map[string]string{}
	}
	d.names[c.ID] = joinName(c.Namespace, c.Name)
	d.addMessage(llm.Assistant, llm.Part{Kind: llm.CallPart, Call: &c})
}

// readBroughtTools reads the tools that an item brings. It returns their names as JSON
// text for the model.
func (d *responsesDecoder) readBroughtTools(param string, at splice.Span) string {
	if at.Len() == 0 {
		return `{"tools":[]}`
	}
	in := d.newDecoderAt(at)
	names := in.readTools(param+".tools", "", "")
	d.err = in.err
	if names == nil {
		names = []string{}
	}
	text, _ := json.Marshal(map[string][]string{"tools": names})
	return string(text)
}

// readContent reads a string or parts.
func (d *responsesDecoder) readContent(param string, quiet bool) (parts []llm.Part) {
	if d.s.Kind() == splice.String {
		return []llm.Part{llm.NewText(d.readText())}
	}
	i := 0
	d.visitElements(func() {
		if p, ok := d.readContentPart(formatIndexedPath(param, i), quiet); ok {
			parts = append(parts, p)
		}
		i++
	})
	return parts
}

func (d *responsesDecoder) readContentPart(param string, quiet bool) (p llm.Part, ok bool) {
	typ, text, refusal, detail := "", "", "", ""
	var image llm.Image
	d.reader.visitMembers(func(key string) {
		switch key {
		case "type":
			typ = d.readText()
		case "text":
			text = d.readText()
		case "refusal":
			refusal = d.readText()
		case "image_url":
			image = parseImage(d.readText())
		case "detail":
			detail = d.readText()
		default:
			d.drop("input.content." + key)
		}
	})
	image.Detail = detail
	switch {
	case quiet || typ == "reasoning_text":
		return p, false
	case typ == "input_text" || typ == "output_text" || typ == "text":
		return llm.NewText(text), true
	case typ == "refusal":
		return llm.Part{Kind: llm.RefusalPart, Text: refusal}, true
	case typ == "input_image" && (image.URL != "" || image.Data != ""):
		return llm.Part{Kind: llm.ImagePart, Image: &image}, true
	case typ == "input_image":
		d.refuse(param, "pictures that are kept at the provider")
	default:
		d.refuse(param+".type", "parts of type "+strconv.Quote(scan.ShortenName(typ)))
	}
	return p, false
}
