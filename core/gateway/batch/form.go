package batch

import (
	"context"
	"errors"
	"io"
	"mime/multipart"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core"
)

// Limits of an upload form.
const (
	maxParts = 16
	maxField = 256
	maxName  = 255
)

// form holds the fields of an upload besides the file.
type form struct {
	purpose, name, anchor string
	seconds               int64
	file                  bool
}

// read reads the parts of the form in order.
func (f *form) read(ctx context.Context, parts *multipart.Reader, in *intake) *core.Error {
	for range maxParts {
		p, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return mapReadError(err)
		}
		if e := f.readPart(ctx, p, in); e != nil {
			return e
		}
	}
	return newInvalidError("", "the form has too many fields")
}

func (f *form) readPart(ctx context.Context, p *multipart.Part, in *intake) *core.Error {
	name := p.FormName()
	if name == "file" {
		if f.file {
			return newInvalidError("file", "upload one file at a time")
		}
		f.file, f.name = true, cleanName(p.FileName())
		return in.read(ctx, p)
	}
	b, err := io.ReadAll(io.LimitReader(p, maxField+1))
	if err != nil {
		return mapReadError(err)
	}
	value := string(b)
	if len(b) > maxField {
		return newInvalidError(truncateName(name), "the field "+strconv.Quote(truncateName(name))+" is too long")
	}
	switch name {
	case "purpose":
		f.purpose = value
	case "expires_after[anchor]":
		f.anchor = value
	case "expires_after[seconds]":
		if f.seconds, err = strconv.ParseInt(value, 10, 64); err != nil || f.seconds < minExpiry || f.seconds > maxExpiry {
			return newExpiryError("expires_after[seconds]")
		}
	default:
		return &core.Error{
			Kind: core.InvalidRequest, Code: core.CodeUnsupported, Param: truncateName(name),
			Public: "the field " + strconv.Quote(truncateName(name)) + " is unknown; remove it",
		}
	}
	return nil
}

func (f *form) check() *core.Error {
	switch {
	case !f.file:
		return newMissingError("file")
	case f.purpose == "":
		return newMissingError("purpose")
	case f.purpose != purposeBatch:
		return &core.Error{
			Kind: core.InvalidRequest, Code: core.CodeUnsupported, Param: "purpose",
			Public: `files are taken for batches only; "purpose" must be "batch"`,
		}
	case (f.anchor != "") != (f.seconds != 0) || f.anchor != "" && f.anchor != anchorCreated:
		return newExpiryError("expires_after")
	}
	return nil
}

// cleanName returns the printable part of a client's file name.
func cleanName(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, s)
	for len(s) > maxName {
		_, n := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-n]
	}
	return s
}
