package batch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/batch/backend"
	"github.com/headgate-dev/headgate/core/llm"
	"github.com/headgate-dev/headgate/core/records/meter"
	"github.com/headgate-dev/headgate/core/records/store"
)

// bookTries is how often a full queue is tried.
const bookTries = 50

// book books the usage of an ended batch, once: whoever settles the batch books it. The usage is in its output file,
// which a cancelled or expired batch may have too. It reports whether the batch is booked.
func (s *Service) book(ctx context.Context, b backend.Backend, j *store.BatchJob) bool {
	used, err := s.readResults(ctx, b, j)
	if err != nil {
		s.reportFailure(ctx, "usage of a batch", j.ID, err)
		return false // the next round tries again
	}
	mine := false
	_, err = s.Store.BatchJobs().Change(ctx, j.ID, func(j *store.BatchJob) ([]*store.BatchFile, bool) {
		mine = !j.Settled
		j.Settled = true
		var sum llm.Usage
		for _, u := range used {
			sum = sum.Add(u)
		}
		if sum.Reported {
			j.Usage = &store.BatchUsage{Input: sum.Input, Output: sum.Output, Cached: sum.Cached, Reasoning: sum.Reasoning}
		}
		return nil, mine
	})
	if err != nil {
		s.reportFailure(ctx, "usage of a batch", j.ID, err)
		return false
	}
	if !mine {
		return true
	}
	ctx = context.WithoutCancel(ctx) // the batch is now marked as booked
	for _, model := range slices.Sorted(maps.Keys(used)) {
		r := buildUsageRecord(j, model, used[model])
		if s.Charge != nil {
			s.Charge(ctx, r)
		}
		err := s.Book(ctx, r)
		for try := 1; try < bookTries && errors.Is(err, store.ErrBusy); try++ {
			err = s.Book(ctx, r) // waits a while for room
		}
		if err != nil {
			s.Lost("usage", j.ID, err)
		}
	}
	if s.Settle != nil { // at once: a record lost from the queue would never be booked again
		if err := s.Settle(ctx); err != nil {
			s.reportFailure(ctx, "usage of a batch", j.ID, err)
		}
	}
	return true
}

func buildUsageRecord(j *store.BatchJob, model string, u llm.Usage) *meter.Record {
	r := &meter.Record{
		ExchangeID: strings.TrimPrefix(j.ID, batchPrefix), Tenant: j.Tenant, KeyID: j.KeyID, Dialect: batchesName,
		Provider: j.Provider, Model: model, ModelRequested: model, Outcome: core.Served.String(), Status: http.StatusOK,
		Input: u.Input, Output: u.Output, Cached: u.Cached, Reasoning: u.Reasoning, Counted: true,
	}
	for _, m := range j.Models {
		if m.Target == model {
			r.ModelRequested = m.Name
		}
	}
	return r
}

// readResults reads the result files and returns the usage by model, and their sizes.
func (s *Service) readResults(ctx context.Context, b backend.Backend, j *store.BatchJob) (map[string]llm.Usage, error) {
	used := map[string]llm.Usage{}
	for _, id := range []string{j.OutputFile, j.ErrorFile} {
		if id == "" {
			continue
		}
		f, err := s.Store.BatchFiles().Get(ctx, j.Tenant, id)
		if errors.Is(err, store.ErrNotFound) {
			continue // expired: its owner cannot delete it earlier
		}
		if err != nil {
			return nil, err
		}
		body, e := b.OpenContent(ctx, f.ProviderID)
		if e != nil {
			if e.Kind == core.NotFound {
				continue
			}
			return nil, e
		}
		n, err := s.sumUsage(body, j, used)
		_ = body.Close() // it was read
		if err == nil {
			err = s.Store.BatchFiles().SetBytes(ctx, id, n)
		}
		if err != nil {
			return nil, err
		}
	}
	return used, nil
}

func (s *Service) sumUsage(body io.Reader, j *store.BatchJob, used map[string]llm.Usage) (int64, error) {
	counted := &counter{r: body}
	src := newLines(counted, s.MaxLine)
	for {
		line, whole, err := src.readLine()
		if errors.Is(err, io.EOF) {
			return counted.n, nil
		}
		if err != nil {
			return 0, err
		}
		if !whole || len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if model, u := readLineUsage(line); u.Reported {
			model = chooseBookedModel(j, model)
			if _, known := used[model]; !known && len(used) == maxModels {
				model = ""
			}
			used[model] = used[model].Add(u)
		}
	}
}

// chooseBookedModel returns the model name for the booking: the one sent to the provider, if known. The provider may answer
// with a version of it.
func chooseBookedModel(j *store.BatchJob, answered string) string {
	if len(j.Models) == 1 {
		return j.Models[0].Target
	}
	best := answered
	for n, i := 0, 0; i < len(j.Models); i++ {
		if t := j.Models[i].Target; len(t) > n && strings.HasPrefix(answered, t) {
			best, n = t, len(t)
		}
	}
	return best
}

// readLineUsage returns model and usage of one result of any endpoint.
func readLineUsage(line []byte) (model string, u llm.Usage) {
	type details struct {
		Cached    int64 `json:"cached_tokens"`
		Reasoning int64 `json:"reasoning_tokens"`
	}
	var v struct {
		Response struct {
			Body struct {
				Model string `json:"model"`
				Usage *struct {
					Prompt            int64   `json:"prompt_tokens"`
					Completion        int64   `json:"completion_tokens"`
					Input             int64   `json:"input_tokens"`
					Output            int64   `json:"output_tokens"`
					PromptDetails     details `json:"prompt_tokens_details"`
					CompletionDetails details `json:"completion_tokens_details"`
					InputDetails      details `json:"input_tokens_details"`
					OutputDetails     details `json:"output_tokens_details"`
				} `json:"usage"`
			} `json:"body"`
		} `json:"response"`
	}
	if json.Unmarshal(line, &v) != nil || v.Response.Body.Usage == nil {
		return "", u
	}
	t := v.Response.Body.Usage
	return v.Response.Body.Model, llm.Usage{
		Reported:  true,
		Input:     max(t.Prompt+t.Input, 0),
		Output:    max(t.Completion+t.Output, 0),
		Cached:    max(t.PromptDetails.Cached+t.InputDetails.Cached, 0),
		Reasoning: max(t.CompletionDetails.Reasoning+t.OutputDetails.Reasoning, 0),
	}
}
