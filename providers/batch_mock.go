package providers

import (
	"bytes"
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/hex"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/batch/backend"
)

// Limits of what the mock keeps in memory. The specification names the first; the second applies if files are very
// large.
const (
	mockBatchKeeps = 256
	mockBatchBytes = 1 << 30
)

// mockBatchOutput is the result file of every batch.
//
//go:embed batch_mock.jsonl
var mockBatchOutput string

// mockBatch is the mock's batch service. It keeps the newest files in memory, and completes a batch at its first
// lookup.
type mockBatch struct {
	now func() time.Time

	mu      sync.Mutex
	files   map[string][]byte
	order   []string // of files, oldest first
	bytes   int64
	batches map[string]*backend.State
	jobs    []string // oldest first
}

var _ backend.Local = (*mockBatch)(nil)

// NewBatchMock returns the mock's batch service. It contains all state, so a process must use only one.
func NewBatchMock() backend.Local {
	return &mockBatch{now: time.Now, files: map[string][]byte{}, batches: map[string]*backend.State{}}
}

// newMockBatchID returns a random id.
func newMockBatchID(prefix string) string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return prefix + hex.EncodeToString(b[:])
}

// Results are not stored: they are the same for every batch.
const mockResult = "file-mock-output-"

func (m *mockBatch) Upload(_ context.Context, f *backend.Upload) (string, *core.Error) {
	b := make([]byte, f.End-f.Start)
	if _, err := f.File.ReadAt(b, f.Start); err != nil {
		return "", core.ConvertError(err)
	}
	id := newMockBatchID("file-mock-")
	m.mu.Lock()
	defer m.mu.Unlock()
	m.files[id], m.order, m.bytes = b, append(m.order, id), m.bytes+int64(len(b))
	for len(m.order) > mockBatchKeeps || m.bytes > mockBatchBytes && len(m.order) > 1 {
		m.dropFile(m.order[0])
	}
	return id, nil
}

// dropFile forgets a file. The caller holds mu.
func (m *mockBatch) dropFile(id string) {
	m.bytes -= int64(len(m.files[id]))
	delete(m.files, id)
	for i, known := range m.order {
		if known == id {
			m.order = append(m.order[:i], m.order[i+1:]...)
			return
		}
	}
}

// Holds reports whether a file or batch still exists.
func (m *mockBatch) Holds(id string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, file := m.files[id]
	_, batch := m.batches[id]
	return file || batch || m.isResult(id)
}

// isResult reports whether an id is that of a batch's results. The caller holds mu.
func (m *mockBatch) isResult(id string) bool {
	of, ok := strings.CutPrefix(id, mockResult)
	s := m.batches[of]
	return ok && s != nil && s.OutputFile == id
}

func (m *mockBatch) OpenContent(_ context.Context, id string) (io.ReadCloser, *core.Error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.isResult(id) {
		return io.NopCloser(strings.NewReader(mockBatchOutput)), nil
	}
	b, ok := m.files[id]
	if !ok {
		return nil, newNotFoundError("file")
	}
	return io.NopCloser(bytes.NewReader(b)), nil
}

func (m *mockBatch) Delete(_ context.Context, id string) *core.Error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.isResult(id) {
		m.batches[strings.TrimPrefix(id, mockResult)].OutputFile = ""
		return nil
	}
	if _, ok := m.files[id]; !ok {
		return newNotFoundError("file")
	}
	m.dropFile(id)
	return nil
}

func (m *mockBatch) Create(_ context.Context, o *backend.Order) (*backend.State, *core.Error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.files[o.File]; !ok {
		return nil, newNotFoundError("file")
	}
	s := &backend.State{
		ID: newMockBatchID("batch_mock_"), Status: backend.Validating, Total: 2,
		ExpiresAt: m.now().Add(24 * time.Hour).Unix(),
	}
	m.batches[s.ID], m.jobs = s, append(m.jobs, s.ID)
	if len(m.jobs) > mockBatchKeeps {
		delete(m.batches, m.jobs[0])
		m.jobs = m.jobs[1:]
	}
	now := *s
	return &now, nil
}

func (m *mockBatch) Get(_ context.Context, id string) (*backend.State, *core.Error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.batches[id]
	if s == nil {
		return nil, newNotFoundError("batch")
	}
	if s.Status == backend.Validating {
		t := m.now().Unix()
		s.Status, s.Completed, s.OutputFile = backend.Completed, s.Total, mockResult+id
		s.InProgressAt, s.FinalizingAt, s.CompletedAt = t, t, t
	}
	now := *s
	return &now, nil
}

func (m *mockBatch) Cancel(_ context.Context, id string) (*backend.State, *core.Error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.batches[id]
	if s == nil {
		return nil, newNotFoundError("batch")
	}
	if s.Status == backend.Validating {
		t := m.now().Unix()
		s.Status, s.CancellingAt, s.CancelledAt = backend.Cancelled, t, t
	}
	now := *s
	return &now, nil
}

func newNotFoundError(what string) *core.Error {
	return &core.Error{Kind: core.NotFound, Code: core.CodeNotFound, Public: "unknown " + what}
}
