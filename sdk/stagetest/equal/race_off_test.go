//go:build !race

package equal

const raceEnabled = false
