//go:build !race

package main

// raceEnabled is raceDetector, for the tests inside of the package.
const raceEnabled = false
