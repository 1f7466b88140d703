package core

import (
	"errors"
	"io/fs"
	"os"
)

// RemovePath returns the cause of a file system error without the path: logs, the status page and clients must not
// reveal paths of the machine. It returns other errors unchanged.
func RemovePath(err error) error {
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
