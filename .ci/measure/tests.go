package main

import (
	"fmt"
	"strings"
)

// forEachSleep calls see for each line of a test that sleeps, with the line above it.
func forEachSleep(t *tree, see func(place, line, above string)) {
	for _, f := range t.files {
		if !f.test {
			continue
		}
		above := ""
		for i, line := range strings.Split(f.text, "\n") {
			if strings.Contains(line, "time.Sleep(") && !strings.HasPrefix(strings.TrimSpace(line), "//") {
				see(fmt.Sprintf("%s:%d", f.name, i+1), line, above)
			}
			above = line
		}
	}
}

func countSleeps(t *tree) (int, []string) {
	var places []string
	forEachSleep(t, func(place, _, _ string) { places = append(places, place) })
	return len(places), places
}

func countBareSleeps(t *tree) (int, []string) {
	var places []string
	forEachSleep(t, func(place, line, above string) {
		if !strings.Contains(line, "//") && !strings.HasPrefix(strings.TrimSpace(above), "//") {
			places = append(places, place)
		}
	})
	return len(places), places
}

// countOutsideData counts tests that read data beside the repository: in a fresh clone they would be skipped.
func countOutsideData(t *tree) (int, []string) {
	var places []string
	for _, f := range t.files {
		if !f.test || !strings.Contains(f.text, "Skip") {
			continue
		}
		for i, line := range strings.Split(f.text, "\n") {
			if strings.Contains(line, "Skip") && strings.Contains(line, "shared") {
				places = append(places, fmt.Sprintf("%s:%d", f.name, i+1))
			}
		}
	}
	return len(places), places
}
