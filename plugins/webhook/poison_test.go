package webhook

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/sdk/stagetest"
	"github.com/headgate-dev/headgate/sdk/webhook"
)

func TestTextsThatAReceiverFailsOnTakeItFromNobodyElse(t *testing.T) {
	r := receives(t, func(_ context.Context, in *webhook.Request) (*webhook.Verdict, error) {
		if strings.Contains(in.Segments[0].Text, "poison") {
			return nil, errors.New("it answers with 500")
		}
		return &webhook.Verdict{Action: webhook.Pass}, nil
	})
	s := r.link(t)
	ask := func(key, text string) error {
		x := stagetest.Text{Text: text}.Exchange()
		x.Principal = &core.Principal{Tenant: "acme", KeyID: key}
		_, err := s.Check(context.Background(), x, core.Request, nil)
		return err
	}
	for k := range 2000 {
		require.Error(t, ask("mallory", "poison"))
		if k%10 == 0 {
			require.NoError(t, ask("victim", "plain"), "after %d poisoned requests", k+1)
		}
	}
	assert.True(t, s.IsServing())
}
