package plugins

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// LockFile is the file in the plugins folder that lists the digests that may run, in the format of sha256sum: "<hex>
// <file>". sha256sum -c can check it.
const LockFile = "plugins.lock"

const maxLock = 1 << 20

// lockMark begins the first line, which names the format of the file. A file without it has format 1.
const (
	lockMark   = "# headgate plugins.lock "
	lockFormat = "1"
)

// Lock is the content of a plugins.lock. Several digests of one file may run, so that a new version can be listed
// before it replaces the old one.
type Lock struct{ pins []pin }

type pin struct {
	file, digest string
	note         string // a comment, such as the module's name and version
}

// ParseLock parses a plugins.lock. Lines that start with # are comments; the one directly above an entry is kept as its
// note.
func ParseLock(text []byte) (*Lock, error) {
	l := new(Lock)
	note := ""
	lines := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if format, ok := strings.CutPrefix(line, lockMark); ok && n == 1 { // elsewhere it is a note, which a module's author may have written
			if format != lockFormat {
				return nil, fmt.Errorf(
					"%s, line %d: it is of format %q, this gateway reads format %s; create it again with this version's headgate plugin lock",
					LockFile,
					n,
					truncateText(format, 20),
					lockFormat,
				)
			}
			continue
		}
		if line == "" {
			note = ""
			continue
		}
		if line[0] == '#' {
			note = strings.TrimSpace(line[1:])
			continue
		}
		digest, file, ok := strings.Cut(line, " ")
		file = strings.TrimPrefix(strings.TrimLeft(file, " "), "*")
		if raw, err := hex.DecodeString(digest); !ok || err != nil || len(raw) != 32 || file == "" {
			return nil, fmt.Errorf(
				"%s, line %d: write <sha256 in hex>, two blanks, and the file; or create it again: headgate plugin lock",
				LockFile,
				n,
			)
		}
		if !isPlainFile(file) {
			return nil, fmt.Errorf("%s, line %d: %q is not the name of a file in this folder", LockFile, n, truncateText(file, 60))
		}
		if digest = strings.ToLower(digest); l.Has(file, digest) {
			return nil, fmt.Errorf("%s, line %d: the same digest of %s is listed twice; remove one line", LockFile, n, file)
		}
		l.pins, note = append(l.pins, pin{file, digest, note}), ""
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, fmt.Errorf("%s: it has a line that is too long to be an entry", LockFile)
	} else if err != nil {
		return nil, fmt.Errorf("%s: %w", LockFile, err)
	}
	return l, nil
}

// isPlainFile reports whether the name is that of a file in the folder itself, and can be written in a line of a file and
// in a metric.
func isPlainFile(name string) bool {
	return name != "" && name[0] != '.' && !strings.ContainsAny(name, "/\\") && name == strings.TrimSpace(name) &&
		strings.IndexFunc(name, unicode.IsControl) < 0 && utf8.ValidString(name)
}

// ListDigests returns those that are listed for a file.
func (l *Lock) ListDigests(file string) (out []string) {
	for _, p := range l.pins {
		if p.file == file {
			out = append(out, p.digest)
		}
	}
	return out
}

// Has reports whether the file may run with this digest.
func (l *Lock) Has(file, digest string) bool {
	return slices.ContainsFunc(l.pins, func(p pin) bool { return p.file == file && p.digest == digest })
}

// Files returns the listed files, each once, sorted.
func (l *Lock) Files() (out []string) {
	for _, p := range l.pins {
		out = append(out, p.file)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Pin lists a digest. Unless keep is set, it replaces all other digests of the file. note is written above the entry
// and may be empty.
func (l *Lock) Pin(file, digest, note string, keep bool) {
	l.pins = slices.DeleteFunc(l.pins, func(p pin) bool { return p.file == file && (!keep || p.digest == digest) })
	l.pins = append(l.pins, pin{file, digest, note})
}

// Unpin removes a file.
func (l *Lock) Unpin(file string) {
	l.pins = slices.DeleteFunc(l.pins, func(p pin) bool { return p.file == file })
}

// Format returns the lock file, sorted by name. The newest entry of a file comes last.
func (l *Lock) Format() []byte {
	pins := slices.Clone(l.pins)
	slices.SortStableFunc(pins, func(a, b pin) int { return strings.Compare(a.file, b.file) })
	b := []byte(lockMark + lockFormat + "\n")
	for _, p := range pins {
		b = append(b, '\n')
		if p.note != "" {
			b = append(b, "# "+p.note+"\n"...)
		}
		b = append(b, p.digest+"  "+p.file+"\n"...)
	}
	return b
}
