package policy

import (
	"bytes"
)

// message inspects one message or item, and reports whether it is a system message.
func (w *work) message(raw []byte) (system bool) {
	w.members(func(key string) {
		switch key {
		case "role":
			role := w.scalar(raw)
			system = role == "system" || role == "developer"
		case "content", "parts":
			w.elements(func() { w.part(raw) })
		case "type":
			w.fileType(w.scalar(raw))
		default:
			w.scan.Skip()
		}
	})
	return system
}

// part looks for files in a part of a message. Results of tools contain parts too.
func (w *work) part(raw []byte) {
	w.members(func(key string) {
		switch key {
		case "type":
			w.fileType(w.scalar(raw))
		case "fileData", "file_data":
			w.f.HasFiles = true
			w.scan.Skip()
		case "inlineData", "inline_data":
			w.members(func(key string) {
				if key != "mimeType" && key != "mime_type" {
					w.scan.Skip()
				} else if mime := w.scalar(raw); mime != "" && !bytes.HasPrefix([]byte(mime), []byte("image/")) {
					w.f.HasFiles = true
				}
			})
		case "content":
			w.elements(func() { w.part(raw) })
		default:
			w.scan.Skip()
		}
	})
}

func (w *work) fileType(t string) {
	switch t {
	case "file", "input_file", "document", "container_upload":
		w.f.HasFiles = true
	}
}

// toolTypes reads the types of tools. A tool without a type is a function; in generateContent, the member's name is the
// type.
func (w *work) toolTypes(raw []byte) {
	w.elements(func() {
		typ, own := "", ""
		w.members(func(key string) {
			switch key {
			case "type":
				typ = w.scalar(raw)
				return
			case "functionDeclarations", "function_declarations":
				own = "function"
			case "googleSearch", "google_search", "codeExecution", "code_execution", "urlContext", "url_context", "googleSearchRetrieval":
				own = key
			}
			w.scan.Skip()
		})
		switch {
		case typ != "":
		case own != "":
			typ = own
		default:
			typ = "function"
		}
		w.f.ToolTypes = append(w.f.ToolTypes, typ)
	})
}
