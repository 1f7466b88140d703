package main

import (
	"os/exec"
	"strings"
)

// countBareCommits counts the commits without a body among the last 50. A shallow clone has fewer, and an archive none.
// Merges are left out: a forge writes their messages.
func countBareCommits(t *tree) (int, []string) {
	out, err := exec.Command("git", "-C", t.root, "log", "-50", "--no-merges", "--format=%h %s%n%b%x00").Output()
	if err != nil {
		return 0, []string{err.Error()}
	}
	var places []string
	for message := range strings.SplitSeq(string(out), "\x00") {
		head, body, _ := strings.Cut(strings.TrimSpace(message), "\n")
		if head != "" && strings.TrimSpace(body) == "" {
			places = append(places, head)
		}
	}
	return len(places), places
}
