// Package pathless takes paths out of errors of the file system: what is logged, shown in
// a status or told to a client does not say where files of the machine lie.
package pathless

import (
	"errors"
	"io/fs"
	"os"
)

// Err gives what is wrong without the path that it is wrong with. An error of another kind
// is given as it is.
func Err(err error) error {
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
