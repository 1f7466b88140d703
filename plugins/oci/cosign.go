package oci

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"strings"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry/remote"
)

// What cosign writes when it signs with a key: a manifest whose layers are payloads, each with a signature in an annotation.
const (
	typePayload         = "application/vnd.dev.cosign.simplesigning.v1+json"
	typeReferrer        = "application/vnd.dev.cosign.artifact.sig.v1+json"
	annotationSignature = "dev.cosignproject.cosign/signature"
	payloadType         = "cosign container image signature"
)

// Bounds of signatures. Others of the same artifact are not read.
const (
	maxSignatures = 16
	maxPayload    = 16 << 10
)

// ErrUnsigned means that an artifact has no signature by one of the keys.
var ErrUnsigned = errors.New("no cosign signature of the artifact is by a key of plugins.cosign_keys; sign it with: cosign sign --key KEY REFERENCE")

// CosignKey is a public key: ECDSA on P-256, as cosign makes it.
type CosignKey struct{ key *ecdsa.PublicKey }

// ParseCosignKey parses a public key in PEM, the content of cosign.pub.
func ParseCosignKey(text string) (CosignKey, error) {
	block, rest := pem.Decode([]byte(strings.TrimSpace(text)))
	if block == nil || block.Type != "PUBLIC KEY" || len(bytes.TrimSpace(rest)) > 0 {
		return CosignKey{}, errors.New("not one public key in PEM, as in cosign.pub")
	}
	parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return CosignKey{}, errors.New("the public key cannot be read")
	}
	key, ok := parsed.(*ecdsa.PublicKey)
	if !ok || key.Curve != elliptic.P256() {
		return CosignKey{}, errors.New("the public key is not ECDSA on P-256, which cosign generate-key-pair makes")
	}
	return CosignKey{key}, nil
}

// signed is a payload with its signature.
type signed struct {
	Payload   []byte `json:"payload"`
	Signature []byte `json:"signature"`
}

// verifySigned reports whether one of the signatures is by one of the keys, of the artifact with a digest.
func verifySigned(all []signed, keys []CosignKey, digest string) bool {
	for _, s := range all {
		if readSignedDigest(s.Payload) != digest {
			continue
		}
		sum := sha256.Sum256(s.Payload)
		for _, k := range keys {
			if ecdsa.VerifyASN1(k.key, sum[:], s.Signature) {
				return true
			}
		}
	}
	return false
}

// readSignedDigest returns the digest that a payload is about, or "".
func readSignedDigest(payload []byte) string {
	var p struct {
		Critical struct {
			Image struct {
				Digest string `json:"docker-manifest-digest"`
			} `json:"image"`
			Type string `json:"type"`
		} `json:"critical"`
	}
	if json.Unmarshal(payload, &p) != nil || p.Critical.Type != payloadType {
		return ""
	}
	return p.Critical.Image.Digest
}

// checkCosign returns an error unless a signature of an artifact is by one of the keys. It asks the registry only if the stored signatures
// do not suffice, and keeps those that do.
func checkCosign(ctx context.Context, repo *remote.Repository, from Reference, o Options) error {
	if len(o.CosignKeys) == 0 || VerifyStored(from, o) {
		return nil
	}
	all, err := fetchSigned(ctx, repo, from)
	if err != nil {
		return fmt.Errorf("read the cosign signatures: %w", remoteError{err})
	}
	if !verifySigned(all, o.CosignKeys, from.ref.Reference) {
		return ErrUnsigned
	}
	return writeSigned(o.Store, from, all)
}

// fetchSigned returns the signatures of an artifact that its registry has: those under cosign's tag, and those that refer to it.
func fetchSigned(ctx context.Context, repo *remote.Repository, from Reference) (all []signed, err error) {
	digest := from.ref.Reference
	tag := strings.Replace(digest, ":", "-", 1) + ".sig"
	at, err := repo.Resolve(ctx, tag)
	switch {
	case err == nil:
		if all, err = fetchPayloads(ctx, repo, at, all); err != nil {
			return nil, err
		}
	case !errors.Is(err, errdef.ErrNotFound):
		return nil, err
	}
	subject, err := repo.Resolve(ctx, digest)
	if err != nil {
		return nil, err
	}
	err = repo.Referrers(ctx, subject, typeReferrer, func(list []ocispec.Descriptor) error {
		for _, d := range list {
			if len(all) == maxSignatures {
				return nil
			}
			if all, err = fetchPayloads(ctx, repo, d, all); err != nil {
				return err
			}
		}
		return nil
	})
	if errors.Is(err, errdef.ErrNotFound) {
		err = nil
	}
	return all, err
}

// fetchPayloads appends the signatures of one manifest.
func fetchPayloads(ctx context.Context, repo *remote.Repository, at ocispec.Descriptor, all []signed) ([]signed, error) {
	if at.MediaType != ocispec.MediaTypeImageManifest || at.Size > maxManifest {
		return all, nil
	}
	text, err := content.FetchAll(ctx, repo.Manifests(), at)
	if err != nil {
		return nil, err
	}
	var m ocispec.Manifest
	if json.Unmarshal(text, &m) != nil {
		return all, nil
	}
	for _, layer := range m.Layers {
		signature, err := base64.StdEncoding.DecodeString(layer.Annotations[annotationSignature])
		if len(all) == maxSignatures || layer.MediaType != typePayload || err != nil || layer.Size > maxPayload {
			continue
		}
		r, err := repo.Blobs().Fetch(ctx, layer)
		if err != nil {
			return nil, err
		}
		payload, err := content.ReadAll(io.LimitReader(r, maxPayload), layer) // checks size and digest
		_ = r.Close()                                                         // only read
		if err != nil {
			return nil, err
		}
		all = append(all, signed{payload, signature})
	}
	return all, nil
}
