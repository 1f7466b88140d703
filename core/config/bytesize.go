package config

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// ByteSize is a size in bytes. In the file it has a unit: 512KiB, 32MiB, 1GiB, or the decimal kB, MB, GB. A bare number
// counts bytes.
type ByteSize int64

// The binary units.
const (
	KiB ByteSize = 1 << (10 * (iota + 1))
	MiB
	GiB
)

// units are tried in this order, so that KiB is not read as B.
var units = []struct {
	name string
	size ByteSize
}{
	{"KiB", KiB},
	{"MiB", MiB},
	{"GiB", GiB},
	{"kB", 1e3},
	{"KB", 1e3},
	{"MB", 1e6},
	{"GB", 1e9},
	{"B", 1},
}

var errSize = errors.New("not a size")

// ParseByteSize reads a whole number with an optional unit.
func ParseByteSize(text string) (ByteSize, error) {
	number, unit := strings.TrimSpace(text), ByteSize(1)
	for _, u := range units {
		if before, ok := strings.CutSuffix(number, u.name); ok {
			number, unit = strings.TrimSpace(before), u.size
			break
		}
	}
	n, err := strconv.ParseUint(number, 10, 63)
	if err != nil || n > math.MaxInt64/uint64(unit) {
		return 0, errSize
	}
	return ByteSize(n) * unit, nil
}

// String returns the size in the largest exact binary unit.
func (s ByteSize) String() string {
	for _, u := range []struct {
		name string
		size ByteSize
	}{{"GiB", GiB}, {"MiB", MiB}, {"KiB", KiB}} {
		if s != 0 && s%u.size == 0 {
			return strconv.FormatInt(int64(s/u.size), 10) + u.name
		}
	}
	return strconv.FormatInt(int64(s), 10) + "B"
}
