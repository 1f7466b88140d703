package remote

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSlotsBoundTheCallsAndThoseThatWait(t *testing.T) {
	s := NewSlots(1)
	require.True(t, s.Take(context.Background()))
	ctx, cancel := context.WithCancel(context.Background())
	got := make(chan bool)
	for range s.MaxWaiting() {
		go func() { got <- s.Take(ctx) }()
	}
	require.Eventually(t, func() bool { return s.Waiting() == s.MaxWaiting() }, 10*time.Second, time.Millisecond)
	assert.False(t, s.Take(context.Background()), "too many wait")
	s.Release()
	assert.True(t, <-got, "one of them gets a slot")
	cancel()
	for range s.MaxWaiting() - 1 {
		assert.False(t, <-got, "its deadline has passed")
	}
	assert.Zero(t, s.Waiting())
	s.Release()
	assert.True(t, s.Take(context.Background()))
}

func TestWhatAGuardSaysIsMadePrintable(t *testing.T) {
	for in, want := range map[string]string{
		" a\nb\x1b[31m ": "a b [31m", "é\u202ex": "é x", "\xffa": "a", "123456789": "12345678", "1234567é": "1234567",
	} {
		assert.Equal(t, want, CleanText(in, 8+len(in)-min(len(in), 9)), "%q", in)
	}
}
