// Package blocks counts work: how many basic blocks of code run, from the counters that `go build -cover
// -covermode=atomic` inserts. The count is the same on every machine, however busy it is.
package blocks

import (
	"bytes"
	"encoding/binary"
	"errors"
	"runtime/coverage"
)

// Count returns how many basic blocks run during f. The counters do not exist in test binaries.
func Count(f func()) (int, error) {
	var out bytes.Buffer
	if err := coverage.ClearCounters(); err != nil {
		return 0, err
	}
	f()
	if err := coverage.WriteCounters(&out); err != nil {
		return 0, err
	}
	return sumCounters(out.Bytes())
}

// Sizes of the parts of a counter file: see internal/coverage/defs.go of the standard library.
const (
	fileHeader    = 32
	segmentHeader = 16
	footer        = 16
	flavorAt      = 24
	flavorRaw     = 1
)

// sumCounters adds the counters of a file with one segment.
func sumCounters(b []byte) (n int, err error) {
	if len(b) < fileHeader+segmentHeader+footer || !bytes.HasPrefix(b, []byte("\x00cwm")) {
		return 0, errors.New("coverage counters: unknown form")
	}
	raw := b[flavorAt] == flavorRaw
	functions := binary.LittleEndian.Uint64(b[fileHeader:])
	at := fileHeader + segmentHeader + int(binary.LittleEndian.Uint32(b[fileHeader+8:])+binary.LittleEndian.Uint32(b[fileHeader+12:]))
	b, at = b[:len(b)-footer], (at+3)&^3
	next := func() uint64 {
		v, size := uint64(0), 4
		if len(b)-at < size && raw || at >= len(b) {
			err = errors.New("coverage counters: they end early")
			return 0
		}
		if raw {
			v = uint64(binary.LittleEndian.Uint32(b[at:]))
		} else {
			v, size = binary.Uvarint(b[at:])
		}
		at += size
		return v
	}
	for k := uint64(0); k < functions && err == nil; k++ {
		counters := next()
		next() // package
		next() // function
		for c := uint64(0); c < counters && err == nil; c++ {
			n += int(next())
		}
	}
	return n, err
}
