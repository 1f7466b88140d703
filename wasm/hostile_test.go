package wasm

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// hostileText triggers a guest's hostile behaviour; its sixth character has three bytes.
const hostileText = "!2345€6789"

var hostileGuests = []struct {
	name  string
	guest guest
	want  core.Fault
}{
	{"an endless loop is cut", guest{detect: onMark(cat(loop(nil), unreachable))}, core.FaultTimeout},
	{"a tree of calls without a loop is cut", callTree(), core.FaultTimeout},
	{"a loop of calls to long leaf functions is cut", leafBomb(200, 200), core.FaultTimeout},
	{"unrolled calls are cut", leafBomb(5000, 2000), core.FaultTimeout},
	{"a straight line of 60 KB in a loop is cut", straightLine(), core.FaultTimeout},
	{
		"bulk fills are cut",
		guest{pages: 200, detect: onMark(cat(loop(cat(i32c(2048), i32c(7), i32c(12<<20), []byte{0xfc, 0x0b, 0})), unreachable))},
		core.FaultTimeout,
	},
	{
		"bulk copies are cut",
		guest{pages: 200, detect: onMark(cat(loop(cat(i32c(2048), i32c(4096), i32c(12<<20), []byte{0xfc, 0x0a, 0, 0})), unreachable))},
		core.FaultTimeout,
	},
	{"a flood of log lines is cut", guest{
		imports: []importedFunc{{abi.HostModule, abi.ImportLog, typLog}},
		detect:  onMark(cat(loop(cat(i32c(2), i32c(0), i32c(200_000), callf(0))), unreachable)),
	}, core.FaultTimeout},
	{"much randomness is cut", guest{
		pages: 200, imports: []importedFunc{{wasiModule, "random_get", typIII}},
		detect: onMark(cat(loop(cat(i32c(2048), i32c(12<<20), callf(0), drop)), unreachable)),
	}, core.FaultTimeout},
	{"a guest that waits is cut", guest{
		imports: []importedFunc{{wasiModule, "poll_oneoff", typIIIII}},
		detect:  onMark(cat(loop(cat(i32c(0), i32c(4096), i32c(1), i32c(8192), callf(0), drop)), unreachable)),
	}, core.FaultTimeout},
	{"recursion without end ends at the depth", guest{
		funcs:  []fn{{typ: typNone, code: callf(firstCase)}},
		detect: onMark(cat(callf(firstCase), i64c(0))),
	}, core.FaultDepth},
	{"unreachable is a trap", guest{detect: onMark(unreachable)}, core.FaultTrap},
	{"a division by zero is a trap", guest{detect: onMark(cat(i32c(1), i32c(0), []byte{0x6e}, drop, i64c(0)))}, core.FaultTrap},
	{"a load outside the memory is a trap", guest{detect: onMark(cat(i32c(-8), []byte{0x28, 0, 0}, drop, i64c(0)))}, core.FaultTrap},
	{"a guest that exits is a trap", guest{
		imports: []importedFunc{{wasiModule, "proc_exit", typNoneI}},
		detect:  onMark(cat(i32c(3), callf(0), i64c(0))),
	}, core.FaultTrap},
	{"a memory bomb ends at the memory limit", guest{
		detect: onMark(cat(
			[]byte{0x03, 0x40}, i32c(120), []byte{0x40, 0}, i32c(-1), []byte{0x47, 0x0d, 0, 0x0b}, unreachable)),
	}, core.FaultMemory},
	{"a guest that says it failed", guest{detect: onMark(i64c(abi.BytesError))}, core.FaultError},
	{"a result that is not a number of records", guest{detect: onMark(i64c(abi.Pack(1024, 7)))}, core.FaultABI},
	{"a result of 4 GB", guest{detect: onMark(i64c(abi.Pack(0, 0xFFFFFFF0)))}, core.FaultABI},
	{"more spans than allowed", guest{detect: onMark(i64c(abi.Pack(0, abi.SpanSize*(abi.MaxSpans+1))))}, core.FaultABI},
	{"a result outside the memory", guest{detect: onMark(i64c(abi.Pack(0xFFFFFF00, 16)))}, core.FaultABI},
	{"a span beyond the text", reporting(span(0, 100, 0, 1)), core.FaultABI},
	{"a span that is empty", reporting(span(3, 3, 0, 1)), core.FaultABI},
	{"a span that ends before it begins", reporting(span(3, 1, 0, 1)), core.FaultABI},
	{"a span that begins inside a character", reporting(span(6, 9, 0, 1)), core.FaultABI},
	{"a span that ends inside a character", reporting(span(1, 7, 0, 1)), core.FaultABI},
	{"spans out of order", reporting(span(3, 4, 0, 1), span(1, 2, 0, 1)), core.FaultABI},
	{"a label that does not exist", reporting(span(0, 1, 2, 1)), core.FaultABI},
	{"the overflow label in the middle", reporting(span(0, 1, abi.LabelOverflow, 1), span(1, 2, 0, 1)), core.FaultABI},
	{"a score that is not a number", reporting(span(0, 1, 0, float32(math.NaN()))), core.FaultABI},
	{"a negative score", reporting(span(0, 1, 0, -0.5)), core.FaultABI},
	{"a score above one", reporting(span(0, 1, 0, 1.5)), core.FaultABI},
	{"a span longer than max_match", func() guest {
		g := reporting(span(0, 5, 0, 1))
		g.manifest = `{"name":"x","kind":"detector","labels":["a"],"max_match":4}`
		return g
	}(), core.FaultABI},
	{"more found than can be reported", reporting(span(0, 1, 0, 1), span(1, 2, abi.LabelOverflow, 1)), core.FaultError},
}

const typNoneI byte = 11

func init() { typeBytes = append(typeBytes, []byte{0x60, 1, 0x7f, 0}) }

// callTree has 40 functions, each of which calls the next one twice.
func callTree() guest {
	var funcs []fn
	for k := range 40 {
		funcs = append(funcs, fn{typ: typNone, code: repeat(callf(firstCase+k+1), 2)})
	}
	funcs = append(funcs, fn{typ: typNone})
	return guest{funcs: funcs, detect: onMark(cat(callf(firstCase), unreachable))}
}

// leafBomb loops over many calls of a leaf function without a loop.
func leafBomb(calls, divisions int) guest {
	leaf := fn{typ: typI, code: cat(i32c(7), repeat(cat(i32c(3), []byte{0x6e}), divisions))}
	return guest{funcs: []fn{leaf}, detect: onMark(cat(loop(repeat(cat(callf(firstCase), drop), calls)), unreachable))}
}

func straightLine() guest {
	return guest{locals: 1, detect: onMark(cat(loop(repeat(cat([]byte{0x20, 3}, i32c(3), []byte{0x6e, 0x21, 3}), 9000)), unreachable))}
}

func TestHostileGuestsEndInTheRightFaultAndOthersAreServed(t *testing.T) {
	good := loadModule(t, LoadOptions{})
	for _, c := range hostileGuests {
		t.Run(c.name, func(t *testing.T) {
			timeout := 10 * time.Second
			if c.want == core.FaultTimeout {
				timeout = 30 * time.Millisecond
			}
			v := loadModule(t, LoadOptions{Source: c.guest.bytes(), Name: "hostile.wasm", Limits: Limits{Timeout: timeout}})
			began := time.Now()
			_, err := v.Detect(context.Background(), nil, hostileText, 0)
			require.Error(t, err)
			assert.Less(t, time.Since(began), 5*time.Second, "the deadline was 30 ms")
			var e *Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, c.want, e.Fault(), err.Error())
			assert.NotContains(t, err.Error(), "2345", "no text of the prompt in an error")
			assert.Zero(t, v.Stats().Instances, "an instance that failed is closed")
			assert.Zero(t, v.Stats().Memory)
			assert.Equal(t, map[core.Fault]uint64{c.want: 1}, v.Stats().Faults)

			_, err = v.Detect(context.Background(), nil, "calm", 0)
			require.NoError(t, err, "another instance of the same module serves")
			got, err := good.Detect(context.Background(), nil, "EMP-123456", 0)
			require.NoError(t, err)
			assert.Len(t, got, 1)
		})
	}
}

func TestModulesThatMayNotServeAreRefusedWithAReason(t *testing.T) {
	configured := func(body []byte) guest { return guest{config: body} }
	for _, c := range []struct {
		name  string
		guest guest
		says  string
	}{
		{"a giant table", guest{table: 100_000_000}, "limit exceeded"},
		{"a minimum memory above the limit", guest{pages: 1000}, "limit exceeded"},
		{"no manifest", guest{manifest: "none"}, "no manifest"},
		{"a manifest that is not JSON", guest{manifest: `{"name"`}, "read the manifest"},
		{"a manifest with an unknown key", guest{manifest: `{"name":"x","kind":"detector","labels":["a"],"max_match":4,"x":1}`}, "unknown field"},
		{"a manifest followed by other data", guest{manifest: `{"name":"x","kind":"detector","labels":["a"],"max_match":4} {}`}, "data follows it"},
		{"a manifest without labels", guest{manifest: `{"name":"x","kind":"detector","labels":[],"max_match":4}`}, "labels"},
		{"a manifest with a label twice", guest{manifest: `{"name":"x","kind":"detector","labels":["a","a"],"max_match":4}`}, "must not repeat another label"},
		{"a max_match of zero", guest{manifest: `{"name":"x","kind":"detector","labels":["a"]}`}, "max_match"},
		{"a max_match too long for streams", guest{manifest: `{"name":"x","kind":"detector","labels":["a"],"max_match":5000}`}, "max_match"},
		{"a stage without its hook", guest{manifest: `{"name":"x","kind":"stage"}`}, "exports neither hg_stage nor hg_stream; a stage has one of them"},
		{"a stage that asks for segments while it is configured", guest{
			manifest: `{"name":"x","kind":"stage","reads":{"text":["user"]}}`, imports: []importedFunc{{abi.HostModule, "seg_count", typI}},
			funcs: []fn{{typ: typII, code: i32c(0)}}, extra: []export{{"hg_stage", 0}}, config: cat(callf(0), drop, i32c(0)),
		}, "outside of hg_stage"},
		{"a stage that fails when it is tried", guest{
			manifest: `{"name":"x","kind":"stage"}`, funcs: []fn{{typ: typII, code: unreachable}}, extra: []export{{"hg_stage", 0}},
		}, "try the module: trap"},
		{"an unknown kind", guest{manifest: `{"name":"x","kind":"policy"}`}, "kind must be one of detector, stage, rego, extism"},
		{"a stage of an unknown phase", guest{manifest: `{"name":"x","kind":"stage","phases":["respond"]}`}, "phases of a stage"},
		{"a stage with an unknown capability", guest{manifest: `{"name":"x","kind":"stage","capabilities":["disk"]}`}, "capabilities of a stage are now, random, state, redact, patch"},
		{"a stage with samples", guest{manifest: `{"name":"x","kind":"stage","samples":[{"text":"a"}]}`}, "samples are for detectors"},
		{"an unknown field", guest{manifest: `{"name":"x","kind":"stage","reads":{"fields":["password"]}}`}, `"password" is not a field`},
		{"an unknown source", guest{manifest: `{"name":"x","kind":"stage","reads":{"text":["all"]}}`}, `reads.text: unknown source "all"`},
		{"a detector that reads fields", guest{manifest: `{"name":"x","kind":"detector","labels":["a"],"max_match":4,"reads":{"fields":["model"]}}`}, "reads.fields is for stages"},
		{"a detector with the capability state", guest{manifest: `{"name":"x","kind":"detector","labels":["a"],"max_match":4,"capabilities":["state"]}`}, "state is for stages"},
		{"features that the host does not know", guest{features: 6}, "bits 0x6"},
		{"a min_memory above the limit", guest{manifest: `{"name":"x","kind":"detector","labels":["a"],"max_match":4,"min_memory":99999999}`}, "needs 99999999"},
		{"a sample that is not found", guest{manifest: `{"name":"x","kind":"detector","labels":["a"],"max_match":4,"samples":[{"text":"x","labels":["a"]}]}`}, "sample 0"},
		{"another version of the ABI", guest{version: "hg_abi_2"}, "the module speaks ABI 2; this host speaks ABI 1"},
		{"no version", guest{version: "version"}, "does not export hg_abi_1"},
		{"an unknown hook", guest{funcs: []fn{{typ: typNone}}, extra: []export{{"hg_detekt", 0}}}, "not part of ABI 1"},
		{"a hook of the wrong type", guest{funcs: []fn{{typ: typWrong, code: i32c(0)}}, extra: []export{{"hg_configure", 0}}}, "hg_configure must be a function (i32, i32) -> (i32)"},
		{"neither a hook of a detector nor one of a stream", guest{nodetect: true}, "neither hg_detect nor hg_stream"},
		{"two versions, none of them this host's", guest{version: "hg_abi_2", funcs: []fn{{typ: typI, code: i32c(0)}}, extra: []export{{"hg_abi_3", 0}}}, "speaks ABI 2 and 3; this host speaks ABI 1"},
		{"an import of another module", guest{imports: []importedFunc{{"env", "system", typI}}}, "does not offer"},
		{"an import of an unknown host function", guest{imports: []importedFunc{{abi.HostModule, "exec", typI}}}, "does not offer"},
		{"an import of the meter's tick", guest{imports: []importedFunc{{abi.HostModule, "tick", typI}}}, "refused"},
		{"an import of a stage's function", guest{imports: []importedFunc{{abi.HostModule, "seg_count", typI}}}, "for stages"},
		{"an import without its capability", guest{imports: []importedFunc{{abi.HostModule, "now_ms", typL}}}, "capability"},
		{"an import of the wrong type", guest{imports: []importedFunc{{abi.HostModule, "log", typI}}}, "wrong signature"},
		{"a start function that loops", guest{funcs: []fn{{typ: typNone, code: loop(nil)}}, start: 1}, "timeout"},
		{"a start function that traps", guest{funcs: []fn{{typ: typNone, code: unreachable}}, start: 1}, "trap"},
		{"hg_alloc that returns 0", guest{alloc: i32c(0)}, "no memory"},
		{"hg_alloc that returns -16", guest{alloc: i32c(-16)}, "outside the memory"},
		{"hg_alloc that returns the last byte", guest{alloc: i32c(4*pageSize - 1)}, "outside the memory"},
		{"hg_alloc that traps", guest{alloc: unreachable}, "trap"},
		{"hg_alloc that loops", guest{alloc: cat(loop(nil), unreachable)}, "timeout"},
		{"hg_configure that refuses", configured(i32c(1)), "does not accept its settings"},
		{"hg_configure that traps", configured(unreachable), "trap"},
		{"a detector that always traps", guest{detect: unreachable}, "trap"},
		{"an invalid body", guest{detect: []byte{0x6a}}, "compile"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Load(context.Background(), LoadOptions{Source: c.guest.bytes(), Name: "hostile.wasm"})
			require.ErrorContains(t, err, c.says)
		})
	}
	for name, source := range map[string][]byte{
		"an empty file": nil, "a text file": []byte("hello"), "only a header": []byte("\x00asm\x01\x00\x00\x00"),
		"a truncated module": employeeID(t)[:700],
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Load(context.Background(), LoadOptions{Source: source, Name: "hostile.wasm"})
			require.Error(t, err)
		})
	}
}

func TestSettingsForAGuestThatTakesNoneAreAnError(t *testing.T) {
	_, err := Load(context.Background(), LoadOptions{Source: employeeID(t), Name: "x.wasm", Config: []byte(`{"a":1}`)})
	require.ErrorContains(t, err, "takes none")
}

func TestACallerThatLeavesCutsTheGuestAndIsNoFault(t *testing.T) {
	v := loadModule(t, LoadOptions{Source: hostileGuests[0].guest.bytes(), Limits: Limits{Timeout: time.Minute}})
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(20*time.Millisecond, cancel)
	_, err := v.Detect(ctx, nil, hostileText, 0)
	require.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, v.Stats().Faults)
	assert.Zero(t, v.Stats().Instances)
}

func TestTheRequestsOwnDeadlineCountsWhenItIsEarlier(t *testing.T) {
	v := loadModule(t, LoadOptions{Source: hostileGuests[0].guest.bytes(), Limits: Limits{Timeout: time.Hour}})
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	_, err := v.Detect(ctx, nil, hostileText, 0)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	var e *Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, core.FaultTimeout, e.Kind)
	assert.False(t, v.breaker.faults.HasFaults(), "a request without time left says nothing about the guest")
}
