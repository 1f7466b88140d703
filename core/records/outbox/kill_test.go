package outbox_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/outbox"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/records/store/storetest"
	adapter "github.com/headgate-dev/headgate/plugins/webhook"
)

// The variable that makes the test binary a node, which stores events and delivers them until it is killed.
const nodeVar = "HEADGATE_TEST_OUTBOX_NODE"

func TestMain(m *testing.M) {
	if url := os.Getenv(nodeVar); url != "" {
		if err := node(url); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// node stores events one by one, and prints the number of each when it is durable.
func node(url string) error {
	ctx := context.Background()
	db, err := store.Open(ctx, url)
	if err != nil {
		return err
	}
	s, err := adapter.NewSender(adapter.SenderOptions{AllowPrivate: true})
	if err != nil {
		return err
	}
	d := outbox.NewDispatcher(outbox.Options{Store: db, Box: unsealed{}, Sender: sender{s}, Every: time.Millisecond})
	go d.Run(ctx)
	for i := 0; ; i++ {
		data := fmt.Sprintf(`{"n":%d}`, i)
		if err := db.Outbox().InsertEvents(ctx, []store.WebhookEvent{{Type: outbox.PolicyDenial, Data: data}}); err != nil {
			return err
		}
		d.Wake()
		fmt.Println(data)
	}
}

func TestNothingThatWasStoredIsLostWhenANodeIsKilled(t *testing.T) {
	storetest.RunWithBothURLs(t, killWriters)
}

func killWriters(t *testing.T, url string) {
	c := &clock{now: time.Now()}
	db := open(t, url, c.Now)
	r := receives(t, nil)
	subscribe(t, db, "w", "", r.URL, outbox.PolicyDenial)
	acknowledged := map[string]bool{}
	for round := range 3 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), nodeVar+"="+url)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		lines := bufio.NewScanner(out)
		for n := 0; n < 20 && lines.Scan(); n++ {
			acknowledged[fmt.Sprint(lines.Text())] = true
		}
		require.NoError(t, cmd.Process.Kill(), "round %d", round) // SIGKILL
		for lines.Scan() {                                        // what it had printed was durable before
			acknowledged[lines.Text()] = true
		}
		_ = cmd.Wait() // it was killed
	}
	c.add(time.Hour) // the leases of the dead are over
	dispatch(t, db, c)
	require.Eventually(t, func() bool {
		due, _, err := db.Outbox().CountBacklog(context.Background())
		return err == nil && due == 0
	}, 60*time.Second, 10*time.Millisecond)
	heard := map[string]bool{}
	for _, e := range r.events() {
		heard[string(e.Data)] = true
	}
	for data := range acknowledged {
		assert.True(t, heard[data], "%s was stored and never heard", data)
	}
	assert.GreaterOrEqual(t, len(acknowledged), 20)
}
