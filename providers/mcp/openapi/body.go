package openapi

import (
	"errors"
	"maps"
	"mime"
	"slices"
	"strings"
)

// bodyForm is the encoding of an operation's body.
type bodyForm uint8

// The forms of bodies. The zero value is not a body.
const (
	bodyNone bodyForm = iota
	bodyJSON
	bodyFields // application/x-www-form-urlencoded
	bodyText
)

var errBody = errors.New("the request body is neither JSON, form fields nor plain text")

// chooseForm returns the form of a media type.
func chooseForm(media string) bodyForm {
	kind, _, err := mime.ParseMediaType(media)
	switch {
	case err != nil:
		return bodyNone
	case kind == "application/json", strings.HasSuffix(kind, "+json"):
		return bodyJSON
	case kind == "application/x-www-form-urlencoded":
		return bodyFields
	case kind == "text/plain":
		return bodyText
	}
	return bodyNone
}

// nameMediaType returns the Content-Type of the body.
func (f bodyForm) nameMediaType() string {
	switch f {
	case bodyJSON:
		return "application/json"
	case bodyFields:
		return "application/x-www-form-urlencoded"
	case bodyText:
		return "text/plain; charset=utf-8"
	}
	return ""
}

// readBody reads the body of an operation, and adds the argument that holds it.
func (o *operation) readBody(d *document, s *schemas, node, properties map[string]any) error {
	body, err := d.readObject(node["requestBody"])
	if err != nil || body == nil {
		return err
	}
	content, _ := body["content"].(map[string]any)
	var schema any
	for _, media := range slices.Sorted(maps.Keys(content)) { // sorted, so that the definition is deterministic
		form := chooseForm(media)
		if form == bodyNone || o.body != bodyNone && form >= o.body { // JSON is preferred
			continue
		}
		of, err := d.readObject(content[media])
		if err != nil {
			return err
		}
		o.body, schema = form, of["schema"]
	}
	o.needsBody = body["required"] == true
	if o.body == bodyNone {
		if o.needsBody {
			return errBody
		}
		return nil
	}
	for o.bodyArg = "body"; properties[o.bodyArg] != nil; {
		o.bodyArg += "_"
	}
	properties[o.bodyArg], err = s.describe(schema, readText(body["description"]))
	return err
}
