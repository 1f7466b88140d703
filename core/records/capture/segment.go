package capture

import (
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core"
)

const (
	firstLine = "headgate capture 1\n"
	prefix    = "capture-"
	suffix    = ".hgc"
	hour      = "20060102T15Z"
	nonceSize = 12
	// maxRecord is the maximum size of a sealed record: two bodies in Base64 and the other fields.
	maxRecord = 16 << 20
)

// segments writes the records of one process.
type segments struct {
	o     Options
	seal  cipher.AEAD
	own   string // random name of this process, part of its segments' names
	file  *os.File
	name  string
	count uint64
}

func openSegments(o Options) (*segments, error) {
	aead, err := newSealer(o.Key)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("open the capture: create its folder: %w", core.RemovePath(err))
	}
	own := make([]byte, 4)
	_, _ = rand.Read(own) // rand.Read never fails
	return &segments{o: o, seal: aead, own: hex.EncodeToString(own)}, nil
}

// append writes a record. It reaches the disk when the operating system flushes it.
func (s *segments) append(r *Record, now time.Time) error {
	if err := s.rotateSegment(now); err != nil {
		return err
	}
	doc, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("write a captured exchange: %w", err)
	}
	b := make([]byte, 4+nonceSize, 4+nonceSize+len(doc)+s.seal.Overhead())
	_, _ = rand.Read(b[4:]) // rand.Read never fails
	b = s.seal.Seal(b, b[4:4+nonceSize], doc, encodeBinding(s.name, s.count))
	if len(b)-4 > maxRecord {
		return fmt.Errorf("write a captured exchange: it has more than %d MiB", maxRecord>>20)
	}
	binary.BigEndian.PutUint32(b, uint32(len(b)-4))
	if _, err := s.file.Write(b); err != nil {
		// A partial write ends the segment for readers, so close it and continue in another.
		return errors.Join(fmt.Errorf("write a captured exchange: %w", core.RemovePath(err)), s.close())
	}
	s.count++
	return nil
}

// rotateSegment opens the segment of an hour.
func (s *segments) rotateSegment(at time.Time) error {
	at = at.UTC()
	if s.file != nil && strings.HasPrefix(s.name, prefix+at.Format(hour)) {
		return nil
	}
	if err := s.close(); err != nil {
		return err
	}
	for k := 0; ; k++ {
		name := fmt.Sprintf("%s%s-%s%02d%s", prefix, at.Format(hour), s.own, k, suffix)
		f, err := os.OpenFile(filepath.Join(s.o.Dir, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		switch {
		case errors.Is(err, os.ErrExist) && k < 99:
			continue
		case err != nil:
			return fmt.Errorf("open a capture segment: %w", core.RemovePath(err))
		}
		s.file, s.name, s.count = f, name, 0
		if _, err := f.WriteString(firstLine); err != nil {
			return errors.Join(fmt.Errorf("open a capture segment: %w", core.RemovePath(err)), s.close())
		}
		return nil
	}
}

func (s *segments) close() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	s.file = nil
	if err != nil {
		return fmt.Errorf("close a capture segment: %w", core.RemovePath(err))
	}
	return nil
}

// tidy removes segments that are too old, and then the oldest until the rest fit.
func (s *segments) tidy(now time.Time) error {
	list, err := listSegments(s.o.Dir)
	if err != nil {
		return err
	}
	total := int64(0)
	for _, f := range slices.Backward(list) {
		total += f.size
		old := s.o.Keep > 0 && f.hour.Add(time.Hour).Before(now.Add(-s.o.Keep))
		if f.name == s.name && s.file != nil || !old && (s.o.MaxSize <= 0 || total <= s.o.MaxSize) {
			continue
		}
		if err := os.Remove(filepath.Join(s.o.Dir, f.name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("remove a capture segment: %w", core.RemovePath(err))
		}
	}
	return nil
}

// segmentFile is a segment as the directory lists it.
type segmentFile struct {
	name string
	hour time.Time
	size int64
}

var errNothing = errors.New(
	"nothing has been captured: the folder that capture.dir names is not there; write capture: {enabled: true} and restart the gateway",
)

// listSegments returns the segments of a folder, ordered by hour and name.
func listSegments(dir string) ([]segmentFile, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, errNothing
	}
	if err != nil {
		return nil, fmt.Errorf("read the capture: %w", core.RemovePath(err))
	}
	var out []segmentFile
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.Name(), prefix)
		if !ok || !strings.HasSuffix(rest, suffix) || len(rest) < len(hour) {
			continue
		}
		at, err := time.Parse(hour, rest[:len(hour)])
		if err != nil {
			continue
		}
		info, err := e.Info()
		if err != nil { // removed meanwhile
			continue
		}
		out = append(out, segmentFile{e.Name(), at, info.Size()})
	}
	slices.SortFunc(out, func(a, b segmentFile) int {
		if c := a.hour.Compare(b.hour); c != 0 {
			return c
		}
		return strings.Compare(a.name, b.name)
	})
	return out, nil
}
