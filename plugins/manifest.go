package plugins

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/headgate-dev/headgate/wasm"
)

// ReadManifest parses a manifest in YAML, as it may lie beside a module. An unknown key is an error that lists the
// known keys.
func ReadManifest(text []byte) (*wasm.Manifest, error) {
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	m := new(wasm.Manifest)
	if err := d.Decode(m); err != nil {
		return nil, fmt.Errorf("read the manifest: %w", explainYAML(err))
	}
	if err := m.Check(); err != nil {
		return nil, err // already mentions the manifest
	}
	return m, nil
}

// unknownKey matches the YAML library's error about a key that the Go type has no field for.
var unknownKey = regexp.MustCompile(`^line (\d+): field (.+) not found in type ([\w.]+)$`)

// explainYAML rewrites an error about a manifest for its author, who does not know the Go types.
func explainYAML(err error) error {
	var wrong *yaml.TypeError
	switch {
	case errors.Is(err, io.EOF):
		return errors.New("empty; write at least name, kind and labels")
	case !errors.As(err, &wrong) || len(wrong.Errors) == 0:
		return errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	first := wrong.Errors[0]
	if m := unknownKey.FindStringSubmatch(first); m != nil {
		return fmt.Errorf("line %s: unknown key %q; write one of %s", m[1], truncateText(m[2], 60), strings.Join(listKeys(m[3]), ", "))
	}
	return errors.New(first)
}

// listKeys lists the keys of a part of the manifest, by the name of its Go type.
func listKeys(part string) (keys []string) {
	for _, t := range []reflect.Type{reflect.TypeFor[wasm.Manifest](), reflect.TypeFor[wasm.Reads](), reflect.TypeFor[wasm.Sample]()} {
		if t.String() != part {
			continue
		}
		for i := range t.NumField() {
			keys = append(keys, t.Field(i).Tag.Get("yaml"))
		}
	}
	return keys
}
