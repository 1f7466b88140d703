package replay

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect"
	"github.com/headgate-dev/headgate/core/records/capture"
)

// Shape returns the dialect of a record's bodies, or nil if it is unknown. A derived dialect counts as its base
// dialect.
func Shape(r *capture.Record) core.Dialect {
	if d := dialect.Client(r.Dialect); d != nil {
		return d
	}
	return dialect.Client(r.Like)
}
