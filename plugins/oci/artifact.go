package oci

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2"
	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/errdef"

	"github.com/headgate-dev/headgate/plugins"
)

// Types of the artifact and of its files.
const (
	ArtifactType  = "application/vnd.headgate.plugin.v1"
	typeModule    = "application/wasm"
	typeManifest  = "application/vnd.headgate.plugin.manifest.v1+yaml"
	typeSignature = "application/vnd.headgate.plugin.signature.v1"
)

// Bounds of what is pulled, in bytes.
const (
	maxManifest  = 64 << 10
	maxModule    = 8 << 20
	maxBeside    = 64 << 10
	maxSignature = 4 << 10
)

// File is one file of a plugin.
type File struct {
	Name string
	Body []byte
}

// classifyFile returns the type of a plugin's file by its name, and the most bytes that it may have.
func classifyFile(module, name string) (typ string, most int64) {
	switch name {
	case module:
		return typeModule, maxModule
	case plugins.FormatManifestName(module):
		return typeManifest, maxBeside
	case plugins.FormatSignatureName(module), plugins.FormatSignatureName(plugins.FormatManifestName(module)):
		return typeSignature, maxSignature
	}
	return "", 0
}

// Push stores a plugin's files, of which the first is the module, and returns the reference that names them by digest. The same files have
// the same digest each time.
func Push(ctx context.Context, to Reference, o Options, files []File) (Reference, error) {
	repo, err := openRepository(to, o)
	if err != nil {
		return Reference{}, err
	}
	if len(files) == 0 || !strings.HasSuffix(files[0].Name, ".wasm") {
		return Reference{}, errors.New("no module to push")
	}
	pack := oras.PackManifestOptions{ManifestAnnotations: map[string]string{ocispec.AnnotationCreated: "1970-01-01T00:00:00Z"}}
	for _, f := range files {
		typ, most := classifyFile(files[0].Name, f.Name)
		if typ == "" || int64(len(f.Body)) > most {
			return Reference{}, fmt.Errorf("%s: it does not belong to the plugin, or is larger than %d bytes", f.Name, most)
		}
		layer := content.NewDescriptorFromBytes(typ, f.Body)
		layer.Annotations = map[string]string{ocispec.AnnotationTitle: f.Name}
		if err := repo.Push(ctx, layer, bytes.NewReader(f.Body)); err != nil && !errors.Is(err, errdef.ErrAlreadyExists) {
			return Reference{}, fmt.Errorf("push %s: %w", f.Name, remoteError{err})
		}
		pack.Layers = append(pack.Layers, layer)
	}
	made, err := oras.PackManifest(ctx, repo, oras.PackManifestVersion1_1, ArtifactType, pack)
	if err != nil {
		return Reference{}, fmt.Errorf("push the manifest: %w", remoteError{err})
	}
	if tag := to.ref.Reference; tag != "" && to.CheckPinned() != nil {
		if err := repo.Tag(ctx, made, tag); err != nil {
			return Reference{}, fmt.Errorf("tag the artifact: %w", remoteError{err})
		}
	}
	to.ref.Reference = made.Digest.String()
	return to, nil
}

// Pull returns the files of a plugin, the module first, from the store if it has them, else from the registry. Their digests and sizes are
// those that the manifest names, and the manifest's digest is that of the reference.
func Pull(ctx context.Context, from Reference, o Options) ([]File, error) {
	if err := from.CheckPinned(); err != nil {
		return nil, err
	}
	repo, err := openRepository(from, o)
	if err != nil {
		return nil, err
	}
	if err := checkCosign(ctx, repo, from, o); err != nil {
		return nil, err
	}
	if files, err := readStored(o.Store, from); err == nil {
		return files, nil
	}
	at, err := repo.Resolve(ctx, from.ref.Reference)
	if err != nil {
		return nil, fmt.Errorf("find the artifact: %w", remoteError{err})
	}
	switch {
	case at.Digest.String() != from.ref.Reference:
		return nil, errors.New("the registry answers with another digest")
	case at.MediaType != ocispec.MediaTypeImageManifest:
		return nil, fmt.Errorf("the artifact has the media type %q and is not a plugin", clipText(at.MediaType))
	case at.Size > maxManifest:
		return nil, fmt.Errorf("the manifest has %d bytes, at most %d are allowed", at.Size, maxManifest)
	}
	text, err := content.FetchAll(ctx, repo.Manifests(), at)
	if err != nil {
		return nil, fmt.Errorf("read the manifest: %w", remoteError{err})
	}
	layers, err := readLayers(text)
	if err != nil {
		return nil, err
	}
	files := make([]File, 0, len(layers))
	for _, layer := range layers {
		body, err := content.FetchAll(ctx, repo.Blobs(), layer) // checks size and digest
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", layer.Annotations[ocispec.AnnotationTitle], remoteError{err})
		}
		files = append(files, File{layer.Annotations[ocispec.AnnotationTitle], body})
	}
	return files, writeStored(o.Store, from, text, files)
}

// readLayers returns the files that a manifest names, the module first, after checking names, types and sizes.
func readLayers(text []byte) ([]ocispec.Descriptor, error) {
	var m ocispec.Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, errors.New("the manifest is not an image manifest in JSON")
	}
	if m.ArtifactType != ArtifactType {
		return nil, fmt.Errorf("the artifact has the type %q, not %s", clipText(m.ArtifactType), ArtifactType)
	}
	return m.Layers, checkLayers(m.Layers)
}

// checkLayers checks names, types and sizes before anything is read.
func checkLayers(layers []ocispec.Descriptor) error {
	if len(layers) == 0 || len(layers) > 4 {
		return fmt.Errorf("the artifact holds %d files; a plugin has a module, and perhaps a manifest and signatures", len(layers))
	}
	module, seen := layers[0].Annotations[ocispec.AnnotationTitle], map[string]bool{}
	if !strings.HasSuffix(module, ".wasm") || !plugins.IsFileName(module) {
		return errors.New("the first file of the artifact is not a module with a plain name")
	}
	for _, l := range layers {
		name := l.Annotations[ocispec.AnnotationTitle]
		typ, most := classifyFile(module, name)
		switch {
		case typ == "" || seen[name]:
			return fmt.Errorf("the artifact contains %q, which does not belong to %s or is listed twice", clipText(name), module)
		case l.MediaType != typ:
			return fmt.Errorf("%s has the media type %q; write %s", name, clipText(l.MediaType), typ)
		case l.Size < 1 || l.Size > most:
			return fmt.Errorf("%s has %d bytes; 1 to %d are allowed", name, l.Size, most)
		}
		seen[name] = true
	}
	return nil
}

// clipText shortens text of a registry for an error.
func clipText(s string) string {
	s = cleanText(s)
	return s[:min(len(s), 80)]
}

// cleanText replaces what a terminal might obey.
func cleanText(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, s)
}

// remoteError is an error whose text may come from a registry.
type remoteError struct{ error }

func (e remoteError) Error() string { return cleanText(e.error.Error()) }

// Unwrap returns the error as it is.
func (e remoteError) Unwrap() error { return e.error }
