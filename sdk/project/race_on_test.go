//go:build race

package project

const raceDetector = true
