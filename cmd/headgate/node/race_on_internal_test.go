//go:build race

package node

// raceEnabled is raceDetector for the tests inside the package.
const raceEnabled = true
