package console

import (
	"errors"
	"io"
	"mime/multipart"
	"net/http"

	"github.com/headgate-dev/headgate/core"
)

// maxFormMemory is how much of an upload is held in memory, in bytes. The rest goes to temporary files.
const maxFormMemory = 1 << 20

// parseFiles reads a form with files. The caller must call the returned function, which deletes the temporary files.
func (r *request) parseFiles(most int64) (*Form, func(), error) {
	err := r.Request.ParseMultipartForm(maxFormMemory)
	clean := func() {
		if m := r.Request.MultipartForm; m != nil {
			_ = m.RemoveAll() // the system cleans its temporary folder too
		}
	}
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, clean, &core.Error{Kind: core.TooLarge, Code: core.CodeTooLarge, Public: "The upload exceeds " + formatSize(most) + "."}
	case err != nil:
		return nil, clean, &core.Error{
			Kind: core.InvalidRequest, Code: core.CodeInvalidValue,
			Public: "The form cannot be parsed. Reload the page and send it again.", Err: err,
		}
	}
	f := &Form{Values: r.Request.PostForm}
	for name := range r.Request.MultipartForm.File {
		f.Values[name] = nil // so that its errors are shown beside it
	}
	return f, clean, nil
}

// readUploaded returns an uploaded file and its name, or nil if none was chosen.
func (r *request) readUploaded(name string) (body []byte, called string, err error) {
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
	defer func() { _ = from.Close() }() // opened for reading
	body, err := io.ReadAll(from)
	return body, h.Filename, err
}
