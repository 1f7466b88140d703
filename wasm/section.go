package wasm

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/headgate-dev/headgate/wasm/abi"
)

var errSections = errors.New("the file is not a WebAssembly module, or is incomplete")

const moduleHeader = "\x00asm\x01\x00\x00\x00"

// visitSections calls each with the id of every section, the name of a custom section, and the section's position.
func visitSections(module []byte, each func(id byte, name string, start, end int)) error {
	if len(module) < len(moduleHeader) || string(module[:len(moduleHeader)]) != moduleHeader {
		return errSections
	}
	for at := len(moduleHeader); at < len(module); {
		start, id := at, module[at]
		size, n := binary.Uvarint(module[at+1:])
		if n <= 0 || size > uint64(len(module)-at-1-n) {
			return errSections
		}
		body := module[at+1+n:][:size]
		at += 1 + n + int(size)
		name := ""
		if id == 0 {
			length, k := binary.Uvarint(body)
			if k <= 0 || length > uint64(len(body)-k) {
				return errSections
			}
			name = string(body[k:][:length])
		}
		each(id, name, start, at)
	}
	return nil
}

// cutContent returns the content of a custom section, given its raw bytes.
func cutContent(raw []byte) []byte {
	_, n := binary.Uvarint(raw[1:])
	body := raw[1+n:]
	length, k := binary.Uvarint(body)
	return body[k+int(length):]
}

// HasManifest reports whether the module contains a manifest.
func HasManifest(module []byte) (ok bool) {
	err := visitSections(module, func(id byte, name string, _, _ int) { ok = ok || id == 0 && name == abi.ManifestSection })
	return ok && err == nil
}

// ReadPackedManifest returns the manifest that a module contains, without checking the rest of the module. It returns
// ErrNoManifest if there is none.
func ReadPackedManifest(module []byte) (*Manifest, error) {
	var packed []byte
	err := visitSections(module, func(id byte, name string, start, end int) {
		if id == 0 && name == abi.ManifestSection {
			packed = cutContent(module[start:end])
		}
	})
	switch {
	case err != nil:
		return nil, err
	case packed == nil:
		return nil, ErrNoManifest
	}
	return ParseManifest(packed)
}

// WithManifest returns the module with a manifest, which is JSON, replacing any that it contains.
func WithManifest(module, manifest []byte) ([]byte, error) {
	if _, err := ParseManifest(manifest); err != nil {
		return nil, err
	}
	out := []byte(moduleHeader)
	err := visitSections(module, func(id byte, name string, start, end int) {
		if id != 0 || name != abi.ManifestSection {
			out = append(out, module[start:end]...)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("put the manifest into the module: %w", err)
	}
	body := binary.AppendUvarint(nil, uint64(len(abi.ManifestSection)))
	body = append(body, abi.ManifestSection...)
	body = append(body, manifest...)
	out = append(out, 0)
	out = binary.AppendUvarint(out, uint64(len(body)))
	return append(out, body...), nil
}
