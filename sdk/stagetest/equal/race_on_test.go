//go:build race

package equal

const raceEnabled = true
