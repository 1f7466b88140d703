package providers

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"slices"
	"strconv"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/batch/backend"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// Upload sends a file as a form. The form is written around the content in the temporary file, which is then mapped
// into memory, so that even a very large file needs no heap.
func (b *batchOpenAI) Upload(ctx context.Context, f *backend.Upload) (string, *core.Error) {
	boundary := makeBatchBoundary()
	head, tail := formatBatchForm(boundary, f)
	from, to := f.Start-int64(len(head)), f.End+int64(len(tail))
	if from < 0 {
		return "", core.ConvertError(nil)
	}
	if _, err := f.File.WriteAt(head, from); err != nil {
		return "", core.ConvertError(err)
	}
	if _, err := f.File.WriteAt(tail, f.End); err != nil {
		return "", core.ConvertError(err)
	}
	body, release, err := mapFile(f.File, from, to)
	if err != nil {
		return "", core.ConvertError(err)
	}
	defer release()
	res, e := b.call(ctx, &upstream.Request{
		Method: "POST", Body: body,
		Header: append(slices.Clip(b.Header), upstream.Field{Name: "Content-Type", Value: "multipart/form-data; boundary=" + boundary}),
	}, "files")
	if e != nil {
		return "", e
	}
	var a struct {
		ID string `json:"id"`
	}
	if e = b.read(ctx, res, &a); e != nil {
		return "", e
	}
	if !isBatchID(a.ID) {
		return "", b.newInvalidAnswerError(nil)
	}
	return a.ID, nil
}

// makeBatchBoundary returns a random boundary, which no content can contain on purpose.
func makeBatchBoundary() string {
	var b [24]byte
	_, _ = rand.Read(b[:]) // never fails
	return "headgate" + hex.EncodeToString(b[:])
}

// formatBatchForm returns the parts of the form before and after the content.
func formatBatchForm(boundary string, f *backend.Upload) (head, tail []byte) {
	field := func(name, value string) {
		head = append(head, "--"+boundary+"\r\nContent-Disposition: form-data; name=\""+name+"\"\r\n\r\n"+value+"\r\n"...)
	}
	field("purpose", "batch")
	if f.Expires > 0 {
		field("expires_after[anchor]", "created_at")
		field("expires_after[seconds]", strconv.FormatInt(int64(f.Expires/time.Second), 10))
	}
	head = append(head, "--"+boundary+"\r\nContent-Disposition: form-data; name=\"file\"; filename=\""+f.Name+
		"\"\r\nContent-Type: application/octet-stream\r\n\r\n"...)
	return head, []byte("\r\n--" + boundary + "--\r\n")
}
