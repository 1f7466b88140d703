package openai

import (
	"strings"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

// ChatVendor marks plain-text reasoning of a provider of this dialect, which goes back
// unchanged. It is not a vendor: vendors that sign or encrypt reasoning do not use this
// dialect.
const ChatVendor = "openai.chat"

// chatMessage holds the members of a message until its role is known.
type chatMessage struct {
	role, name, id string
	reasoning      string
	content        []llm.Part
	refusal        string
	calls          []llm.Part
}

func (d *chatDecoder) readMessages() {
	d.visitElements("messages", func(i int) {
		var m chatMessage
		d.s.Enter()
		for d.s.Next() {
			switch key := string(d.s.Key()); key {
			case "role":
				m.role = d.readText("messages.role")
			case "name":
				m.name = d.readText("messages.name")
			case "tool_call_id":
				m.id = d.readText("messages.tool_call_id")
			case "content":
				m.content = d.readContent(int32(i))
			case "refusal":
				m.refusal = d.readText("messages.refusal")
			case "reasoning_content", "reasoning": // some clients send both with the same text
				if s := d.readText("messages." + key); s != "" {
					m.reasoning = s
				}
			case "tool_calls":
				d.visitElements("messages.tool_calls", func(int) { m.calls = append(m.calls, d.readToolCall()) })
			case "function_call":
				if d.s.Kind() == splice.Object {
					c := llm.Call{}
					d.readFunction("messages.function_call", &c)
					m.calls = append(m.calls, llm.Part{Kind: llm.CallPart, Call: &c})
				} else {
					d.drop("messages.function_call")
				}
			case "audio":
				if d.s.Kind() != splice.Null {
					d.fail(scan.NewUnsupportedError(scan.FormatPath("messages", int32(i), "audio"),
						"answers in audio cannot be translated for the provider of this model; send their text"))
				}
				d.s.Skip()
			default:
				d.drop("messages." + key)
			}
		}
		d.addMessage(&m)
	})
}

func (d *chatDecoder) addMessage(m *chatMessage) {
	out := llm.Message{Name: m.name}
	switch m.role {
	case "system", "developer":
		out.Role, out.Parts = llm.System, m.content
	case "user":
		out.Role, out.Parts = llm.User, m.content
	case "tool", "function":
		r := &llm.Result{CallID: m.id, Parts: m.content}
		if out.Name = ""; m.role == "function" {
			r.Name = m.name
		}
		if d.customs[m.id] {
			r.Kind = llm.CustomTool
		}
		out.Role, out.Parts = llm.ToolRole, []llm.Part{{Kind: llm.ResultPart, Result: r}}
	default:
		out.Role = llm.Assistant
		if m.reasoning != "" {
			out.Parts = append(out.Parts, llm.Part{Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Vendor: ChatVendor, Text: m.reasoning}})
		}
		for _, p := range m.content {
			if p.Kind != llm.TextPart || p.Text != "" {
				out.Parts = append(out.Parts, p)
			}
		}
		if m.refusal != "" {
			out.Parts = append(out.Parts, llm.Part{Kind: llm.RefusalPart, Text: m.refusal})
		}
		out.Parts = append(out.Parts, m.calls...)
	}
	d.out.Messages = append(d.out.Messages, out)
}

func (d *chatDecoder) readContent(i int32) (parts []llm.Part) {
	if d.s.Kind() == splice.String {
		return []llm.Part{llm.NewText(scan.ReadText(d.s, d.doc))}
	}
	d.visitElements("messages.content", func(int) {
		if p := d.readPart(i); p.Kind != 0 {
			parts = append(parts, p)
		}
	})
	return parts
}

// readPart reads a content part. It rejects files, audio and unknown types, because the model would answer without
// them.
func (d *chatDecoder) readPart(i int32) (p llm.Part) {
	kind := ""
	d.readObject("messages.content", func(key string) bool {
		switch key {
		case "type":
			kind = d.readText("messages.content.type")
		case "text":
			p.Text = d.readText("messages.content.text")
		case "refusal":
			p.Text = d.readText("messages.content.refusal")
		case "image_url":
			p.Image = d.readImage(i)
		case "input_audio", "file", "video_url": // rejected below by type
			d.s.Skip()
		default:
			return false
		}
		return true
	})
	switch kind {
	case "text", "":
		p.Kind, p.Image = llm.TextPart, nil
	case "refusal":
		p.Kind, p.Image = llm.RefusalPart, nil
	case "image_url":
		p.Kind, p.Text = llm.ImagePart, ""
		if p.Image == nil {
			d.fail(scan.NewMissing(scan.FormatPath("messages", i, "content.image_url")))
		}
	default:
		d.fail(scan.NewUnsupportedError(scan.FormatPath("messages", i, "content"),
			`content parts of type "`+scan.ShortenName(kind)+`" cannot be translated for the provider of this model; send text and images`))
	}
	return p
}

func (d *chatDecoder) readImage(i int32) *llm.Image {
	var at, detail string
	if d.s.Kind() == splice.String { // Mistral's form
		at = scan.ReadText(d.s, d.doc)
	} else {
		d.readObject("messages.content.image_url", func(key string) bool {
			switch key {
			case "url":
				at = d.readText("messages.content.image_url.url")
			case "detail":
				detail = d.readText("messages.content.image_url.detail")
			default:
				return false
			}
			return true
		})
	}
	img, ok := parseChatImage(at)
	if !ok {
		d.fail(scan.NewInvalid(scan.FormatPath("messages", i, "content.image_url"),
			"an image's URL must start with http:// or https://, or be a data URL in base64"))
	}
	img.Detail = detail
	return img
}

// parseChatImage reads the URL of an image, which can be a data URL (RFC 2397).
func parseChatImage(at string) (*llm.Image, bool) {
	scheme, rest, _ := strings.Cut(at, ":")
	switch {
	case strings.EqualFold(scheme, "http"), strings.EqualFold(scheme, "https"):
		return &llm.Image{URL: at}, strings.HasPrefix(rest, "//")
	case strings.EqualFold(scheme, "data"):
		head, data, ok := strings.Cut(rest, ",")
		media, ok2 := strings.CutSuffix(head, ";base64")
		media, _, _ = strings.Cut(media, ";")
		return &llm.Image{MediaType: media, Data: data}, ok && ok2 && media != ""
	}
	return &llm.Image{}, false
}
