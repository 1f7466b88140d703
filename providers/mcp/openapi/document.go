package openapi

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// MaxDocument is the maximum size of a document, in bytes.
const MaxDocument = 8 << 20

// document is a parsed OpenAPI document. It is immutable.
type document struct {
	root  map[string]any
	title string
}

// maxDepth limits how deep a document may nest, and how many references may follow each other.
const maxDepth = 64

// parseDocument reads a document in JSON or YAML.
func parseDocument(text []byte) (*document, error) {
	if len(text) > MaxDocument {
		return nil, fmt.Errorf("the document has more than %d MiB", MaxDocument>>20)
	}
	var raw any
	if err := yaml.Unmarshal(text, &raw); err != nil { // JSON is YAML; the error may quote the document
		return nil, errors.New("the document is neither YAML nor JSON")
	}
	nodes := 0
	plain, err := simplifyValue(raw, 0, &nodes)
	if err != nil {
		return nil, err
	}
	root, ok := plain.(map[string]any)
	if !ok {
		return nil, errors.New("the document is not an object")
	}
	version := readText(root["openapi"])
	if !strings.HasPrefix(version, "3.0") && !strings.HasPrefix(version, "3.1") {
		return nil, errors.New("the document is not of OpenAPI 3.0 or 3.1; convert it first")
	}
	info, _ := root["info"].(map[string]any)
	return &document{root: root, title: readText(info["title"])}, nil
}

// maxNodes limits the values of a document, which aliases of YAML multiply.
const maxNodes = 2_000_000

// simplifyValue converts a YAML value to its JSON form.
func simplifyValue(v any, depth int, nodes *int) (any, error) {
	if *nodes++; *nodes > maxNodes || depth > maxDepth {
		return nil, errors.New("the document nests too deep, or has too many values")
	}
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			plain, err := simplifyValue(value, depth+1, nodes)
			if err != nil {
				return nil, err
			}
			v[key] = plain
		}
		return v, nil
	case map[any]any: // a status such as 200 is a number in YAML
		out := make(map[string]any, len(v))
		for key, value := range v {
			plain, err := simplifyValue(value, depth+1, nodes)
			if err != nil {
				return nil, err
			}
			out[fmt.Sprint(key)] = plain
		}
		return out, nil
	case []any:
		for i := range v {
			plain, err := simplifyValue(v[i], depth+1, nodes)
			if err != nil {
				return nil, err
			}
			v[i] = plain
		}
		return v, nil
	case time.Time:
		return v.Format(time.DateOnly), nil
	}
	return v, nil
}

func readText(v any) string {
	s, _ := v.(string)
	return s
}

// readObject returns an object, following references within the document; nil if v is absent.
func (d *document) readObject(v any) (map[string]any, error) {
	for range maxDepth {
		object, ok := v.(map[string]any)
		if !ok {
			return nil, nil
		}
		ref, ok := object["$ref"].(string)
		if !ok {
			return object, nil
		}
		found, err := d.lookup(ref)
		if err != nil {
			return nil, err
		}
		v = found
	}
	return nil, errors.New("references form a loop, or a chain that is too long")
}

// lookup resolves a reference within the document. It reads no other documents, because the author of a document could make
// the gateway fetch any address.
func (d *document) lookup(ref string) (any, error) {
	path, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return nil, errors.New("a reference to another document; write its contents into this one")
	}
	var at any = d.root
	for step := range strings.SplitSeq(path, "/") {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		switch here := at.(type) {
		case map[string]any:
			at = here[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(here) {
				return nil, errors.New("a reference to something that the document does not have")
			}
			at = here[i]
		default:
			at = nil
		}
		if at == nil {
			return nil, errors.New("a reference to something that the document does not have")
		}
	}
	return at, nil
}
