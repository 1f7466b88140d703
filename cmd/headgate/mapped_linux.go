package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"
)

// startEnds is how long after the gateway serves nothing of its start is at work any more.
const startEnds = time.Second

// span is a part of the address space that a file is mapped into.
type span struct{ from, to uintptr }

// dropMapped takes the pages of the program and its libraries out of the process that only the start has
// touched: a third of what is resident. They stay in the page cache, and come back when they are touched.
// A process that cannot read its own map keeps them.
func dropMapped() {
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		return
	}
	spans, err := unwritten(f)
	if f.Close() != nil || err != nil {
		return
	}
	for _, s := range spans {
		_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, s.from, s.to-s.from, syscall.MADV_DONTNEED) // advice: what is refused stays
	}
}

// unwritten finds in the text of smaps what is mapped from files, cannot be written, and has no page that differs
// from its file: relocations and a debugger's breakpoints do, and would be lost.
func unwritten(smaps io.Reader) ([]span, error) {
	var out []span
	var s span
	var ours bool
	lines := bufio.NewScanner(smaps)
	for lines.Scan() {
		f := strings.Fields(lines.Text())
		switch {
		case len(f) >= 5 && strings.Contains(f[0], "-"):
			if _, err := fmt.Sscanf(f[0], "%x-%x", &s.from, &s.to); err != nil {
				return nil, err
			}
			ours = (f[1] == "r-xp" || f[1] == "r--p") && f[4] != "0" // the inode
		case ours && len(f) == 3 && f[0] == "Anonymous:" && f[1] == "0":
			out = append(out, s)
		}
	}
	return out, lines.Err()
}
