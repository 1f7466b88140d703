package process

import (
	"context"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/plugins/process/pb"
)

func init() {
	acts["poisonable"] = func() { rawServe(hello(), poisonable) }
}

// poisonable ends, fails or stops answering if a text tells it to. It handles one call at a time.
func poisonable(s grpc.ServerStream, m *pb.FromHost) bool {
	text := ""
	if c := m.GetCheck(); c != nil && len(c.Segments) > 0 {
		text = c.Segments[0].Text
	}
	switch {
	case strings.Contains(text, "die"):
		os.Exit(3)
	case strings.Contains(text, "stick"):
		select {}
	case strings.Contains(text, "fail"):
		return say(s, m.Id, &pb.FromPlugin{Body: &pb.FromPlugin_Failed{Failed: &pb.Failed{Reason: "poisoned"}}})
	}
	return say(s, m.Id, pass())
}

func newRequestOf(t *testing.T, tenant, key, text string) *core.Exchange {
	x := request(t, user(text))
	x.Principal = &core.Principal{Tenant: tenant, KeyID: key}
	return x
}

func TestOneClientsTextsDoNotCostAnotherItsProcess(t *testing.T) {
	for poison, times := range map[string]int{"die": 40, "fail": 400, "stick": 4} {
		t.Run(poison, func(t *testing.T) {
			t.Parallel()
			st := plug(t, "poisonable", func(s *Spec) { s.Timeout = 500 * time.Millisecond }).stage(t)
			var mallory sync.WaitGroup
			done := make(chan struct{})
			for range 2 {
				mallory.Go(func() {
					for range times {
						_, err := st.Check(context.Background(), newRequestOf(t, "evil", "mallory", poison), core.Request, nil)
						assert.Error(t, err)
					}
				})
			}
			go func() {
				mallory.Wait()
				close(done)
			}()
			served := 0
			for attacked := true; attacked || served == 0; {
				v, err := st.Check(context.Background(), newRequestOf(t, "acme", "victim", "calm"), core.Request, nil)
				require.NoError(t, err, "after %d that were served", served)
				require.Equal(t, core.Pass, v.Action)
				served++
				select {
				case <-done:
					attacked = false
				case <-time.After(tick):
				}
			}
			assert.Equal(t, "running", st.Stats().State)
		})
	}
}

func TestATextThatIsTooLongForAMessageIsTheTextsFault(t *testing.T) {
	st := plug(t, "pass").stage(t)
	large := strings.Repeat("a", pb.MaxMessage+1)
	for range 3 * tripAfter {
		_, err := st.Check(context.Background(), newRequestOf(t, "evil", "mallory", large), core.Request, nil)
		require.ErrorContains(t, err, "more than")
		_, err = st.Check(context.Background(), newRequestOf(t, "acme", "victim", "calm"), core.Request, nil)
		require.NoError(t, err)
	}
}
