package plugins

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/wasm"
)

// site is a folder in which version 1 of the sample serves and candidates are tried.
type site struct {
	t       *testing.T
	dir     string
	d       *Dir
	decided atomic.Int64
}

func newSite(t *testing.T, c Candidate) *site {
	s := &site{t: t, dir: t.TempDir()}
	s.d = openDir(t, Options{Dir: s.dir, Rules: Rules{Candidate: c}, Decided: func() { s.decided.Add(1) }})
	put(t, s.dir, file, sample(t, 1))
	s.stage()
	return s
}

// stage requests the link's stage again, as a reload does.
func (s *site) stage() Plugin {
	s.t.Helper()
	l, err := s.d.OpenStage(context.Background(), file, block("action: redact"), wasm.Limits{Timeout: 5 * time.Second}, Deps{Name: "employees"})
	require.NoError(s.t, err)
	s.t.Cleanup(func() { assert.NoError(s.t, l.Close(context.Background())) })
	return l
}

func (s *site) candidate() *CandidateStatus {
	s.t.Helper()
	list := s.d.Status()
	require.Len(s.t, list, 1)
	return list[0].Candidate
}

func (s *site) serving() string {
	s.t.Helper()
	return s.stage().Version().Manifest.Version
}

// types returns the types of the events since the last call.
func (s *site) types() (out []string) {
	for _, e := range s.d.Events() {
		out = append(out, e.Type)
	}
	return out
}

func TestACandidateThatAgreesTakesThePlaceOfWhatServes(t *testing.T) {
	s := newSite(t, Candidate{MinCalls: 5})
	assert.Equal(t, []string{EventLoaded}, s.types())
	put(t, s.dir, file, sample(t, 2))
	l := s.stage()
	assert.Equal(t, "1", l.Version().Manifest.Version)
	assert.Equal(t, []string{EventCandidate}, s.types())
	assert.Empty(t, s.d.Problems(), "a trial is not a problem")
	for range 4 {
		require.Equal(t, 1, findings(t, l, "EMP-123456"))
	}
	k := s.candidate()
	assert.Equal(t, StateShadow, k.State)
	assert.Equal(t, "2", k.Version)
	assert.Equal(t, DigestBytes(sample(t, 2)), k.Digest)
	assert.Equal(t, int64(4), k.Calls)
	assert.Equal(t, int64(4), k.Agreed)
	assert.Equal(t, map[string]LabelCount{"employee_id": {4, 4}}, k.Labels)
	assert.Positive(t, k.Time)
	assert.Positive(t, k.LiveTime)
	assert.Zero(t, s.decided.Load())
	assert.Equal(t, "1", s.serving())

	require.Equal(t, 1, findings(t, l, "EMP-123456"))
	assert.Equal(t, int64(1), s.decided.Load())
	assert.Equal(t, StatePromoted, s.candidate().State)
	assert.Equal(t, "2", s.serving())
	assert.Nil(t, s.candidate())
	assert.Equal(t, []string{EventPromoted}, s.types())
	require.Equal(t, 1, findings(t, l, "EMP-123456"), "the old chain serves its last exchanges")
	assert.Equal(t, int64(1), s.decided.Load(), "it is decided once")
}

func TestACandidateThatDivergesIsHeld(t *testing.T) {
	s := newSite(t, Candidate{MinCalls: 100})
	put(t, s.dir, file, blind("2"))
	l := s.stage()
	s.types()
	require.Zero(t, findings(t, l, "nothing here"))
	require.Equal(t, 1, findings(t, l, "EMP-123456"), "the verdict of the serving version applies")
	assert.Equal(t, int64(1), s.decided.Load())
	k := s.candidate()
	assert.Equal(t, StateHeld, k.State)
	assert.Equal(t, map[string]int64{DiffersAction: 1}, k.Diverged)
	assert.Equal(t, map[string]LabelCount{"employee_id": {1, 0}}, k.Labels)
	assert.Equal(t, "1 of 2 verdicts differ from those of the serving version; at most 0 are allowed", k.Reason)

	l = s.stage()
	assert.Equal(t, "1", l.Version().Manifest.Version)
	assert.IsType(t, &wasm.Stage{}, l, "a held candidate is no longer called")
	require.Len(t, s.d.Problems(), 1)
	assert.Contains(t, s.d.Problems()[0].Reason, "held: 1 of 2 verdicts differ")
	assert.Contains(t, s.d.Problems()[0].Reason, "headgate plugin promote employee-id.wasm")
	s.stage()
	assert.Equal(t, []string{EventHeld}, s.types(), "reported once")
	assert.Equal(t, StateOld, s.d.Status()[0].State)

	put(t, s.dir, file, sample(t, 1))
	assert.Equal(t, "1", s.serving())
	assert.Nil(t, s.candidate(), "putting the old version back ends the trial")
	assert.Empty(t, s.d.Problems())
}

func TestAShareOfTheVerdictsMayDiffer(t *testing.T) {
	s := newSite(t, Candidate{MinCalls: 10, MaxDivergence: 0.1})
	put(t, s.dir, file, blind("2"))
	l := s.stage()
	require.Equal(t, 1, findings(t, l, "EMP-123456"))
	for range 8 {
		require.Zero(t, findings(t, l, "nothing"))
	}
	assert.Equal(t, StateShadow, s.candidate().State)
	require.Zero(t, findings(t, l, "nothing"))
	assert.Equal(t, StatePromoted, s.candidate().State)
}

func TestACandidateThatTrapsIsHeldAndNobodyNotices(t *testing.T) {
	for _, most := range []int64{0, 2} {
		s := newSite(t, Candidate{MinCalls: 100, MaxFaults: most})
		put(t, s.dir, file, trapping("2"))
		l := s.stage()
		for n := range most + 1 {
			assert.Equal(t, StateShadow, s.candidate().State, "call %d", n)
			require.Equal(t, 1, findings(t, l, "! EMP-123456"))
		}
		k := s.candidate()
		assert.Equal(t, StateHeld, k.State)
		assert.Equal(t, map[core.Fault]int64{core.FaultTrap: most + 1}, k.Faults)
		assert.Contains(t, k.Reason, "of its calls failed")
		assert.Zero(t, k.Calls)
		require.Equal(t, 1, findings(t, l, "! EMP-123456"))
		assert.Equal(t, k.Faults, s.candidate().Faults, "no longer called, not even by the chain that is still open")
	}
}

func TestACandidateThatDoesNotLoadIsRefusedLikeAnyModule(t *testing.T) {
	s := newSite(t, Candidate{MinCalls: 1})
	put(t, s.dir, file, []byte("no module"))
	assert.Equal(t, "1", s.serving())
	assert.Nil(t, s.candidate())
	assert.Contains(t, s.d.Problems()[0].Reason, "module")
	assert.Equal(t, []string{EventLoaded, EventRefused}, s.types())
}

func TestACandidateForOtherPhasesIsHeld(t *testing.T) {
	s := newSite(t, Candidate{MinCalls: 1})
	b, err := wasm.WithManifest(
		sample(t, 0),
		[]byte(`{"name":"employee-id","version":"2","kind":"detector","labels":["employee_id"],"max_match":10,"phases":["response"]}`),
	)
	require.NoError(t, err)
	put(t, s.dir, file, b)
	assert.Equal(t, "1", s.serving())
	assert.Equal(t, StateHeld, s.candidate().State)
	assert.Contains(t, s.candidate().Reason, "other phases")
}

func TestACandidateIsTriedForAsLongAsItMust(t *testing.T) {
	s := newSite(t, Candidate{For: 100 * time.Millisecond})
	put(t, s.dir, file, sample(t, 2))
	s.stage()
	assert.Equal(t, StateShadow, s.candidate().State)
	require.Eventually(t, func() bool { return s.decided.Load() == 1 }, 20*time.Second, time.Millisecond, "without another call")
	assert.Equal(t, "2", s.serving())
}

func TestAnOperatorDecides(t *testing.T) {
	s := newSite(t, Candidate{MinCalls: 100})
	decide := func(promote bool, body []byte) {
		put(t, s.dir, DecisionsFile, FormatDecisions([]Decision{{Promote: promote, File: file, Digest: DigestBytes(body)}}))
	}
	put(t, s.dir, file, sample(t, 2))
	assert.Equal(t, "1", s.serving())
	decide(true, sample(t, 3))
	assert.Equal(t, "1", s.serving(), "the decision names another digest")
	decide(true, sample(t, 2))
	assert.Equal(t, "2", s.serving())

	put(t, s.dir, file, blind("3"))
	l := s.stage()
	findings(t, l, "EMP-123456")
	assert.Equal(t, StateHeld, s.candidate().State)
	decide(false, blind("3"))
	assert.Equal(t, "2", s.serving())
	assert.Contains(t, s.d.Problems()[0].Reason, "rejected in plugins.decisions")
	assert.Nil(t, s.candidate())
	decide(true, blind("3"))
	assert.Equal(t, "3", s.serving(), "an operator may change the decision")

	put(t, s.dir, DecisionsFile, []byte("perhaps\n"))
	put(t, s.dir, file, sample(t, 4))
	assert.Equal(t, "3", s.serving())
	assert.Contains(t, s.d.Problems()[0].Reason, "plugins.decisions, line 1")
	assert.Equal(
		t,
		[]string{EventLoaded, EventCandidate, EventPromoted, EventCandidate, EventHeld, EventRefused, EventLoaded, EventRefused},
		s.types(),
	)
}

func TestACandidateUnderASignatureRuleMustBeSignedToo(t *testing.T) {
	dir, key := t.TempDir(), newKey(t)
	put(t, dir, file, sample(t, 1))
	signedBy(t, dir, file, key, sample(t, 1))
	d := openDir(t, Options{Dir: dir, Trust: TrustSigned, Rules: Rules{Keys: []Key{key.Public()}, Candidate: Candidate{MinCalls: 1}}})
	first := link(t, d, "")
	put(t, dir, file, sample(t, 2))
	put(t, dir, DecisionsFile, FormatDecisions([]Decision{{Promote: true, File: file, Digest: DigestBytes(sample(t, 2))}}))
	assert.Same(t, first.Version(), link(t, d, "").Version(), "a decision does not override the signature")
	assert.Contains(t, d.Problems()[0].Reason, "was changed after it was signed")
}

// The file is swapped repeatedly while it is read and compiled: only bytes that the lock lists may serve.
func TestWhatIsCompiledIsWhatWasVerified(t *testing.T) {
	dir := t.TempDir()
	good, bad := sample(t, 1), sample(t, 2)
	lock := new(Lock)
	lock.Pin(file, DigestBytes(good), "", false)
	put(t, dir, LockFile, lock.Format())
	put(t, dir, file, good)
	stop := make(chan struct{})
	var swapping sync.WaitGroup
	swapping.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			default:
				put(t, dir, file, [][]byte{good, bad}[n%2])
			}
		}
	})
	served, refused := 0, 0
	for served < 20 || refused < 20 {
		d := openDir(t, Options{Dir: dir, Trust: TrustPinned}) // without memory of an earlier version
		st, err := d.OpenStage(context.Background(), file, nil, wasm.Limits{}, Deps{Name: "x"})
		if err != nil {
			require.ErrorContains(t, err, "is not the one that plugins.lock lists")
			refused++
			continue
		}
		served++
		require.Equal(t, DigestBytes(good), st.Version().Digest)
		require.Equal(t, "1", st.Version().Manifest.Version)
		require.NoError(t, st.Close(context.Background()))
	}
	close(stop)
	swapping.Wait()
}

func TestARemovedFileComesUnderTheFaultRuleWhereThatIsWanted(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, file, sample(t, 1))
	d := openDir(t, Options{Dir: dir, Rules: Rules{Withdraw: true}})
	link(t, d, "")
	require.NoError(t, os.Remove(filepath.Join(dir, file)))
	_, err := d.OpenStage(context.Background(), file, nil, wasm.Limits{}, Deps{Name: "x"})
	var gone *UnusableError
	require.ErrorAs(t, err, &gone)
	_, err = NewUnusableStage(gone).Check(context.Background(), exchange("x"), core.Request, nil)
	var f core.FaultReporter
	require.ErrorAs(t, err, &f)
	assert.Equal(t, "load", f.Fault().String())
	_, err = NewUnusableStage(gone).Stream(context.Background(), exchange("x"), nil)
	require.Error(t, err)
	assert.Equal(t, StateRefused, d.Status()[0].State)
	put(t, dir, file, []byte("no module"))
	_, err = d.OpenStage(context.Background(), file, nil, wasm.Limits{}, Deps{Name: "x"})
	require.Error(t, err, "a removed file does not come back")
	put(t, dir, file, sample(t, 1))
	assert.Equal(t, 1, findings(t, link(t, d, ""), "EMP-123456"))
}
