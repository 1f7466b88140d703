package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// ticksPerSecond is the unit of the CPU times in /proc: 100 on every Linux that Go supports. A measured second is
// therefore exact to 1 %.
const ticksPerSecond = 100

// processUse is what a process has used so far.
type processUse struct {
	cpu  float64 // seconds, user and system
	rss  int64   // resident bytes
	anon int64   // of these, anonymous bytes: heap, stacks and written data
}

// readProcess returns zeros for pid 0 and for a process that has ended; a load against a dead server shows errors, not
// zeros here.
func readProcess(pid int) processUse {
	if pid <= 0 {
		return processUse{}
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return processUse{}
	}
	use := parseStat(stat, int64(os.Getpagesize()))
	if status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)); err == nil {
		use.anon = parseAnonymous(status)
	}
	return use
}

// parseAnonymous reads RssAnon of /proc/PID/status, in bytes. 0: the kernel does not report it.
func parseAnonymous(b []byte) int64 {
	for line := range strings.Lines(string(b)) {
		value, ok := strings.CutPrefix(line, "RssAnon:")
		if !ok {
			continue
		}
		kib, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		if err != nil {
			return 0
		}
		return kib << 10
	}
	return 0
}

// parseStat parses a /proc/PID/stat line. The second field is the program's name in parentheses and may contain
// anything, so fields are counted from the last parenthesis.
func parseStat(b []byte, pageSize int64) processUse {
	f := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	if len(f) < 22 {
		return processUse{}
	}
	user, err1 := strconv.ParseInt(f[11], 10, 64)
	system, err2 := strconv.ParseInt(f[12], 10, 64)
	pages, err3 := strconv.ParseInt(f[21], 10, 64)
	if err1 != nil || err2 != nil || err3 != nil {
		return processUse{}
	}
	return processUse{cpu: float64(user+system) / ticksPerSecond, rss: pages * pageSize}
}

// readCore returns the busy seconds of a core since boot, or 0 without a core.
func readCore(core int) float64 {
	if core < 0 {
		return 0
	}
	b, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	return parseCore(b, core)
}

// parseCore sums the non-idle columns of a core's line in /proc/stat: user, nice, system, irq, softirq, steal.
func parseCore(b []byte, core int) float64 {
	name := "cpu" + strconv.Itoa(core)
	for line := range strings.Lines(string(b)) {
		f := strings.Fields(line)
		if len(f) < 9 || f[0] != name {
			continue
		}
		var busy int64
		for _, i := range []int{1, 2, 3, 6, 7, 8} {
			n, err := strconv.ParseInt(f[i], 10, 64)
			if err != nil {
				return 0
			}
			busy += n
		}
		return float64(busy) / ticksPerSecond
	}
	return 0
}

// readCPUModel returns the name of the processor, or "" if the system does not report it.
func readCPUModel() string {
	b, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(b)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
