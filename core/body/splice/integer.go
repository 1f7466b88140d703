package splice

import (
	"strconv"

	"github.com/headgate-dev/headgate/core/body/zerocopy"
)

// ParseInteger reads a JSON number that is an integer, however it is spelled: 10, 1e1
// and 10.0 are the same. One that is not written in digits alone must be below
// 2^53, up to which every integer has its own floating point number.
func ParseInteger(raw []byte) (int64, bool) {
	text := zerocopy.String(raw) // it is not kept
	if v, err := strconv.ParseInt(text, 10, 64); err == nil {
		return v, true
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f >= 1<<53 || f <= -1<<53 || f != float64(int64(f)) {
		return 0, false
	}
	return int64(f), true
}
