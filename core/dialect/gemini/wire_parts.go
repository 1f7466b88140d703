package gemini

import (
	"path"
	"strconv"
	"strings"

	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

func (w *writer) appendImage(img *llm.Image) {
	if img.Detail != "" && img.Detail != "auto" {
		w.r.RecordDropped("image_url.detail")
	}
	w.dst = appendComma(w.dst)
	if img.Data == "" {
		w.dst = appendFile(w.dst, img)
		return
	}
	w.dst = appendInline(w.dst, img)
}

// appendFile appends an image by its URL.
func appendFile(dst []byte, img *llm.Image) []byte {
	w := writer{dst: append(dst, `{"fileData":{`...)}
	mimeType := img.MediaType
	if mimeType == "" {
		mimeType = guessMIMEType(img.URL)
	}
	if mimeType != "" {
		w.appendKey("mimeType")
		w.appendString(mimeType)
	}
	w.appendKey("fileUri")
	w.appendString(img.URL)
	return append(w.dst, "}}"...)
}

var extensions = map[string]string{
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp", ".gif": "image/gif",
	".heic": "image/heic", ".heif": "image/heif",
}

// guessMIMEType returns the MIME type for the extension of an image URL, or "".
func guessMIMEType(url string) string {
	if i := strings.IndexAny(url, "?#"); i >= 0 {
		url = url[:i]
	}
	return extensions[strings.ToLower(path.Ext(url))]
}

// appendResult appends the result of a tool with the tool's name, which other dialects
// do not repeat.
func (w *writer) appendResult(r *llm.Result, named map[string]string, i int) {
	name := r.Name
	if name == "" {
		name = named[r.CallID]
	}
	if name == "" {
		w.fail(scan.NewInvalid("messages["+strconv.Itoa(i)+"]",
			"a tool result answers the call "+strconv.Quote(r.CallID)+", which no message before it makes"))
		return
	}
	var text strings.Builder
	var images []*llm.Image
	for k := range r.Parts {
		if p := &r.Parts[k]; p.Kind == llm.ImagePart {
			images = append(images, p.Image)
		} else {
			text.WriteString(p.Text)
		}
	}
	w.dst = append(appendComma(w.dst), `{"functionResponse":{`...)
	if r.CallID != "" {
		w.appendKey("id")
		w.appendString(r.CallID)
	}
	w.appendKey("name")
	w.appendString(name)
	w.appendKey("response")
	w.appendResponse(text.String(), r.Failed)
	if len(images) > 0 {
		w.appendKey("parts")
		w.dst = append(w.dst, '[')
		for _, img := range images {
			w.appendImage(img)
		}
		w.dst = append(w.dst, ']')
	}
	w.dst = append(w.dst, "}}"...)
}

// appendResponse appends the object of a result: the tool's own, or one around its text.
func (w *writer) appendResponse(text string, failed bool) {
	object := isObject(text)
	if object && !failed {
		w.dst = append(w.dst, text...)
		return
	}
	w.dst = append(w.dst, '{')
	if failed {
		w.appendKey("error")
	} else {
		w.appendKey("output")
	}
	if object {
		w.dst = append(w.dst, text...)
	} else {
		w.appendString(text)
	}
	w.dst = append(w.dst, '}')
}
