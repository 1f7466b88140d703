package telemetry

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// paper is an io.Writer that remembers, and may be read at any time.
type paper struct {
	mu     sync.Mutex
	text   strings.Builder
	writes int
	err    error
}

func (p *paper) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.writes++
	if p.err != nil {
		return 0, p.err
	}
	return p.text.Write(b)
}

func (p *paper) read() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

func TestLinesAreWrittenAfterAWhileByThemselves(t *testing.T) {
	p := new(paper)
	l := newLines(p)
	for i := range 3 { // and again after each rest
		_, err := fmt.Fprintf(l, "line %d\n", i)
		require.NoError(t, err)
		require.Eventually(t, func() bool { return strings.Contains(p.read(), fmt.Sprintf("line %d\n", i)) }, 30*time.Second, time.Millisecond)
	}
	require.NoError(t, l.Close())
	assert.Equal(t, "line 0\nline 1\nline 2\n", p.read())
}

func TestCloseWritesWhatIsLeftAndMayBeCalledTwice(t *testing.T) {
	p := new(paper)
	l := newLines(p)
	_, _ = io.WriteString(l, "last\n")
	require.NoError(t, l.Close())
	assert.Equal(t, "last\n", p.read())
	require.NoError(t, l.Close())
	_, _ = io.WriteString(l, "after\n")
	assert.Equal(t, "last\nafter\n", p.read(), "nobody collects any more: a late line is written at once")
}

func TestManyLinesAreWrittenInFewWritesAndInOrder(t *testing.T) {
	p := new(paper)
	l := newLines(p)
	var want strings.Builder
	for i := range 5000 {
		line := fmt.Sprintf("%d %s\n", i, strings.Repeat("x", i%50))
		want.WriteString(line)
		_, _ = io.WriteString(l, line)
	}
	require.NoError(t, l.Close())
	assert.Equal(t, want.String(), p.read())
	assert.Less(t, p.writes, 500)
}

func TestConcurrentLinesStayWholeAndEachWritersInOrder(t *testing.T) {
	p := new(paper)
	l := newLines(p)
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range 1000 {
				_, _ = fmt.Fprintf(l, "%d %d %s\n", w, i, strings.Repeat("y", 40))
			}
		}()
	}
	wg.Wait()
	require.NoError(t, l.Close())
	next := map[int]int{}
	for line := range strings.Lines(p.read()) {
		var w, i int
		var tail string
		_, err := fmt.Sscanf(line, "%d %d %s", &w, &i, &tail)
		require.NoError(t, err, line)
		require.Equal(t, next[w], i)
		require.Len(t, tail, 40)
		next[w]++
	}
	for w := range 8 {
		assert.Equal(t, 1000, next[w])
	}
}

func TestAWriterThatFailsIsToldAtTheEndAndStopsNobody(t *testing.T) {
	p := &paper{err: errors.New("disk full")}
	l := newLines(p)
	n, err := io.WriteString(l, "lost\n")
	require.NoError(t, err)
	assert.Equal(t, 5, n)
	require.ErrorContains(t, l.Close(), "disk full")
}
