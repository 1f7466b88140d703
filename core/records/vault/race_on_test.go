//go:build race

package vault

const raceDetector = true
