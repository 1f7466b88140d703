package batch

import (
	"bufio"
	"errors"
	"os"

	"github.com/headgate-dev/headgate/core/gateway/batch/backend"
)

// spool is a private temporary file that buffers an upload, with room in front for the backend.
type spool struct {
	f    *os.File
	w    *bufio.Writer
	size int64
}

func newSpool(dir string) (*spool, error) {
	f, err := os.CreateTemp(dir, "headgate-batch-*")
	if err != nil {
		return nil, err
	}
	s := &spool{f: f, w: bufio.NewWriterSize(f, 256<<10)}
	_ = os.Remove(f.Name()) // where an open file cannot be removed, close removes it
	if _, err := f.Seek(backend.Room, 0); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *spool) Write(b []byte) (int, error) {
	n, err := s.w.Write(b)
	s.size += int64(n)
	return n, err
}

// buildUpload returns what was written.
func (s *spool) buildUpload() (*backend.Upload, error) {
	err := s.w.Flush()
	return &backend.Upload{File: s.f, Start: backend.Room, End: backend.Room + s.size}, err
}

func (s *spool) close() error {
	err := s.f.Close()
	if _, gone := os.Lstat(s.f.Name()); gone == nil {
		err = errors.Join(err, os.Remove(s.f.Name()))
	}
	return err
}
