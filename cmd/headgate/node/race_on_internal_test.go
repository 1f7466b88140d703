//go:build race

package node

// raceEnabled is raceDetector, for the tests inside of the package.
const raceEnabled = true
