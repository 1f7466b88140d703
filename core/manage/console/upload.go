package console

import (
	"errors"
	"io"
	"mime/multipart"
	"net/http"

	"github.com/headgate-dev/headgate/core"
)

// inMemory is how much of an uploaded form is kept in memory while it is read; the rest waits in temporary files.
const inMemory = 1 << 20

// files reads a form with files. Call the function that it gives when the files have been read.
func (r *request) files(most int64) (*Form, func(), error) {
	err := r.Request.ParseMultipartForm(inMemory)
	clean := func() {
		if m := r.Request.MultipartForm; m != nil {
			_ = m.RemoveAll() // the system's folder for temporary files is cleaned by others too
		}
	}
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, clean, &core.Error{Kind: core.TooLarge, Code: core.CodeTooLarge, Public: "The upload is too large: it may have " + size(most) + " in all."}
	case err != nil:
		return nil, clean, &core.Error{Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Public: "The form cannot be read. Open the page again and send it once more.", Err: err}
	}
	f := &Form{Values: r.Request.PostForm}
	for name := range r.Request.MultipartForm.File {
		f.Values[name] = nil // so that what is wrong with it stands beside it
	}
	return f, clean, nil
}

// uploaded reads an uploaded file; nil: none was chosen.
func (r *request) uploaded(name string) (body []byte, called string, err error) {
	all := r.Request.MultipartForm.File[name]
	if len(all) == 0 || all[0].Size == 0 && all[0].Filename == "" {
		return nil, "", nil
	}
	return readUpload(all[0])
}

func readUpload(h *multipart.FileHeader) ([]byte, string, error) {
	from, err := h.Open()
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = from.Close() }() // it was only read
	body, err := io.ReadAll(from)
	return body, h.Filename, err
}
