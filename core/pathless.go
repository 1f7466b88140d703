package core

import (
	"errors"
	"io/fs"
	"os"
)

// WithoutPath returns what is wrong in an error of the file system, without the path:
// logs, the status page and clients must not learn where files of the machine lie. An
// error of another kind is returned as it is.
func WithoutPath(err error) error {
	var p *fs.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p):
		return p.Err
	case errors.As(err, &l):
		return l.Err
	}
	return err
}
