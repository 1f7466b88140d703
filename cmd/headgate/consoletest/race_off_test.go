//go:build !race

package consoletest

const raceDetector = false
