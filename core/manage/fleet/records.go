package fleet

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"

	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
	"github.com/headgate-dev/headgate/core/records/store"
)

// Records are the records of a node that the control plane has not stored yet. A repeated batch is stored once, because each
// part names the number that it follows.
type Records struct {
	Usage  Part[store.UsageRecord]     `json:"usage"`
	Shadow Part[policydoc.ShadowEvent] `json:"shadow"`
	Audit  *store.AuditRun             `json:"audit,omitempty"`
	// Asked contains pending requests for approval.
	Asked []store.Approval `json:"asked,omitempty"`
}

// Part contains records of one kind in the order of their numbers: those after From up to Upto.
type Part[T any] struct {
	From    int64 `json:"from"`
	Upto    int64 `json:"upto"`
	Records []T   `json:"records,omitempty"`
}

// Stored contains the last stored number of each kind of a node's records.
type Stored struct {
	Usage  int64 `json:"usage"`
	Shadow int64 `json:"shadow"`
	Audit  int64 `json:"audit"`
}

func (r *Records) pack() ([]byte, error) {
	var out bytes.Buffer
	zip, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	if err := json.NewEncoder(zip).Encode(r); err != nil {
		return nil, err
	}
	err = zip.Close()
	return out.Bytes(), err
}

func readRecords(b []byte) (*Records, error) {
	zip, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	var r Records
	if err := json.NewDecoder(io.LimitReader(zip, 8*maxRecords)).Decode(&r); err != nil {
		return nil, err
	}
	return &r, nil
}
