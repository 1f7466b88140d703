package policy

import (
	"bytes"
)

// readMessage inspects one message or item, and reports whether it is a system message.
func (w *work) readMessage(raw []byte) (system bool) {
	w.visitMembers(func(key string) {
		switch key {
		case "role":
			role := w.readScalar(raw)
			system = role == "system" || role == "developer"
		case "content", "parts":
			w.visitElements(func() { w.readPart(raw) })
		case "type":
			w.addFileType(w.readScalar(raw))
		default:
			w.scan.Skip()
		}
	})
	return system
}

// readPart looks for files in a part of a message. Results of tools contain parts too.
func (w *work) readPart(raw []byte) {
	w.visitMembers(func(key string) {
		switch key {
		case "type":
			w.addFileType(w.readScalar(raw))
		case "fileData", "file_data":
			w.f.HasFiles = true
			w.scan.Skip()
		case "inlineData", "inline_data":
			w.visitMembers(func(key string) {
				if key != "mimeType" && key != "mime_type" {
					w.scan.Skip()
				} else if mime := w.readScalar(raw); mime != "" && !bytes.HasPrefix([]byte(mime), []byte("image/")) {
					w.f.HasFiles = true
				}
			})
		case "content":
			w.visitElements(func() { w.readPart(raw) })
		default:
			w.scan.Skip()
		}
	})
}

func (w *work) addFileType(t string) {
	switch t {
	case "file", "input_file", "document", "container_upload":
		w.f.HasFiles = true
	}
}

// readToolTypes reads the types of tools. A tool without a type is a function; in generateContent, the member's name is the
// type.
func (w *work) readToolTypes(raw []byte) {
	w.visitElements(func() {
		typ, own := "", ""
		w.visitMembers(func(key string) {
			switch key {
			case "type":
				typ = w.readScalar(raw)
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
