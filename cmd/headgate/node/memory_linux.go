package node

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// dropProgram has the system forget which pages of the program's file this process has mapped. Those that are used come
// back from the page cache at the cost of a minor fault; what only the start or a burst needed does not. File systems that
// keep files in large pieces map two megabytes at a touch, so that else the whole file stays resident.
//
// Only spans of which every page is still the file's are dropped: the linker has written to some that can only be read now.
// Errors are no matter, as nothing depends on it.
func dropProgram() {
	exe, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }() // only read from
	var start, size uintptr
	ok := false
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := lines.Text()
		if isHead(line) {
			start, size, ok = ofProgram(line, exe)
			continue
		}
		if written, is := strings.CutPrefix(line, "Anonymous:"); is && ok && strings.TrimSpace(written) == "0 kB" {
			_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, start, size, syscall.MADV_DONTNEED)
		}
	}
}

// isHead tells the first line of a map from the fields that follow it, which begin with a capital letter.
func isHead(line string) bool { return line != "" && (line[0] < 'A' || line[0] > 'Z') }

// ofProgram reads the head of a map: a span of the program's file that is not written to.
func ofProgram(line, exe string) (start, size uintptr, ok bool) {
	words := strings.Fields(line)
	if len(words) != 6 || words[5] != exe || words[1][1] == 'w' {
		return 0, 0, false
	}
	from, to, _ := strings.Cut(words[0], "-")
	a, err := strconv.ParseUint(from, 16, 64)
	if err != nil {
		return 0, 0, false
	}
	b, err := strconv.ParseUint(to, 16, 64)
	if err != nil || b < a {
		return 0, 0, false
	}
	return uintptr(a), uintptr(b - a), true
}
