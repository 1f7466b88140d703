package fleet

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/headgate-dev/headgate/core/records/store"
)

// Site is what a node needs in addition to records. It is small and part of every bundle.
type Site struct {
	// Config is the control plane's part of the configuration in YAML.
	Config []byte `json:"config"`
	// Master is the key that seals the secrets in records.
	Master []byte `json:"master"`
	// Files lists the plugins folder.
	Files []File `json:"files,omitempty"`
}

// File is a file that nodes fetch by its digest.
type File struct {
	Name   string `json:"name"`
	Digest string `json:"digest"` // SHA-256, hexadecimal
	Size   int64  `json:"size"`
}

// Bundle is a full configuration, or the changes since a version.
type Bundle struct {
	Head
	Site
	// Full means that records outside the bundle have been deleted.
	Full bool
	// Records returns the records one by one, then io.EOF.
	Records func() (store.Row, error)
}

// The body of a bundle is gzip over lines of JSON: one bundleLine, then the rows.
type bundleLine struct {
	Full bool `json:"full"`
	Site
}

// Maximum sizes of a bundle in bytes: as sent, and decompressed.
const (
	maxSealed   = 256 << 20
	maxUnpacked = 4 << 30
)

// packer writes a bundle.
type packer struct {
	out bytes.Buffer
	zip *gzip.Writer
	enc *json.Encoder
}

func newPacker() (*packer, error) {
	p := new(packer)
	var err error
	if p.zip, err = gzip.NewWriterLevel(&p.out, gzip.BestSpeed); err != nil {
		return nil, err
	}
	p.enc = json.NewEncoder(p.zip)
	p.enc.SetEscapeHTML(false)
	return p, nil
}

// begin writes the first line, and row each of the others.
func (p *packer) begin(full bool, site Site) error { return p.enc.Encode(bundleLine{full, site}) }
func (p *packer) packRow(r *store.Row) error       { return p.enc.Encode(r) }

func (p *packer) end() ([]byte, error) {
	if err := p.zip.Close(); err != nil {
		return nil, err
	}
	return p.out.Bytes(), nil
}

// unpackBundle opens the body of a bundle. Rows are read on demand.
func unpackBundle(h Head, body []byte) (*Bundle, error) {
	zip, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("read bundle: %w", err)
	}
	dec := json.NewDecoder(io.LimitReader(zip, maxUnpacked))
	dec.UseNumber()
	var first bundleLine
	if err := dec.Decode(&first); err != nil {
		return nil, fmt.Errorf("read bundle: %w", err)
	}
	return &Bundle{Head: h, Site: first.Site, Full: first.Full, Records: func() (store.Row, error) {
		var r store.Row
		err := dec.Decode(&r)
		if errors.Is(err, io.EOF) {
			return r, io.EOF
		}
		if err != nil {
			return r, fmt.Errorf("read bundle: %w", err)
		}
		return r, nil
	}}, nil
}
