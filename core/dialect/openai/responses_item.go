package openai

import (
	"encoding/json"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
	"github.com/headgate-dev/headgate/core/llm"
)

// encodedItem is an item of an answer to be written for a client.
type encodedItem struct {
	typ   string
	id    string
	call  llm.Call
	input []byte        // of the call, so far
	parts []encodedPart // of a message; of reasoning, one summary
}

// encodedPart is a part of a message.
type encodedPart struct {
	refusal  bool
	text     []byte
	logprobs []json.RawMessage
}

// newItem returns the item for a part without adding it.
func (a *encodedAnswer) newItem(p *llm.Part) encodedItem {
	switch p.Kind {
	case llm.CallPart:
		it := encodedItem{typ: itemCall, call: *p.Call, input: []byte(p.Call.Input)}
		switch prefix := "fc_"; p.Call.Kind {
		case llm.CustomTool:
			it.typ, it.id = itemCustom, a.makeItemID("ctc_")
		case llm.SearchTool:
			it.typ, it.id = itemSearch, a.makeItemID("tsc_")
		default:
			it.id = a.makeItemID(prefix)
		}
		if it.call.ID == "" {
			it.call.ID = a.makeItemID("call_")
		}
		return it
	case llm.ReasoningPart:
		return encodedItem{typ: itemReasoning, id: a.makeItemID("rs_")}
	}
	return encodedItem{typ: itemMessage, id: a.makeItemID("msg_")}
}

// append appends the item with its texts so far.
func (it *encodedItem) append(dst []byte, status string) []byte {
	dst = appendMember(append(dst, '{'), "id", it.id)
	dst = appendMember(append(dst, ','), "type", it.typ)
	if it.typ != itemReasoning {
		dst = appendMember(append(dst, ','), "status", status)
	}
	switch it.typ {
	case itemMessage:
		dst = append(dst, `,"role":"assistant","content":[`...)
		for i := range it.parts {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = it.parts[i].append(dst)
		}
		return append(dst, "]}"...)
	case itemReasoning:
		dst = append(dst, `,"summary":[`...)
		for i := range it.parts {
			dst = append(it.parts[i].appendSummary(dst), ']')
		}
		if len(it.parts) == 0 {
			dst = append(dst, ']')
		}
		return append(dst, '}')
	}
	dst = appendMember(append(dst, ','), "call_id", it.call.ID)
	if it.typ == itemSearch {
		dst = append(dst, `,"execution":"client","arguments":`...)
		if len(it.input) == 0 {
			return append(dst, "{}}"...)
		}
		return append(splice.AppendOneLine(dst, encodeText(zerocopy.String(it.input))), '}')
	}
	dst = appendMember(append(dst, ','), "name", it.call.Name)
	if it.call.Namespace != "" {
		dst = appendMember(append(dst, ','), "namespace", it.call.Namespace)
	}
	if it.typ == itemCustom {
		return append(appendMember(append(dst, ','), "input", zerocopy.String(it.input)), '}')
	}
	return append(appendMember(append(dst, ','), "arguments", zerocopy.String(it.input)), '}')
}

func (p *encodedPart) append(dst []byte) []byte {
	if p.refusal {
		return append(appendMember(append(dst, `{"type":"refusal",`...), "refusal", zerocopy.String(p.text)), '}')
	}
	dst = appendMember(append(dst, `{"type":"output_text","annotations":[],`...), "text", zerocopy.String(p.text))
	return append(p.appendLogprobs(dst), '}')
}

func (p *encodedPart) appendLogprobs(dst []byte) []byte {
	dst = append(dst, `,"logprobs":[`...)
	for i, v := range p.logprobs {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, v...)
	}
	return append(dst, ']')
}

func (p *encodedPart) appendSummary(dst []byte) []byte {
	return append(appendMember(append(dst, `{"type":"summary_text",`...), "text", zerocopy.String(p.text)), '}')
}

// listLogprobTokens returns the entries of a logprobs object of chat.
func listLogprobTokens(object json.RawMessage) []json.RawMessage {
	var v struct {
		Content []json.RawMessage `json:"content"`
	}
	if json.Unmarshal(object, &v) != nil {
		return nil
	}
	return v.Content
}
