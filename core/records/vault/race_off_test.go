//go:build !race

package vault

const raceDetector = false
