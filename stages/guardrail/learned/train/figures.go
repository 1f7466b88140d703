package main

import "strings"

// figuresFile holds the figures of the repository's own files, which a test compares with the measured figures.
const figuresFile = "testdata/figures.txt"

// isFind reports whether hits of a kind of text are attacks that are found, rather than false alarms.
func isFind(kind string) bool {
	return strings.Contains(kind, "attack") || strings.Contains(kind, "embedded")
}
