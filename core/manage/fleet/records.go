package fleet

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"

	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
	"github.com/headgate-dev/headgate/core/records/store"
)

// Records are what a node hands over: what came in it after what the control plane has stored already. A batch that
// comes twice is stored once, as each part says behind what it follows.
type Records struct {
	Usage  Part[store.UsageRecord]     `json:"usage"`
	Shadow Part[policydoc.ShadowEvent] `json:"shadow"`
	Audit  *store.AuditRun             `json:"audit,omitempty"`
	// Asked are requests for approval that wait in the node.
	Asked []store.Approval `json:"asked,omitempty"`
}

// Part are records of one kind in the order of their numbers: those after From up to Upto.
type Part[T any] struct {
	From    int64 `json:"from"`
	Upto    int64 `json:"upto"`
	Records []T   `json:"records,omitempty"`
}

// Stored says up to which numbers the control plane has a node's records.
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
	if err := json.NewDecoder(io.LimitReader(zip, 8*mostRecords)).Decode(&r); err != nil {
		return nil, err
	}
	return &r, nil
}
