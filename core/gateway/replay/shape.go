package replay

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect"
	"github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/records/capture"
)

// FindShape returns the dialect of a record's bodies, or nil if it is unknown. A derived dialect counts as its base
// dialect. The dialect of an MCP message is for this record alone.
func FindShape(r *capture.Record) core.Dialect {
	if r.Dialect == mcp.DialectName {
		return new(mcp.Stored)
	}
	if d := dialect.FindClient(r.Dialect); d != nil {
		return d
	}
	return dialect.FindClient(r.Like)
}
