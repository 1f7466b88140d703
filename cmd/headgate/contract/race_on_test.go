//go:build race

package contract_test

const raceDetector = true
