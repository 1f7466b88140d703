package capture

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/headgate-dev/headgate/core"
)

// Query selects records. Zero times leave the interval open.
type Query struct {
	From, To time.Time // From is inclusive, To exclusive
	Tenant   string    // "" selects all tenants
}

// Unreadable is a segment that could not be read to its end.
type Unreadable struct {
	Segment string
	Records int // records read before the fault
	Reason  error
}

func (u Unreadable) String() string {
	return fmt.Sprintf("%s: after %d records: %v", u.Segment, u.Records, u.Reason)
}

var (
	errForeign = errors.New("not a capture of this version")
	errSealed  = errors.New("a record cannot be decrypted: it was written with another master password, or was changed")
	errCut     = errors.New("the last record is not whole, as after a crash")
)

// longest is the longest exchange that Read still returns in order. A segment's hour is that of the write, but Read
// orders exchanges by the time of receipt.
const longest = time.Hour

// Read calls each with the records of a folder, ordered by time and then id. It buffers about two hours of them.
// Segments that cannot be read are listed in unreadable and do not stop it; an error of each does.
func Read(dir string, key []byte, q Query, each func(*Record) error) (unreadable []Unreadable, err error) {
	files, err := listSegments(dir)
	if err != nil {
		return nil, err
	}
	var held []Record
	give := func(until time.Time) error {
		slices.SortFunc(held, func(a, b Record) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
		n := 0
		for ; n < len(held) && (until.IsZero() || held[n].At.Before(until)); n++ {
			if r := &held[n]; q.matches(r) {
				if err := each(r); err != nil {
					return err
				}
			}
		}
		held = slices.Delete(held, 0, n)
		return nil
	}
	for _, f := range files {
		if !q.To.IsZero() && !f.hour.Before(q.To.Add(longest)) || !q.From.IsZero() && !f.hour.Add(time.Hour).After(q.From) {
			continue
		}
		if err := give(f.hour.Add(-longest)); err != nil {
			return unreadable, err
		}
		got, bad, err := readSegment(dir, f.name, key)
		if err != nil {
			return unreadable, err
		}
		if bad != nil {
			unreadable = append(unreadable, Unreadable{f.name, len(got), bad})
		}
		held = append(held, got...)
	}
	return unreadable, give(time.Time{})
}

func (q *Query) matches(r *Record) bool {
	return (q.From.IsZero() || !r.At.Before(q.From)) && (q.To.IsZero() || r.At.Before(q.To)) &&
		(q.Tenant == "" || r.Principal.Tenant == q.Tenant)
}

// readSegment reads the records of one segment. bad says why it was not read to its end.
func readSegment(dir, name string, key []byte) (out []Record, bad, err error) {
	aead, err := newSealer(key)
	if err != nil {
		return nil, nil, err
	}
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		return nil, core.RemovePath(err), nil
	}
	defer func() { _ = f.Close() }() // read-only: a close error loses nothing
	in := bufio.NewReaderSize(f, 256<<10)
	head := make([]byte, len(firstLine))
	if _, err := io.ReadFull(in, head); err != nil || string(head) != firstLine {
		return nil, errForeign, nil
	}
	for number := uint64(0); ; number++ {
		var size [4]byte
		if _, err := io.ReadFull(in, size[:]); errors.Is(err, io.EOF) {
			return out, nil, nil
		} else if err != nil {
			return out, errCut, nil
		}
		n := binary.BigEndian.Uint32(size[:])
		if n < nonceSize || n > maxRecord {
			return out, errSealed, nil
		}
		sealed := make([]byte, n)
		if _, err := io.ReadFull(in, sealed); err != nil {
			return out, errCut, nil
		}
		doc, err := aead.Open(nil, sealed[:nonceSize], sealed[nonceSize:], encodeBinding(name, number))
		if err != nil {
			return out, errSealed, nil
		}
		var r Record
		if err := json.Unmarshal(doc, &r); err != nil {
			return out, errForeign, nil
		}
		out = append(out, r)
	}
}
